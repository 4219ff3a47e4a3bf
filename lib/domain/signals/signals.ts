import { CONTAINMENTS } from '../containment/failure-policies.ts';
import type { JournalEntry, WriteOperation } from '../endpoint/journal.ts';
import { PAUSE, PIN } from '../holds/hold.ts';
import { failingOf } from '../rollout/event.ts';
import type { Ending } from '../rollout/outcome.ts';
import { FAILURE_POLICIES, type FailurePolicy, policyAfter } from '../rollout/policy.ts';
import type { AskedRollout, RolloutRecord, Signal } from '../rollout/record.ts';
import { ABORT, endByAbort, findAbort } from './abort.ts';
import { APPROVE, findRejection, REJECT } from './approval.ts';
import { GIVE_WAY } from './give-way.ts';
import { PROMOTE } from './promote.ts';
import type { SignalCommand, SignalKind } from './signal-kind.ts';

/** Everything that a rollout under way can be told. The first kind that says something decides. */
export const SIGNALS: readonly SignalKind[] = [ABORT, GIVE_WAY, REJECT, APPROVE, PROMOTE];

export const SIGNAL_KINDS: readonly string[] = SIGNALS.map(({ kind }) => kind);

/**
 * The words of signals and holds that this version understands. The ledger stores them with each rollout, as they are in the code
 * that runs it: that may be an older steproll than whoever sends a signal. Words are only added.
 */
export const UNDERSTOOD: readonly string[] = [...SIGNAL_KINDS, ...FAILURE_POLICIES, PAUSE, PIN];

/** The words of a signal: all of them have to be understood, or it must not be sent. */
export function wordsOf({ kind, onFailure }: Signal): readonly string[] {
  return onFailure === undefined ? [kind] : [kind, onFailure];
}

/** Readers of the ledger skip the kinds that they do not know. */
export function kindOf({ kind }: Pick<Signal, 'kind'>): SignalKind {
  return SIGNALS.find((one) => one.kind === kind) as SignalKind;
}

export type PersonalKind = SignalKind & { readonly command: SignalCommand };

export const PERSONAL_SIGNALS: readonly PersonalKind[] = SIGNALS.filter(
  (kind): kind is PersonalKind => kind.command !== undefined,
);

export function mayWrite(operation: WriteOperation, signals: readonly Signal[]): boolean {
  return findCallOff(operation, signals) === undefined;
}

/** While a rollout is paused, it gives way to nobody. Everything else that it is told, it follows. */
export function countsUnderPause({ kind }: Signal): boolean {
  return kind !== GIVE_WAY.kind;
}

/** Why a rollout may send no write of this kind any more. `undefined`: it may. */
export function findCallOff(
  operation: WriteOperation,
  signals: readonly Signal[],
): string | undefined {
  for (const { limit } of SIGNALS) {
    const may = limit?.mayWrite(operation, signals);
    if (may !== undefined) return may ? undefined : limit?.callOff;
  }
  return undefined;
}

/** Whether an abort asks for a stop that was called off before: of several aborts the last one counts. */
export function isAskedForAgain(
  { reason }: Pick<JournalEntry, 'reason'>,
  signals: readonly Signal[],
): boolean {
  const { onFailure = 'hold' } = findAbort(signals) ?? {};
  return CALL_OFFS.has(reason) && CONTAINMENTS[onFailure].write === 'stop';
}

const CALL_OFFS: ReadonlySet<string | undefined> = new Set(
  SIGNALS.flatMap(({ limit }) => limit?.callOff ?? []),
);

/** Ends a rollout that has no plan yet. `null`: nobody has asked for that. */
export function decideWithdrawn(signals: readonly Signal[]): Ending | null {
  for (const { endEarly } of SIGNALS) {
    const ending = endEarly?.(signals);
    if (ending !== undefined) return withNothingRolled(ending);
  }
  return null;
}

export function withdrawn(abort: Pick<Signal, 'by' | 'reason'>): Ending {
  return withNothingRolled(endByAbort(abort));
}

function withNothingRolled(ending: Ending): Ending {
  return { ...ending, message: `${ending.message} Nothing was rolled.` };
}

/** The ending of a rollout after all signals that were accepted before its end. */
export function endingAsTold(
  decided: Ending,
  record: Pick<AskedRollout, 'signals' | 'journal'>,
): Ending {
  return SIGNALS.reduce((ending, { endLate }) => endLate?.(ending, record) ?? ending, decided);
}

/**
 * The failure policy that holds now: what the last abort asked for, or else what the rollout has told, or what a
 * rejection asks for that nobody has heard yet, or what the policy says.
 */
export function failurePolicyOf({
  request,
  signals,
  progress,
  events,
}: Pick<RolloutRecord, 'request' | 'signals' | 'progress' | 'events'>): FailurePolicy {
  const abort = findAbort(signals);
  if (abort !== undefined) return abort.onFailure ?? 'hold';
  const told = failingOf(events);
  if (told?.onFailure !== undefined) return told.onFailure;
  const rejection = findRejection(signals, progress?.wave);
  return rejection?.onFailure ?? policyAfter(rejection ? 'bad' : 'stuck', request.policy.onFailure);
}
