import { ErrorName } from '../../domain/errors.ts';
import { listOnTheirWay, onTheirWay, versionsSentBy } from '../../domain/planning/on-its-way.ts';
import { nounOf } from '../../domain/rollout/group.ts';
import type { RolloutPlan } from '../../domain/rollout/plan.ts';
import type { AskedRequest } from '../../domain/rollout/request.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { findRecord } from '../io/record.ts';
import { type Answer, type Condition, GO, type Ready, refusal } from './condition.ts';

/**
 * Nobody else rolls an endpoint of the plan: another stack, another machine, or a person by hand. The lease is that of
 * this ledger, so it keeps out none of them. A person may take such endpoints over; a trigger never does.
 */
export const inNoOtherHands: Condition<Ready & { readonly plan: RolloutPlan }> = {
  ask: ({ request, plan }, { ledger }) => lookForOthers(request, plan, ledger),
  foresee: ({ request }, { ledger }) => lookForOthers(request, request.plan, ledger),
};

type Asked = Pick<AskedRequest, 'runtimeId' | 'revert' | 'takeOver'>;

async function lookForOthers(
  { runtimeId, revert, takeOver }: Asked,
  plan: RolloutPlan,
  ledger: Pick<Ledger, 'list' | 'read'>,
): Promise<Answer> {
  // A revert leaves alone what others have moved, and the rollout of each runtime of a group asks for its own endpoints.
  if (takeOver || revert !== undefined || nounOf(runtimeId) === 'runtime') return GO;
  const moving = onTheirWay(plan);
  if (moving.length === 0) return GO;
  const own = await versionsOfOwn(runtimeId, ledger);
  const others = moving.filter(({ to }) => !own.has(to));
  if (others.length === 0) return GO;
  const message = `Somebody else is rolling ${listOnTheirWay(others)}, so nothing was rolled: no rollout that is recorded here has sent an endpoint there. Wait until that is over, or let a person take it over.`;
  return refusal(ErrorName.InOtherHands, message);
}

/** The versions to which the last rollouts of the runtime that are recorded here and wrote something may have sent its endpoints. */
async function versionsOfOwn(
  runtimeId: string,
  ledger: Pick<Ledger, 'list' | 'read'>,
): Promise<ReadonlySet<number>> {
  const past = await ledger.list({ runtimeId, limit: LOOKED_THROUGH, hasRolled: true });
  const versions = new Set<number>();
  let left = LATEST_ROLLOUTS;
  for (const { rolloutId } of past) {
    if (left === 0) break;
    const record = await findRecord(rolloutId, ledger);
    // One that leaves the history may be in the list for a moment longer.
    if (record === null || record.journal.length === 0) continue;
    for (const version of versionsSentBy(record)) versions.add(version);
    left -= 1;
  }
  return versions;
}

/** What was sent longer ago has come to rest. */
const LATEST_ROLLOUTS = 5;
/** Some of those that have begun have ended before their first write. */
const LOOKED_THROUGH = 50;
