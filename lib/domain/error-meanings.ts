import type { ErrorName } from './errors.ts';

/** What an error means for a rollout. A new error name does not compile until all of this is answered for it. */
interface ErrorMeaning {
  /**
   * How a rollout ends because of it. `Refused`: it says that the rollout may not begin. `Failed`: it is a clear no, and
   * not that the result is unknown.
   */
  readonly ending: 'Refused' | 'Failed' | 'Errored';
  /** Of a refusal: somebody has to mend something, or the next trigger of the same kind is refused as well. */
  readonly isMistake?: true;
  /**
   * What follows when the list of endpoints cannot be read because of it: read again, read again only once a list was
   * read, or end. Before anything was read, a missing runtime, a refused request, an answer of another shape, a redirect
   * and refused credentials are mistakes; only later they may be an accident, or a secret that is being replaced.
   */
  readonly list: 'again' | 'again-once-read' | 'end';
  /** Whether a write that failed with it may have been carried out. */
  readonly write: 'not-made' | 'in-doubt';
  /**
   * Whether the same roll may be sent again: as often as it takes, because the service throttles us, cannot be reached
   * or does not know us; later, as often as it takes but less and less often, because the endpoint is busy; a few times,
   * because the refusal may pass; or never, because the answer would be the same.
   */
  readonly roll: 'again' | 'later' | 'a-few-times' | 'never';
  /**
   * What it means for the other writes: nothing; that they would get the same error now; or that nobody is let in with
   * these credentials now, so that one write at a look is enough to learn when that is over.
   */
  readonly others: 'go' | 'not-now' | 'no-access';
  /** Whether a step that failed with it is run again. */
  readonly step: 'again' | 'end';
}

const UNKNOWN: ErrorMeaning = {
  ending: 'Errored',
  list: 'end',
  write: 'in-doubt',
  roll: 'never',
  others: 'go',
  step: 'end',
};
const REFUSAL: ErrorMeaning = { ...UNKNOWN, ending: 'Refused' };
const MISTAKE: ErrorMeaning = { ...REFUSAL, isMistake: true };
/** The write was not carried out. Once a write may have arrived, every error is `OutcomeUnknown`. */
const NOT_MADE: ErrorMeaning = { ...UNKNOWN, write: 'not-made' };
const NOT_NOW: ErrorMeaning = { ...NOT_MADE, others: 'not-now' };
/** Nothing can be asked or told in this way now. Of a write it says that nothing was sent. */
const UNUSABLE: ErrorMeaning = { ...NOT_NOW, list: 'again-once-read', roll: 'again' };
const NO_ACCESS: ErrorMeaning = { ...UNUSABLE, others: 'no-access' };

const MEANINGS: Readonly<Record<ErrorName, ErrorMeaning>> = {
  InvalidInput: MISTAKE,
  InvalidEndpointId: { ...NOT_MADE, ending: 'Refused', isMistake: true },
  InvalidCredential: NO_ACCESS,
  SecretUnavailable: NO_ACCESS,

  EmptyScope: MISTAKE,
  DowngradeRefused: REFUSAL,
  AttributeUnknown: REFUSAL,
  WavePinned: REFUSAL,
  VersionStepRefused: REFUSAL,
  VersionUnknown: MISTAKE,
  StopUnsupported: { ...NOT_MADE, ending: 'Refused', isMistake: true },
  VersionsUnsupported: MISTAKE,
  PlanChanged: REFUSAL,
  GateUnanswerable: MISTAKE,
  OutsideWindow: REFUSAL,
  GateRed: REFUSAL,
  Held: REFUSAL,
  Quarantined: REFUSAL,
  PolicyLocked: REFUSAL,
  InOtherHands: REFUSAL,
  NotHeld: UNKNOWN,
  InvalidTrigger: UNKNOWN,
  StaleTrigger: MISTAKE,
  UnknownRuntime: UNKNOWN,
  LeaseHeld: REFUSAL,
  LeaseLost: NOT_NOW,
  RolloutClosed: UNKNOWN,
  RolloutNotFound: UNKNOWN,
  IncompatibleState: UNKNOWN,
  LedgerUnavailable: { ...NOT_NOW, step: 'again' },

  StackNotFound: UNKNOWN,
  AwsUnavailable: UNKNOWN,
  ApprovalNotWanted: UNKNOWN,
  NothingBakes: UNKNOWN,
  NotUnderstood: UNKNOWN,
  NothingToRetry: UNKNOWN,
  NothingToRevert: REFUSAL,
  EventsUnavailable: UNKNOWN,

  ListUnstable: { ...UNKNOWN, list: 'again' },
  OutcomeUnknown: UNKNOWN,
  UpstreamTimeout: { ...NOT_NOW, list: 'again', roll: 'again' },
  UpstreamTransient: { ...NOT_MADE, list: 'again', roll: 'again' },
  UpstreamThrottled: { ...NOT_NOW, list: 'again', roll: 'again' },
  UpstreamAuth: NO_ACCESS,
  // The next deployment may give it back.
  PermissionMissing: NO_ACCESS,
  UpstreamNotFound: {
    ...NOT_MADE,
    ending: 'Failed',
    list: 'again-once-read',
    roll: 'a-few-times',
  },
  UpstreamConflict: { ...NOT_MADE, list: 'again', roll: 'later' },
  // A gateway, a firewall or a login page may have answered in its place.
  UpstreamRejected: { ...NOT_MADE, ending: 'Failed', list: 'again-once-read' },
  UpstreamRedirect: { ...NOT_MADE, list: 'again-once-read' },
  // Of a write it is the answer of the token endpoint.
  UpstreamProtocol: UNUSABLE,
  // Who runs the proxy may let it through meanwhile, and nothing has got further than the proxy.
  UpstreamProxy: UNUSABLE,
  // A certificate may be replaced, too, and nothing is sent to a server without a good one.
  UpstreamTls: UNUSABLE,
  ResponseTooLarge: UNUSABLE,

  PortUnavailable: UNKNOWN,
  ListenerRunning: UNKNOWN,
  RolloutFailed: UNKNOWN,
};

/** What an error of this name means. An error that is not ours leaves everything unknown. */
export function meaningOf(name: string): ErrorMeaning {
  return BY_NAME.get(name) ?? UNKNOWN;
}

/** Whether it is one of ours, which we throw on purpose. Any other one is a crash. */
export function isOurs(name: string): boolean {
  return BY_NAME.has(name);
}

/** Whether it says that a rollout may not begin. */
export function isRefusal(name: string): boolean {
  return meaningOf(name).ending === 'Refused';
}

/** Whether it says that somebody has to mend something, or the next start is refused as well. */
export function isMistake(name: string): boolean {
  return meaningOf(name).isMistake === true;
}

/** Whether it says that nobody is let in with these credentials now. */
export function isNoAccess(name: string): boolean {
  return meaningOf(name).others === 'no-access';
}

const BY_NAME: ReadonlyMap<string, ErrorMeaning> = new Map(Object.entries(MEANINGS));
