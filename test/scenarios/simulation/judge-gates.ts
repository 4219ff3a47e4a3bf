import { isWrite } from '../../../lib/rehearsal/calls.ts';
import { isRollBack } from '../../support/read-evidence.ts';
import type { ScenarioResult } from '../../support/run-scenario.ts';
import type { Ordeal } from './ordeal.ts';

/** A no of a gate ends the way forward, silence is not a yes, and nobody is blamed for what no gate said. */
export function gatesAreHeard(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { policy, death, stall } = ordeal;
  if (policy.verify.alarms.length === 0 || death !== null || stall !== null) return [];
  const { gates, outcome } = run;
  const last = gates.at(-1)?.verdict;
  const isSure = outcome.outcome !== 'Succeeded' || outcome.reason === 'NothingToDo';
  return [
    ...noIsNo(run),
    ...silenceIsBorne(ordeal, run),
    ...(isSure || last === 'pass' ? [] : [`it succeeded after a gate had said ${last}`]),
    ...(outcome.reason === 'GateFailed' && last !== 'fail' ? ['no gate has said no'] : []),
  ];
}

function noIsNo({ gates, calls, outcome, record, turnedAt }: ScenarioResult): string[] {
  const no = gates.find(({ verdict }) => verdict === 'fail');
  if (record === null || no === undefined) return [];
  const isRolled = calls
    .filter(isWrite)
    .some(
      (write) =>
        write.operation === 'roll' && write.at > no.at && !isRollBack(write, record, turnedAt),
    );
  const isOther = outcome.outcome === 'Failed' && outcome.reason !== 'GateFailed';
  return [
    ...(isRolled ? ['it rolled after a no'] : []),
    ...(gates.at(-1) !== no ? ['it asked on after a no'] : []),
    ...(isOther ? [`a gate said no, and it names ${outcome.reason}`] : []),
  ];
}

/** Up to the progress deadline. A doubt that the list has begun goes on with a silent gate, and has one deadline. */
function silenceIsBorne(
  { policy, clock, lists, broken, people }: Ordeal,
  { gates, outcome }: ScenarioResult,
): string[] {
  if (clock !== null) return [];
  const mayHaveBegunEarlier = lists.length + broken.length + people.length > 0;
  const silence = gates.slice(gates.findLastIndex(({ verdict }) => verdict !== 'unknown') + 1);
  const seconds = ((silence.at(-1)?.at ?? 0) - (silence[0]?.at ?? 0)) / 1000;
  const { progressDeadlineSeconds: deadline } = policy;
  const isHasty =
    outcome.reason === 'GateUnknown' &&
    !mayHaveBegunEarlier &&
    seconds < deadline - LONGEST_POLL_SECONDS;
  const isLate = seconds > deadline + LATE_SECONDS;
  return isHasty || isLate
    ? [`a gate was silent for ${seconds} s, and it ended with ${outcome.reason}`]
    : [];
}

/** A look may come so late, with its tries. */
const LATE_SECONDS = 400;

const LONGEST_POLL_SECONDS = 30;

/** The next wave has the yes of a person, or its time for that is over and the policy says to go on. */
export function approvalIsAwaited(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { record, calls, outcome } = run;
  const { approval } = ordeal.policy.verify;
  if (record?.plan == null || approval === null || ordeal.clock !== null) return [];
  const { waves, endpoints } = record.plan;
  const answer = (kind: string, wave: number, until: number) =>
    record.signals.some((one) => one.kind === kind && one.wave === wave && one.at <= until);
  const wantedAt = (wave: number) =>
    record.events.find(
      (event) =>
        event.kind === 'approval-wanted' &&
        event.direction === 'forward' &&
        event.wave === wave + 1,
    )?.at;
  const overAt = (wave: number) =>
    (wantedAt(wave) ?? Number.POSITIVE_INFINITY) + (approval.timeoutSeconds - 1) * 1000;
  const hasty = waves.slice(1).flatMap(({ from, to }, wave) => {
    const ids = new Set(endpoints.slice(from, to).map(({ endpointId }) => endpointId));
    const first = calls
      .filter(isWrite)
      .find(({ endpointId, version }) => version === 2 && ids.has(endpointId));
    if (first === undefined || answer('approve', wave, first.at)) return [];
    const isOver = approval.onTimeout === 'approve' && first.at >= overAt(wave);
    const isRejected = answer('reject', wave, first.at - LONGEST_STEP_MS - ordeal.latencyMs * 10);
    return isOver && !isRejected ? [] : [`wave ${wave + 2} began without its approval`];
  });
  const { reason } = outcome;
  const waited = waves.findLastIndex((_, wave) => wantedAt(wave) !== undefined);
  const endedAt = record.endedAt ?? 0;
  const isUnfounded =
    (reason === 'Rejected' && !record.signals.some(({ kind }) => kind === 'reject')) ||
    (reason === 'ApprovalTimedOut' &&
      (approval.onTimeout !== 'reject' || endedAt < overAt(waited)));
  return [...hasty, ...(isUnfounded ? [`it ended with ${reason}, and nobody said so`] : [])];
}

/** A step that was asked to go on a moment ago goes on. */
const LONGEST_STEP_MS = 120_000;
