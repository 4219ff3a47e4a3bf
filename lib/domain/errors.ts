/**
 * The names of every error that steproll throws. The name is the contract: Lambda hands it to the
 * state machine, the state machine matches it in Retry and Catch, and people search for it.
 */
export const ErrorName = {
  /** The caller's input is wrong. The message lists every fault at once. */
  InvalidInput: 'InvalidInput',
  /** An endpoint id that cannot stand in a URL path: empty, `.`, `..`, control characters, lone surrogates, too long. */
  InvalidEndpointId: 'InvalidEndpointId',
  /** A token that cannot stand in a header. */
  InvalidCredential: 'InvalidCredential',
  /** The secret store did not give the secret. */
  SecretUnavailable: 'SecretUnavailable',

  /** Nothing to select from: the runtime has no endpoints that a rollout may touch. */
  EmptyScope: 'EmptyScope',
  /** The rollout would take an endpoint to a version below its own, and the policy does not allow that. */
  DowngradeRefused: 'DowngradeRefused',
  /** The version is further above what is live than the policy allows. */
  VersionStepRefused: 'VersionStepRefused',
  /** The endpoint to take the version from has none that could be taken. */
  VersionUnknown: 'VersionUnknown',
  /** The fleet is not what the plan was shown for. */
  PlanChanged: 'PlanChanged',
  /** No rollout may start now, and this one may not wait: a deployment window is closed, or there is a freeze. */
  OutsideWindow: 'OutsideWindow',
  /** A trigger that is not what was agreed on: a key too many, no version, a time that is still to come. */
  InvalidTrigger: 'InvalidTrigger',
  /** The trigger came too late: what it asks for may have been overtaken. */
  StaleTrigger: 'StaleTrigger',
  /** The trigger names a runtime that the configuration does not know. */
  UnknownRuntime: 'UnknownRuntime',
  /** Another rollout holds the runtime's lease. */
  LeaseHeld: 'LeaseHeld',
  /** This rollout's lease was taken over, or the rollout is closed: write nothing more. */
  LeaseLost: 'LeaseLost',
  /** The rollout has ended: there is nothing left to say to it. */
  RolloutClosed: 'RolloutClosed',
  /** The ledger knows no such rollout. */
  RolloutNotFound: 'RolloutNotFound',
  /** The state was written by a version of steproll that this one does not understand. */
  IncompatibleState: 'IncompatibleState',
  /** The ledger could not be read or written. */
  LedgerUnavailable: 'LedgerUnavailable',

  /** There is no such CloudFormation stack, or it is none of steproll's. */
  StackNotFound: 'StackNotFound',
  /** AWS cannot be reached, gives no access, or does not allow what was asked for. */
  AwsUnavailable: 'AwsUnavailable',
  /** No wave of the rollout waits for a person's word, or it is another one. */
  ApprovalNotWanted: 'ApprovalNotWanted',
  /** The rollout has succeeded or is under way: there is nothing to do once more. */
  NothingToRetry: 'NothingToRetry',

  /** The event bus did not take an event, or it cannot be known whether it did. */
  EventsUnavailable: 'EventsUnavailable',

  /** Reads of the list do not agree, one contradicts itself, or it suddenly lacks most of the fleet. */
  ListUnstable: 'ListUnstable',
  /** A write was sent and no answer came back: only a fresh read tells what happened. */
  OutcomeUnknown: 'OutcomeUnknown',
  /** No complete answer before the call's deadline. */
  UpstreamTimeout: 'UpstreamTimeout',
  /** Network failure, 5xx, 408 or 425: worth another try. */
  UpstreamTransient: 'UpstreamTransient',
  /** 429, or 503 with Retry-After: worth another try, later. */
  UpstreamThrottled: 'UpstreamThrottled',
  /** 401 after a fresh token, or 403. */
  UpstreamAuth: 'UpstreamAuth',
  /** 404. */
  UpstreamNotFound: 'UpstreamNotFound',
  /** 409. */
  UpstreamConflict: 'UpstreamConflict',
  /** Any other 4xx: the service says no. */
  UpstreamRejected: 'UpstreamRejected',
  /** 3xx: never followed, because a redirected stop may turn into a GET. */
  UpstreamRedirect: 'UpstreamRedirect',
  /** An answer that is not what the interface says. */
  UpstreamProtocol: 'UpstreamProtocol',
  /** The server's certificate is not trusted. */
  UpstreamTls: 'UpstreamTls',
  /** The answer is larger than the limit. */
  ResponseTooLarge: 'ResponseTooLarge',

  /** The port cannot be listened on: another program has it, or it is none. */
  PortUnavailable: 'PortUnavailable',
  /** Another listener has the state directory. */
  ListenerRunning: 'ListenerRunning',

  /** The rollout ended, and not with success: the error of the failed execution. */
  RolloutFailed: 'RolloutFailed',
} as const;

export type ErrorName = (typeof ErrorName)[keyof typeof ErrorName];

export interface SteprollErrorOptions extends ErrorOptions {
  /** Of `LeaseHeld`: the rollout that holds the lease. */
  readonly holder?: string;
  /** HTTP status of the answer, when there was one. */
  readonly httpStatus?: number;
  /** Seconds the service asked us to wait. */
  readonly retryAfterSeconds?: number;
}

/** The one error class. Match on `name`, never on the message. */
export class SteprollError extends Error {
  override readonly name: ErrorName;
  readonly httpStatus: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly holder: string | undefined;

  constructor(name: ErrorName, message: string, options: SteprollErrorOptions = {}) {
    super(message, options);
    this.name = name;
    this.httpStatus = options.httpStatus;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.holder = options.holder;
  }
}

/** The stable name of anything thrown; what we did not throw ourselves keeps the name it has. */
export function errorNameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'Error';
}

export function errorMessageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
