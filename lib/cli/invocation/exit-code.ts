import { type ErrorName, errorNameOf } from '../../domain/errors.ts';
import type { Outcome, OutcomeKind } from '../../domain/rollout/outcome.ts';

/** What the command line does about an error. A new error name does not compile until it has a line here. */
interface Answer {
  /** What the error says to whoever typed the command: it was typed wrong, no, or that nobody knows. */
  readonly says: 'mistake' | 'no' | 'unknown';
  /** What may be wrong in the settings, so that the command line says where it took that from. @default - nothing */
  readonly source?: 'address' | 'credentials';
  /** The state of a rollout cannot be read now, so a command that watches it waits. @default - it can */
  readonly isSilence?: true;
}

const ANSWERS: Readonly<Record<ErrorName, Answer>> = {
  InvalidInput: { says: 'mistake' },
  InvalidEndpointId: { says: 'mistake' },
  InvalidCredential: { says: 'mistake' },
  SecretUnavailable: { says: 'unknown', source: 'credentials' },

  EmptyScope: { says: 'no' },
  DowngradeRefused: { says: 'no' },
  AttributeUnknown: { says: 'no' },
  WavePinned: { says: 'no' },
  VersionStepRefused: { says: 'no' },
  VersionUnknown: { says: 'no' },
  StopUnsupported: { says: 'mistake' },
  VersionsUnsupported: { says: 'mistake' },
  PlanChanged: { says: 'no' },
  GateUnanswerable: { says: 'mistake' },
  OutsideWindow: { says: 'no' },
  GateRed: { says: 'no' },
  Held: { says: 'no' },
  Quarantined: { says: 'no' },
  PolicyLocked: { says: 'mistake' },
  InOtherHands: { says: 'no' },
  NotHeld: { says: 'no' },
  InvalidTrigger: { says: 'no' },
  StaleTrigger: { says: 'no' },
  UnknownRuntime: { says: 'no' },
  LeaseHeld: { says: 'no' },
  LeaseLost: { says: 'no' },
  RolloutClosed: { says: 'no' },
  RolloutNotFound: { says: 'mistake' },
  IncompatibleState: { says: 'unknown' },
  LedgerUnavailable: { says: 'unknown', isSilence: true },

  StackNotFound: { says: 'mistake' },
  AwsUnavailable: { says: 'unknown', isSilence: true },
  ApprovalNotWanted: { says: 'no' },
  NothingBakes: { says: 'no' },
  NotUnderstood: { says: 'no' },
  NothingToRetry: { says: 'no' },
  NothingToRevert: { says: 'no' },
  EventsUnavailable: { says: 'unknown' },

  ListUnstable: { says: 'unknown' },
  OutcomeUnknown: { says: 'unknown' },
  UpstreamTimeout: { says: 'unknown', source: 'address' },
  UpstreamTransient: { says: 'unknown', source: 'address' },
  UpstreamThrottled: { says: 'unknown' },
  UpstreamAuth: { says: 'unknown', source: 'credentials' },
  PermissionMissing: { says: 'unknown' },
  UpstreamNotFound: { says: 'no', source: 'address' },
  UpstreamConflict: { says: 'no' },
  UpstreamRejected: { says: 'no' },
  UpstreamRedirect: { says: 'unknown', source: 'address' },
  UpstreamProtocol: { says: 'unknown', source: 'address' },
  UpstreamProxy: { says: 'unknown', source: 'address' },
  UpstreamTls: { says: 'unknown', source: 'address' },
  ResponseTooLarge: { says: 'unknown' },

  PortUnavailable: { says: 'no' },
  ListenerRunning: { says: 'no' },
  RolloutFailed: { says: 'no' },
};

/** An error that is not ours leaves everything unknown. */
export function answerTo(name: string): Answer {
  return Object.hasOwn(ANSWERS, name) ? ANSWERS[name as ErrorName] : { says: 'unknown' };
}

/** The exit codes of every command. Scripts rely on them. */
export const ExitCode = {
  Done: 0,
  /** The rollout failed, was refused, or was superseded. One that was refused for a mistake in what was asked: 2. */
  Failed: 1,
  BadInput: 2,
  /** The result is unknown: the service or the ledger did not answer. */
  Unknown: 3,
  Interrupted: 130,
} as const;

const OF_OUTCOME: Readonly<Record<OutcomeKind, number>> = {
  Succeeded: ExitCode.Done,
  Failed: ExitCode.Failed,
  Refused: ExitCode.Failed,
  Superseded: ExitCode.Failed,
  Errored: ExitCode.Unknown,
  Aborted: ExitCode.Interrupted,
};

/** A refusal of what was asked wrongly is bad input, wherever it is found. */
export function exitCodeOfOutcome({
  outcome,
  reason,
}: Pick<Outcome, 'outcome' | 'reason'>): number {
  const isMistake = outcome === 'Refused' && answerTo(reason).says === 'mistake';
  return isMistake ? ExitCode.BadInput : OF_OUTCOME[outcome];
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
