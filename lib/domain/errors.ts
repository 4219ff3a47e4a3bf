/**
 * The names of every error that steproll throws. The name is the contract: Lambda hands it to the
 * state machine, the state machine matches it in Retry and Catch, and people search for it.
 */
export const ErrorName = {
  /** The caller's input is wrong. The message lists all faults at once. */
  InvalidInput: 'InvalidInput',
  /** An endpoint id that cannot stand in a URL path: empty, `.`, `..`, control characters, lone surrogates, too long. */
  InvalidEndpointId: 'InvalidEndpointId',
  /** A token that cannot stand in a header. */
  InvalidCredential: 'InvalidCredential',
  /** The secret store did not give the secret. */
  SecretUnavailable: 'SecretUnavailable',

  /** The runtime has no endpoints that a rollout may touch. */
  EmptyScope: 'EmptyScope',
  /** The rollout would take an endpoint to a version below its own, and the policy does not allow that. */
  DowngradeRefused: 'DowngradeRefused',
  /** Waves mean endpoints by an attribute that no endpoint has, so all of them would be in the last wave. */
  AttributeUnknown: 'AttributeUnknown',
  /** All of a ring, or of a wave of names, is pinned, and what comes after it would be rolled untried. */
  WavePinned: 'WavePinned',
  /** The version is further above what is live than the policy allows. */
  VersionStepRefused: 'VersionStepRefused',
  /** The runtime does not have the version, or the endpoint that it should be taken from has none that can be taken. */
  VersionUnknown: 'VersionUnknown',
  /** The service has no way to stop an endpoint. */
  StopUnsupported: 'StopUnsupported',
  /** The service cannot list the versions of a runtime. */
  VersionsUnsupported: 'VersionsUnsupported',
  /** The fleet has changed since the plan was shown. */
  PlanChanged: 'PlanChanged',
  /** A gate of the policy asks what nobody can answer: a host that is not allowed, or an alarm that cannot be read. */
  GateUnanswerable: 'GateUnanswerable',
  /** No rollout may start now, and this one may not wait: a deployment window is closed, or there is a freeze. */
  OutsideWindow: 'OutsideWindow',
  /** A gate says no before anything is rolled, and this rollout may not wait until it says yes. */
  GateRed: 'GateRed',
  /** Somebody holds what would start, and this rollout may not wait. */
  Held: 'Held',
  /** The version is in quarantine for this runtime, and nobody has said that it is wanted again. */
  Quarantined: 'Quarantined',
  /** Somebody asks less than the configuration, where that is locked. */
  PolicyLocked: 'PolicyLocked',
  /** Somebody else is rolling endpoints of the plan to another version. */
  InOtherHands: 'InOtherHands',
  /** There is no such hold, or it is over. */
  NotHeld: 'NotHeld',
  /** A trigger that breaks the agreed format: it has an unknown key, no version, or a time in the future. */
  InvalidTrigger: 'InvalidTrigger',
  /** The trigger came too late. A newer one may have replaced it. */
  StaleTrigger: 'StaleTrigger',
  /** A trigger, or a group under way, names a runtime that the configuration does not know, or no longer. */
  UnknownRuntime: 'UnknownRuntime',
  /** Another rollout holds the runtime's lease. */
  LeaseHeld: 'LeaseHeld',
  /** Another rollout took over this rollout's lease, or this rollout is closed: it must not write any more. */
  LeaseLost: 'LeaseLost',
  /** The rollout has ended, so it takes no more signals. */
  RolloutClosed: 'RolloutClosed',
  /** The ledger knows no such rollout. */
  RolloutNotFound: 'RolloutNotFound',
  /** The state was written by a version of steproll that this one does not understand. */
  IncompatibleState: 'IncompatibleState',
  /** The ledger could not be read or written. */
  LedgerUnavailable: 'LedgerUnavailable',

  /** There is no such CloudFormation stack, or steproll did not make it. */
  StackNotFound: 'StackNotFound',
  /** AWS cannot be reached, gives no access, or does not allow the request. */
  AwsUnavailable: 'AwsUnavailable',
  /** No wave of the rollout waits for an approval, or another wave does. */
  ApprovalNotWanted: 'ApprovalNotWanted',
  /** No wave of the rollout bakes, or another wave does. */
  NothingBakes: 'NothingBakes',
  /** The rollout is run by a steproll that does not know the signal. */
  NotUnderstood: 'NotUnderstood',
  /** The rollout has succeeded or is under way, so there is nothing to retry. */
  NothingToRetry: 'NothingToRetry',
  /** The rollout has rolled nothing that could go back. */
  NothingToRevert: 'NothingToRevert',

  /** The event bus did not take an event, or nobody knows whether it did. */
  EventsUnavailable: 'EventsUnavailable',

  /** Two reads of the list do not agree, one read contradicts itself, or most of the fleet is suddenly missing. */
  ListUnstable: 'ListUnstable',
  /** A write was sent and no answer came. Only a fresh read shows what happened. */
  OutcomeUnknown: 'OutcomeUnknown',
  /** No complete answer came before the call's deadline. */
  UpstreamTimeout: 'UpstreamTimeout',
  /** A network failure, or HTTP 5xx, 408 or 425: worth another try. */
  UpstreamTransient: 'UpstreamTransient',
  /** HTTP 429, or 503 with Retry-After: worth another try, later. */
  UpstreamThrottled: 'UpstreamThrottled',
  /** HTTP 401 after a fresh token, or 403. */
  UpstreamAuth: 'UpstreamAuth',
  /** The role of a function does not allow a call of AWS: often a later deployment took the permission. */
  PermissionMissing: 'PermissionMissing',
  /** HTTP 404. */
  UpstreamNotFound: 'UpstreamNotFound',
  /** HTTP 409 or 423, or what `wire.laterStatuses` says: the endpoint is busy, and the same request may succeed later. */
  UpstreamConflict: 'UpstreamConflict',
  /** Any other HTTP 4xx: the service says no. */
  UpstreamRejected: 'UpstreamRejected',
  /** HTTP 3xx. A redirect is never followed, because a redirected stop may turn into a GET. */
  UpstreamRedirect: 'UpstreamRedirect',
  /** The answer does not match the interface. */
  UpstreamProtocol: 'UpstreamProtocol',
  /** A proxy of the environment does not let the call through. */
  UpstreamProxy: 'UpstreamProxy',
  /** One side does not trust the other's certificate, or there is no TLS at all. */
  UpstreamTls: 'UpstreamTls',
  /** The answer is larger than the limit. */
  ResponseTooLarge: 'ResponseTooLarge',

  /** The port cannot be used: another program has it, or it is not a port number. */
  PortUnavailable: 'PortUnavailable',
  /** Another listener uses the state directory. */
  ListenerRunning: 'ListenerRunning',

  /** The rollout ended without success. This is the error of the failed execution. */
  RolloutFailed: 'RolloutFailed',
} as const;

