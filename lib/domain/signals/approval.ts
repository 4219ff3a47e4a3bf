import { failingOf, type RolloutEvent, waveEventIdOf } from '../rollout/event.ts';
import type { Approval } from '../rollout/policy.ts';
import type { AskedRollout, RolloutRecord, Signal, WaveProgress } from '../rollout/record.ts';
import { asSentence } from '../sentences.ts';
import { findAbort } from './abort.ts';
import {
  type SignalContext,
  type SignalEffect,
  type SignalKind,
  senderOf,
  waveOf,
  whyOf,
} from './signal-kind.ts';

// A wave that has baked may wait for a person: whether somebody was asked, what was answered, and what is missing.

/** What becomes of a wave that nobody answers in time, by what the policy says. */
export const AT_TIMEOUT = { approve: 'approved', reject: 'rejected' } as const;

export const APPROVE = {
  kind: 'approve',
  answer: 'pass',
  describe: (signal) => `${senderOf(signal)} approved ${waveOf(signal)}${whyOf(signal)}`,
  command: {
    description: 'Approve the wave that waits, so that the next one follows.',
    help: `
A wave waits for approval if the policy says so, after its bake and its other
gates, and only if another wave follows. With --wave you approve only the wave
that you have looked at.

Examples:
  steproll rollout approve ID
  steproll rollout approve ID --wave 1 \\
    --reason 'looked at by QA'`,
    consequence: () => 'The next wave follows.',
    sent: (signal) => `Approved ${waveOf(signal)}. The next one follows.`,
  },
} satisfies SignalKind;

export const REJECT = {
  kind: 'reject',
  answer: 'fail',
  /** It counts whatever the wave shows meanwhile, but not before somebody was asked, and not without a list. */
  decide(look) {
    const { record, progress } = look;
    const isHeard =
      progress.readFault === undefined && findAskedFor(record, progress) !== undefined;
    return isHeard ? failByRejection(look) : undefined;
  },
  describe: (signal) => `${senderOf(signal)} rejected ${waveOf(signal)}${whyOf(signal)}`,
  command: {
    description: 'Reject the wave that waits, so that the rollout fails.',
    help: `
The rollout's policy says what happens to the endpoints that it rolled, unless
--on-failure does: stop-old, roll-back or hold.

Examples:
  steproll rollout reject ID \\
    --reason 'too slow'
  steproll rollout reject ID --wave 1 \\
    --on-failure roll-back`,
    policy: { option: '--on-failure', help: 'default: as in its policy' },
    consequence: ({ consequence }) => `The rollout fails, and ${consequence}.`,
    sent: (signal, { consequence }) =>
      `Rejected ${waveOf(signal)}. The rollout fails, and ${consequence}.`,
  },
} satisfies SignalKind;

/** The rejection of a 0-based wave that decides: the first one. */
export function findRejection(
  signals: readonly Signal[],
  wave: number | null | undefined,
): Signal | undefined {
  return signals.find((signal) => signal.kind === REJECT.kind && signal.wave === wave);
}

/** How a rollout fails whose wave was rejected. `undefined`: it was not. */
export function failByRejection({
  record,
  plan,
  progress,
}: SignalContext): SignalEffect | undefined {
  const rejection = findRejection(record.signals, progress.wave);
  if (rejection === undefined) return undefined;
  const { by, onFailure } = rejection;
  const where = `Wave ${progress.wave + 1} of ${plan.waves.length}`;
  const message = asSentence(`${where} was rejected by ${by}${whyOf(rejection)}`);
  return {
    next: 'contain',
    ending: { outcome: 'Failed', failure: 'bad', reason: 'Rejected', message },
    onFailure,
  };
}

/** With this event somebody was asked for the approval of a 0-based wave. A look that died before it has not asked. */
export function findAskedFor(
  { request, events }: Pick<AskedRollout, 'request' | 'events'>,
  { direction, wave }: Pick<WaveProgress, 'direction' | 'wave'>,
): RolloutEvent | undefined {
  const asked = waveEventIdOf(request.rolloutId, 'approval-wanted', direction, wave + 1);
  return events.find(({ eventId }) => eventId === asked);
}

/** Whether a signal is what one person answers to a wave. */
export function isAnswer({ kind }: Pick<Signal, 'kind'>): boolean {
  return kind === APPROVE.kind || kind === REJECT.kind;
}

/** Whether all of these answers were known. A number would not do: whoever gave an answer may remove it. */
export function areAmong(answers: readonly Signal[], known: readonly Signal[]): boolean {
  const isSame = (one: Signal, other: Signal) =>
    ANSWER_FIELDS.every((field) => one[field] === other[field]);
  return answers.every((answer) => known.some((one) => isSame(one, answer)));
}

const ANSWER_FIELDS = ['kind', 'wave', 'key', 'by', 'at', 'reason', 'onFailure'] as const;

type Asked = Pick<AskedRollout, 'request' | 'signals'>;

/** How many people have to say yes to a wave. */
export function approvalsNeeded({
  policy,
  startedBy,
}: Pick<AskedRollout['request'], 'policy' | 'startedBy'>): number {
  const { approval = null } = policy?.verify ?? {};
  if (STARTS_ALONE.includes(startedBy.kind)) return approval?.count ?? 1;
  return mostApprovalsNeeded(approval);
}

/** The same of any rollout with this approval. */
export function mostApprovalsNeeded(approval: Approval | null): number {
  const { count = 1, notTheStarter = false } = approval ?? {};
  return count + (notTheStarter ? 1 : 0);
}

/**
 * Nobody has started such a rollout by hand. Of all others nobody knows who did, so one yes more is needed: at most one of
 * them is the starter's.
 */
const STARTS_ALONE: readonly string[] = ['schedule'];

/** The first yes of each person to a 0-based wave, in order. */
export function listApprovals(
  { signals }: Pick<Asked, 'signals'>,
  wave: number,
): readonly Signal[] {
  const said = signals.filter((one) => one.kind === APPROVE.kind && one.wave === wave);
  return [...Map.groupBy(said, ({ key, by }) => key ?? by).values()].map(
    ([first]) => first as Signal,
  );
}

/**
 * What people have answered to a 0-based wave that waits for an approval. Of a no and a yes the no counts, and of several
 * yeses that are needed the last one brings the answer.
 */
export function findAnswer(
  record: Asked,
  wave: number,
): { readonly signal: Signal; readonly answer: 'pass' | 'fail' } | undefined {
  const rejection = findRejection(record.signals, wave);
  if (rejection !== undefined) return { signal: rejection, answer: REJECT.answer };
  const last = listApprovals(record, wave)[approvalsNeeded(record.request) - 1];
  return last && { signal: last, answer: APPROVE.answer };
}

/** The 0-based wave that has baked and waits for an approval; `null` when none does. */
export function waveAwaitingApproval(record: RolloutRecord): number | null {
  const { progress, rollback, outcome, events, signals } = record;
  if (outcome !== null || rollback !== null || progress === null) return null;
  const { wave } = progress;
  const isFailing = failingOf(events) !== undefined;
  const isAnswered = findAbort(signals) !== undefined || findAnswer(record, wave) !== undefined;
  return findAskedFor(record, progress) !== undefined && !isFailing && !isAnswered ? wave : null;
}
