import type { WriteOperation } from '../endpoint/journal.ts';
import type { FailurePolicy } from '../rollout/policy.ts';
import { findAbort, type RolloutRecord, type Signal } from '../rollout/record.ts';

/** What a failure policy does about the endpoints that were rolled, and what that is called. */
interface Containment {
  /** The only kind of write that it sends; `null`: none. */
  readonly write: WriteOperation | null;
  /** What the rollout is doing then, in reports. */
  readonly phase: 'stopping' | 'turning-around' | 'holding';
  /** What follows, in the event that tells of the failure. */
  readonly announce: (oldEndpoints: number) => string;
  /** What becomes of the endpoints, in the question before an abort. */
  readonly consequence: string;
  /** What is not sent any more, from the moment on that the ledger has an abort which asks for it. */
  readonly halt: string;
  /** What an abort asked for besides the end, in the story of a rollout. */
  readonly request: string;
}

/** All that a failure policy is called, and the one write that it may send. */
export const CONTAINMENTS: Readonly<Record<FailurePolicy, Containment>> = {
  hold: {
    write: null,
    phase: 'holding',
    announce: () => 'Everything stays as it is.',
    consequence: 'every endpoint stays as it is',
    halt: 'Nothing more is rolled, rolled back or stopped but what is on its way already',
    request: '',
  },
  'roll-back': {
    write: 'roll-back',
    phase: 'turning-around',
    announce: () => 'What was rolled goes back now.',
    consequence: 'what it rolled goes back to the versions before',
    halt: 'Nothing more is rolled or stopped but what is on its way already',
    request: ' and roll back',
  },
  'stop-old': {
    write: 'stop',
    phase: 'stopping',
    // A stop may still be kept back, and then nothing is stopped.
    announce: (oldEndpoints) =>
      oldEndpoints === 0
        ? 'There is no old endpoint to stop.'
        : `${oldEndpoints} old endpoint${oldEndpoints === 1 ? '' : 's'} to stop now, where that is safe.`,
    consequence: 'the endpoints that it rolled and that are not live on the version are stopped',
    halt: 'Nothing more is rolled or rolled back but what is on its way already',
    request: ' and stop the old endpoints',
  },
};

/** What becomes of what was rolled: as a person said last, or else as the policy has it. */
export function failurePolicyOf({
  request,
  signals,
  progress,
}: Pick<RolloutRecord, 'request' | 'signals' | 'progress'>): FailurePolicy {
  const abort = findAbort(signals);
  if (abort !== undefined) return abort.onFailure ?? 'hold';
  const rejection = signals.find(({ kind, wave }) => kind === 'reject' && wave === progress?.wave);
  return rejection?.onFailure ?? request.policy.onFailure;
}

/**
 * Whether a rollout may still send a write of this kind, given what was said to it. An abort ends all writes but
 * those that it asks for: on the way back nothing is ever stopped, so `stop-old` ends it like `hold`. One that
 * gives way leaves every endpoint to the newer rollout, but a way back is gone to its end.
 */
export function mayWrite(operation: WriteOperation, signals: readonly Signal[]): boolean {
  const abort = findAbort(signals);
  if (abort !== undefined) return operation === CONTAINMENTS[abort.onFailure ?? 'hold'].write;
  return operation === 'roll-back' || !signals.some(({ kind }) => kind === 'give-way');
}