/** The HTTP statuses of `UpstreamConflict`, where `wire.laterStatuses` says nothing else: a conflict, and what is locked. */
export const LATER_STATUSES: readonly number[] = [409, 423];

export type ErrorName = (typeof ErrorName)[keyof typeof ErrorName];

export interface SteprollErrorOptions extends ErrorOptions {
  /** The rollout that holds the lease. Only `LeaseHeld` has it. */
  readonly holder?: string;
  /** HTTP status of the answer, when there was one. */
  readonly httpStatus?: number;
  /** Seconds the service asked us to wait. */
  readonly retryAfterSeconds?: number;
  /** What was asked for is gone, and does not come back by itself. */
  readonly isGone?: true;
}

/** The one error class. Match on `name`, never on the message. */
export class SteprollError extends Error {
  override readonly name: ErrorName;
  readonly httpStatus: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly holder: string | undefined;
  readonly isGone: boolean;

  constructor(name: ErrorName, message: string, options: SteprollErrorOptions = {}) {
    super(message, options);
    this.name = name;
    this.httpStatus = options.httpStatus;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.holder = options.holder;
    this.isGone = options.isGone === true;
  }
}

/** The stable name of anything thrown. An error that is not ours keeps its own name. */
export function errorNameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'Error';
}

export function errorMessageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
