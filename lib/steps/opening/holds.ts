import { ErrorName } from '../../domain/errors.ts';
import { describeHold, endOf, type Hold, WAITS_NO_LONGER } from '../../domain/holds/hold.ts';
import { faultOfUnpin } from '../../domain/holds/pins.ts';
import {
  frozenTooLong,
  type Holdable,
  whatFreezes,
  whatQuarantines,
} from '../../domain/holds/what-holds.ts';
import { LONGEST_LOOK_SECONDS } from '../../domain/look-again.ts';
import type { RolloutPlan } from '../../domain/rollout/plan.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import type { AskedRequest } from '../../domain/rollout/request.ts';
import { decideWindow, rulesOfStart } from '../../domain/turn/window.ts';
import {
  type Answer,
  type Condition,
  GO,
  type Hindrance,
  hindrance,
  type PreviewPorts,
  refusal,
  type WithHolds,
} from './condition.ts';

// What people keep from starting: by the windows and freezes of a policy, or by a hold. A preview asks the same.

/** The holds are known, and what it was told. One read serves all conditions that ask for them. */
export const holdsRead: Condition<{ readonly request: AskedRequest }, WithHolds> = {
  ask: ({ request }, { ledger }) => readHolds(request, ledger),
  foresee: ({ request: { runtimeId } }, { ledger }) =>
    readHolds({ rolloutId: '', runtimeId }, ledger),
};

async function readHolds(
  of: Pick<AskedRequest, 'rolloutId' | 'runtimeId'>,
  ledger: PreviewPorts['ledger'],
): Promise<Answer<WithHolds>> {
  return { decision: 'go', learnt: await ledger.hear(of) };
}

/** Who passes pins with it has named pins in force. While it waits, somebody may lift them. */
export const pinsKnown: Condition<Pick<AskedRollout, 'request' | 'wait'>> = {
  async ask({ request: { runtimeId, unpin, parent }, wait }, { ledger, clock }) {
    if (unpin === undefined || parent !== undefined || wait?.for !== 'start') return GO;
    const fault = faultOfUnpin(unpin, runtimeId, await ledger.listHolds(), clock.now());
    return fault === null ? GO : refusal(ErrorName.InvalidInput, fault);
  },
};

interface OfVersion extends WithHolds {
  readonly request: Holdable & { readonly desiredVersion: number };
  readonly plan?: RolloutPlan;
}

/**
 * Its version is not in quarantine, or a person wants it again. With its plan, every version of that is asked for: a revert
 * may have several. Nobody waits for the end of a quarantine.
 */
export const notQuarantined: Condition<OfVersion> = {
  ask: lookAtQuarantine,
  foresee: lookAtQuarantine,
};

async function lookAtQuarantine(
  { request, holds, plan }: OfVersion,
  { clock }: Pick<PreviewPorts, 'clock'>,
): Promise<Answer> {
  const { runtimeId, desiredVersion, again, parent, revert } = request;
  // The way back of a group is never held.
  if (again || (parent !== undefined && revert !== undefined)) return GO;
  const versions = plan?.endpoints.map((one) => one.desiredVersion) ?? [desiredVersion];
  const [quarantine] = whatQuarantines(runtimeId, versions, holds, clock.now());
  return quarantine === undefined ? GO : refusal(ErrorName.Quarantined, describeHold(quarantine));
}

interface WithPolicy {
  readonly request: Holdable & { readonly policy: RolloutPolicy };
}

export interface WithWindow {
  readonly window: Answer;
}

/** Its policy lets it wait outside of its windows. Asked first: what its own policy refuses was not overtaken. */
export const mayWaitForWindow: Condition<WithPolicy, WithWindow> = {
  ask: lookAtWindow,
  foresee: lookAtWindow,
};

async function lookAtWindow(
  { request }: WithPolicy,
  { clock }: Pick<PreviewPorts, 'clock'>,
): Promise<Answer<WithWindow>> {
  const now = clock.now();
  const { outsideWindow } = request.policy;
  const decided = decideWindow({ ...rulesOfStart(request.policy), outsideWindow }, now);
  if (decided.decision === 'refuse') return refusal(decided.error, decided.message);
  if (decided.decision === 'go') return { decision: 'go', learnt: { window: GO } };
  const { until, message } = decided;
  const seconds = (until - now) / 1000;
  const window: Answer = hindrance('window', message, seconds, until);
  return { decision: 'go', learnt: { window } };
}

/** No freeze is in force, and a deployment window is open. */
export const windowOpen: Condition<WithWindow> = {
  ask: async ({ window }) => window,
  foresee: async ({ window }) => window,
};

/** No freeze of a person is on it. */
export const unheld: Condition<WithPolicy & WithHolds> = {
  ask: lookAtFreezes,
  foresee: lookAtFreezes,
};

async function lookAtFreezes(
  { request, holds }: WithPolicy & WithHolds,
  { clock }: Pick<PreviewPorts, 'clock'>,
): Promise<Answer> {
  const now = clock.now();
  const frozen = whatFreezes(request, holds, now);
  if (frozen.length === 0) return GO;
  // The rollout of a group's runtime always waits, so that the group does not lose the runtime.
  const mayWait = request.parent !== undefined || request.policy.outsideWindow === 'wait';
  const wait = waitForLift(frozen, now);
  if (frozenTooLong(request, holds, now).length > 0) {
    return refusal(ErrorName.Held, `${wait.of} ${WAITS_NO_LONGER}`);
  }
  return mayWait ? wait : refusal(ErrorName.Held, `${wait.of} It may not wait.`);
}

/** Somebody may lift a hold before its end. */
export function waitForLift(holds: readonly Hold[], now: number): Hindrance {
  const message = holds.map(describeHold).join(' ');
  const until = Math.max(...holds.map(endOf));
  const seconds = Math.min(LONGEST_LOOK_SECONDS, (until - now) / 1000);
  return hindrance('hold', message, seconds, until);
}
