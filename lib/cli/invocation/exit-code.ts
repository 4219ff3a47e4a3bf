import { errorNameOf } from '../../domain/errors.ts';
import type { OutcomeKind } from '../../domain/rollout/outcome.ts';
import { answerTo } from './error-answers.ts';

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

const OF_ERROR = {
  mistake: ExitCode.BadInput,
  no: ExitCode.Failed,
  unknown: ExitCode.Unknown,
} as const;

export function exitCodeOfError(error: unknown): number {
  if (error instanceof Interrupted) return ExitCode.Interrupted;
  return OF_ERROR[answerTo(errorNameOf(error)).says];
}

/** A person ended the command. The message says what that means. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}
