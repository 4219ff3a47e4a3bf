import { leaseUntil } from '../../../lib/domain/rollout/lease.ts';
import type { AskedRollout } from '../../../lib/domain/rollout/record.ts';
import type { Ledger } from '../../../lib/ports/ledger.ts';
import { watchedLedger } from '../../../lib/rehearsal/mortal-ledger.ts';
import { RUNTIME, type Stage } from '../../support/run-scenario.ts';
import {
  START,
  scenarioNow,
  scenarioTime,
  secondsSinceStart,
} from '../../support/scenario-time.ts';
import { WHOLE_POLICY } from '../../support/whole-policy.ts';
import type { Earlier } from './ordeal.ts';

// Another rollout has the runtime when this one is asked for. It rolls nothing: only its lease and its end matter.

/** What the ledger has said while this rollout waited for another one. */
export interface SeenEarlier {
  /** The other rollout, at its end. */
  readonly record: AskedRollout;
  /** This one, while it waited. */
  readonly looks: readonly AskedRollout[];
}

/** The ledger in which another rollout has the runtime. */
export function withEarlier(earlier: Earlier | null, ledger: Ledger, stage: Stage): Ledger {
  if (earlier === null) return ledger;
  const opened = open(earlier, stage);
  const occupied = watchedLedger(ledger, async (call) => {
    await opened;
    return call();
  });
  return {
    ...occupied,
    async signal(rolloutId, signal) {
      await occupied.signal(rolloutId, signal);
      const { givesWayAfter } = earlier;
      if (rolloutId !== earlier.rolloutId || givesWayAfter === null) return;
      scenarioTime()
        .sleep(givesWayAfter * 1000)
        .then(() => close(earlier, stage));
    },
  };
}

/** Lets it go on to its end beside this one. */
export async function watchEarlier(
  earlier: Earlier | null,
  stage: Stage,
): Promise<SeenEarlier | null> {
  if (earlier === null) return null;
  const looks: AskedRollout[] = [];
  const { ledger } = stage;
  for (const second of [...LOOKS, earlier.endsAfter]) {
    await keepLease(Math.min(second, earlier.endsAfter), earlier, stage);
    const record = await ledger.read('rollout-1').catch(() => null);
    if (record?.wait?.for === 'turn') looks.push(record);
  }
  if (earlier.isDead) await stage.until(earlier.endsAfter + LONGEST_TAKEOVER_SECONDS);
  else await close(earlier, stage);
  return { record: await ledger.read(earlier.rolloutId), looks };
}

const LOOKS = [20, 200, 3000, 80_000];

const LONGEST_TAKEOVER_SECONDS = 3600;

async function open(
  { version, askedAfter, isDead, endsAfter, isUnknown, isElsewhere, rolloutId }: Earlier,
  { ledger }: Stage,
) {
  const request = {
    rolloutId,
    endpointUrl: isElsewhere ? 'https://elsewhere.example.com' : 'https://endpoints.example.com',
    runtimeId: RUNTIME,
    desiredVersion: version,
    policy: WHOLE_POLICY,
    startedBy: { kind: 'person', name: 'bob', at: START + askedAfter * 1000 },
  } as const;
  const until = isDead ? START + endsAfter * 1000 : leaseUntil(START, RENEWED_AFTER_SECONDS);
  await ledger.open(request, START, until);
  if (isUnknown) return;
  const { startedBy, policy: _, ...latest } = request;
  await ledger.recordLatestRequest({ ...latest, at: startedBy.at, wakesAt: null }, START);
}

const RENEWED_AFTER_SECONDS = 1800;

async function keepLease(
  second: number,
  { isDead, rolloutId }: Earlier,
  stage: Stage,
): Promise<void> {
  while (secondsSinceStart() < second) {
    await stage.until(Math.min(second, secondsSinceStart() + RENEWED_AFTER_SECONDS));
    if (isDead) continue;
    const { epoch } = await stage.ledger.read(rolloutId);
    const lease = { runtimeId: RUNTIME, rolloutId, epoch };
    // It may have given way meanwhile.
    await stage.ledger
      .renew(lease, leaseUntil(scenarioNow(), RENEWED_AFTER_SECONDS))
      .catch(() => undefined);
  }
}

async function close({ rolloutId }: Earlier, { ledger }: Stage): Promise<void> {
  const outcome = {
    outcome: 'Superseded',
    cleanup: 'none',
    reason: 'Superseded',
    message: 'It gave way.',
  } as const;
  await ledger.close(rolloutId, outcome, scenarioNow());
}
