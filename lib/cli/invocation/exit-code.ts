import { type ErrorName, errorNameOf } from '../../domain/errors.ts';
import type { OutcomeKind } from '../../domain/rollout/outcome.ts';

/** What the command line does about an error. A new error name does not compile until it has a line here. */
interface Answer {
  /** What the error says to whoever typed the command: it was typed wrong, no, or that nobody knows. */
  readonly says: 'mistake' | 'no' | 'unknown';
  /** The command that helps. @default - the error's own sentences say everything */
  readonly hint?: string;
  /** What may be wrong in the settings, so that the command line says where it took that from. @default - nothing */
  readonly source?: 'address' | 'credentials';
  /** The state of a rollout cannot be read now, so a command that watches it waits. @default - it can */
  readonly isSilence?: true;
}

/** The sentence has no full stop, because another command may follow. */
export const TO_SEE = 'To see what was done: "steproll rollout show ID"';

const TO_SEE_PHASE = 'To see what it is at: "steproll rollout show ID".';
const TO_SEE_HOLDS = 'To see all holds: "steproll hold list".';

const ANSWERS: Readonly<Record<ErrorName, Answer>> = {
  InvalidInput: { says: 'mistake' },
  InvalidEndpointId: { says: 'mistake' },
  InvalidCredential: { says: 'mistake' },
  SecretUnavailable: { says: 'unknown', source: 'credentials' },

  EmptyScope: {
    says: 'no',
    hint: 'To see the endpoints: "steproll agent runtime endpoint list RUNTIME --all"; --select and --exclude choose among them.',
  },
  DowngradeRefused: {
    says: 'no',
    hint: 'If it is meant, start a new rollout: "steproll rollout start RUNTIME --version VERSION --allow-downgrade".',
  },
  VersionStepRefused: {
    says: 'no',
    hint: 'If it is meant, start a new rollout: "steproll rollout start RUNTIME --version VERSION --max-version-step STEP".',
  },
  VersionUnknown: {
    says: 'no',
    hint: 'To say another version: --version N; with --version-from, to name one endpoint by its id: --version-from id:ID.',
  },
  StopUnsupported: { says: 'mistake' },
  VersionsUnsupported: { says: 'mistake' },
  PlanChanged: {
    says: 'no',
    hint: 'To see the plan as it is now: "steproll rollout plan" with the same options; its fingerprint is for --plan.',
  },
  GateUnanswerable: {
    says: 'mistake',
    hint: 'To try all of a configuration: "steproll config check FILE".',
  },
  OutsideWindow: {
    says: 'no',
    hint: 'If it cannot wait: "steproll rollout retry ID --any-time".',
  },
  GateRed: {
    says: 'no',
    hint: 'To see what its gates say now: "steproll config check FILE"; if the rollout is the fix, say "redAtStart": "ignore" in verify.',
  },
  Held: { says: 'no', hint: TO_SEE_HOLDS },
  Quarantined: { says: 'no', hint: 'If it is meant, start it with --again.' },
  InOtherHands: {
    says: 'no',
    hint: 'To see where they are: "steproll agent runtime endpoint list RUNTIME". If it is meant, start it with --take-over.',
  },
  NotHeld: { says: 'no', hint: TO_SEE_HOLDS },
  InvalidTrigger: { says: 'no' },
  StaleTrigger: { says: 'no' },
  UnknownRuntime: { says: 'no' },
  LeaseHeld: {
    says: 'no',
    hint: 'To see that rollout: "steproll rollout show ID" or "steproll rollout watch ID"; to end it: "steproll rollout abort ID".',
  },
  LeaseLost: {
    says: 'no',
    hint: 'To see which rollout has the runtime now: "steproll rollout list RUNTIME".',
  },
  RolloutClosed: { says: 'no', hint: `${TO_SEE}.` },
  RolloutNotFound: {
    says: 'mistake',
    hint: 'To see what there is: "steproll rollout list"; --engine says where it is looked for. A release that was refused has started none: docs/runbook.md.',
  },
  IncompatibleState: { says: 'unknown' },
  LedgerUnavailable: { says: 'unknown', isSilence: true },

  StackNotFound: { says: 'mistake' },
  AwsUnavailable: { says: 'unknown', isSilence: true },
  ApprovalNotWanted: { says: 'no', hint: TO_SEE_PHASE },
  NothingBakes: { says: 'no', hint: TO_SEE_PHASE },
  NotUnderstood: {
    says: 'no',
    hint: 'To end it where it is: "steproll rollout abort ID".',
  },
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
  UpstreamProxy: {
    says: 'unknown',
    source: 'address',
    hint: 'To see which calls go through which proxy: "steproll config check FILE"; NO_PROXY names hosts that are called directly.',
  },
  UpstreamTls: {
    says: 'unknown',
    source: 'address',
    hint: 'tls.ca in a configuration names authorities to trust, tls.cert and tls.key a client certificate: docs/network.md.',
  },
  ResponseTooLarge: { says: 'unknown' },

  PortUnavailable: {
    says: 'no',
    hint: 'To use another port: --port N; 0 takes any that is free.',
  },
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
