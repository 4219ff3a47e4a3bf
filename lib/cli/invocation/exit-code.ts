import { ErrorName, errorNameOf } from '../../domain/errors.ts';
import type { OutcomeKind } from '../../domain/rollout/outcome.ts';

/** The exit codes of every command. Scripts rely on them. */
export const ExitCode = {
  Done: 0,
  /** The rollout failed, or was superseded. */
  Failed: 1,
  BadInput: 2,
  /** The result is unknown: the service or the ledger did not answer. */
  Unknown: 3,
  Interrupted: 130,
} as const;

const OF_OUTCOME: Readonly<Record<OutcomeKind, number>> = {
  Succeeded: ExitCode.Done,
  Failed: ExitCode.Failed,
  Superseded: ExitCode.Failed,
  Errored: ExitCode.Unknown,
  Aborted: ExitCode.Interrupted,
};

export function exitCodeOfOutcome(outcome: OutcomeKind): number {
  return OF_OUTCOME[outcome];
}

const BAD_INPUT: ReadonlySet<string> = new Set([
  ErrorName.InvalidInput,
  ErrorName.InvalidEndpointId,
  ErrorName.InvalidCredential,
  ErrorName.RolloutNotFound,
  ErrorName.StackNotFound,
]);

const PLAIN_NO: ReadonlySet<string> = new Set([
  ErrorName.ApprovalNotWanted,
  ErrorName.DowngradeRefused,
  ErrorName.EmptyScope,
  ErrorName.InvalidTrigger,
  ErrorName.LeaseHeld,
  ErrorName.LeaseLost,
  ErrorName.ListenerRunning,
  ErrorName.NothingToRetry,
  ErrorName.OutsideWindow,
  ErrorName.PlanChanged,
  ErrorName.PortUnavailable,
  ErrorName.RolloutClosed,
  ErrorName.RolloutFailed,
  ErrorName.StaleTrigger,
  ErrorName.UnknownRuntime,
  ErrorName.UpstreamConflict,
  ErrorName.UpstreamNotFound,
  ErrorName.UpstreamRejected,
  ErrorName.VersionStepRefused,
  ErrorName.VersionUnknown,
]);

export function exitCodeOfError(error: unknown): number {
  if (error instanceof Interrupted) return ExitCode.Interrupted;
  const name = errorNameOf(error);
  if (BAD_INPUT.has(name)) return ExitCode.BadInput;
  return PLAIN_NO.has(name) ? ExitCode.Failed : ExitCode.Unknown;
}

/** A person ended the command. The message says what that means. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}
