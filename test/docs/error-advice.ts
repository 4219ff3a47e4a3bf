import type { ErrorName } from '../../lib/domain/errors.ts';
import type { OutcomeKind } from '../../lib/domain/rollout/outcome.ts';

/** What helps after an error. A new error name does not compile until it has a line here. */
export interface Advice {
  readonly helps: string;
  /** It never is the reason of a rollout: only commands print it, or it keeps a trigger from becoming a rollout. @default - it may be */
  readonly only?: 'commands' | 'triggers';
}

const SERVICE = 'Wait for the service, or start again: `steproll rollout retry ID`.';

export const ADVICE: Readonly<Record<ErrorName, Advice>> = {
  InvalidInput: { helps: 'Correct what the message names; it lists all faults at once.' },
  InvalidEndpointId: { helps: 'Correct the id; `steproll agent runtime endpoint list` shows all.' },
  InvalidCredential: {
    helps: 'Correct the token: control characters and line breaks cannot be sent.',
  },
  SecretUnavailable: { helps: 'Give the secret, or the permission to read it; then retry.' },
  EmptyScope: {
    helps: 'Check `--select`, `--exclude` and `selection`; stopped endpoints are left out.',
  },
  DowngradeRefused: { helps: 'If it is meant: `--allow-downgrade`.' },
  AttributeUnknown: {
    helps:
      'See whether the list still says it (`steproll agent runtime endpoint list RUNTIME --all`), and whether `wire.endpoint.attributes` names it.',
  },
  WavePinned: {
    helps: '`--unpin ID` passes a pin once; `steproll hold lift ID --reason WHY` ends it.',
  },
  VersionStepRefused: { helps: 'If it is meant: `--max-version-step N`.' },
  VersionUnknown: { helps: 'Name another version; with `--version-from` an endpoint at rest.' },
  StopUnsupported: { helps: 'Choose `roll-back` or `hold` for `onFailure`.' },
  VersionsUnsupported: { helps: 'Give the number of the version.' },
  PlanChanged: { helps: 'Look at the plan again: `steproll rollout plan`, with the same options.' },
  GateUnanswerable: { helps: '`steproll config check FILE` names each gate and why.' },
  OutsideWindow: { helps: 'Wait for the window, or `--any-time`.' },
  GateRed: {
    helps: 'Fix what the gate shows, or `"redAtStart": "ignore"` if the rollout is the fix.',
  },
  Held: { helps: '`steproll hold list`, then `steproll hold lift ID --reason WHY`.' },
  Quarantined: { helps: 'Roll another version; if it is meant, `--again` by hand.' },
  PolicyLocked: {
    helps:
      'Ask for at least as much as the configuration; see [locked fields](security.md#locked-fields).',
  },
  InOtherHands: { helps: 'Wait until the endpoints are at rest; if it is meant, `--take-over`.' },
  NotHeld: { helps: '`steproll hold list` shows what is held.', only: 'commands' },
  InvalidTrigger: { helps: 'Correct the event; the message names the key.', only: 'triggers' },
  StaleTrigger: { helps: 'Announce the release again.' },
  UnknownRuntime: {
    helps: 'Give the runtime an entry in `runtimes`, or the group one in `groups`.',
  },
  LeaseHeld: { helps: 'Wait for that rollout, or abort it: `steproll rollout abort ID`.' },
  LeaseLost: { helps: '`steproll rollout list RUNTIME` shows which rollout has the runtime now.' },
  RolloutClosed: {
    helps: '`steproll rollout show ID` says how it ended; `revert` takes it back.',
    only: 'commands',
  },
  RolloutNotFound: {
    helps: '`steproll rollout list`; `--engine` says where it is looked for.',
    only: 'commands',
  },
  IncompatibleState: {
    helps: 'Use the steproll that wrote the ledger; the message says what to do.',
  },
  LedgerUnavailable: {
    helps:
      '[On one machine](runbook.md#the-ledger-of-this-machine-cannot-be-written), [on AWS](runbook.md#throttled-by-aws).',
  },
  StackNotFound: { helps: 'Check `--stack`, `AWS_PROFILE` and `AWS_REGION`.', only: 'commands' },
  AwsUnavailable: {
    helps: 'Check credentials, region and [permissions](permissions.md#people-and-pipelines).',
    only: 'commands',
  },
  ApprovalNotWanted: { helps: '`steproll rollout show ID` says what it is at.', only: 'commands' },
  NothingBakes: { helps: '`steproll rollout show ID` says what it is at.', only: 'commands' },
  NotUnderstood: {
    helps: 'An older steproll runs it: `steproll rollout abort ID`, or wait.',
    only: 'commands',
  },
  NothingToRetry: { helps: 'Start a rollout instead, or wait for its end.', only: 'commands' },
  NothingToRevert: { helps: 'Nothing is to do.' },
  EventsUnavailable: { helps: 'Start the listener, or check the bus and the permission.' },
  ListUnstable: { helps: 'Try again once the list no longer changes; check `wire.page`.' },
  OutcomeUnknown: { helps: 'Read the list before you send it again.' },
  UpstreamTimeout: { helps: SERVICE },
  UpstreamTransient: { helps: SERVICE },
  UpstreamThrottled: { helps: 'Wait as long as the service asks; lower `maxUnavailable`.' },
  UpstreamAuth: {
    helps:
      '[Rotate or correct the credentials](how-to/maintain.md#rotate-credentials), then retry.',
  },
  PermissionMissing: {
    helps:
      'Name the earlier configuration under [`retired`](deploy.md#upgrade) and deploy, then retry.',
  },
  UpstreamNotFound: { helps: 'Check both ids and the path prefix of the URL.' },
  UpstreamConflict: { helps: 'Wait until the endpoint is at rest, then retry.' },
  UpstreamRejected: { helps: 'The message quotes the service: correct that, then retry.' },
  UpstreamRedirect: { helps: 'Give the URL to which the service redirects.' },
  UpstreamProtocol: { helps: 'Check the base URL and [`wire`](services.md#json-names).' },
  UpstreamProxy: { helps: 'Check the [proxies](network.md#proxies) and `NO_PROXY`.' },
  UpstreamTls: {
    helps: 'Name the authority or a client certificate in [`tls`](network.md#certificates).',
  },
  ResponseTooLarge: { helps: 'Ask for smaller pages.' },
  PortUnavailable: { helps: '`--port N`; 0 takes any that is free.', only: 'commands' },
  ListenerRunning: {
    helps: 'End the other listener, or use another `STEPROLL_STATE_DIR`.',
    only: 'commands',
  },
  RolloutFailed: {
    helps: 'The error of an execution on AWS: `steproll rollout show ID` says why.',
    only: 'commands',
  },
};

/** How a rollout ends that no error ended. */
export interface EndingReason {
  readonly outcome: OutcomeKind;
  readonly means: string;
  readonly helps: string;
}

const RETRY = 'Fix the cause, then `steproll rollout retry ID`.';
const NEWER =
  'Roll a newer version; `steproll rollout revert ID`, if some endpoints still have it.';
const JANITOR = '[The janitor had work](runbook.md#the-janitor-had-work).';

export const ENDING_REASONS: Readonly<Record<string, EndingReason>> = {
  Aborted: {
    outcome: 'Aborted',
    means: 'A person ended it.',
    helps: '`retry` goes on, `revert` takes back.',
  },
  ApprovalTimedOut: {
    outcome: 'Failed',
    means: 'Nobody approved the wave in time.',
    helps: 'Start it again: `steproll rollout retry ID`.',
  },
  AllPinned: {
    outcome: 'Superseded',
    means:
      'All of the first wave was [pinned](holds.md#pins) meanwhile, so nothing has tried the version.',
    helps: '`steproll rollout retry ID` plans without what is pinned.',
  },
  Converged: {
    outcome: 'Succeeded',
    means: 'Every endpoint of the plan is live on the version.',
    helps: '',
  },
  ConvergedWithinThreshold: {
    outcome: 'Succeeded',
    means: 'The same, except losses that `failureThreshold` tolerates.',
    helps: 'Look at the endpoints that the message names.',
  },
  ConvergedWithoutPinned: {
    outcome: 'Succeeded',
    means: 'The same, except endpoints that were [pinned](holds.md#pins) meanwhile.',
    helps: '',
  },
  EndpointFailed: { outcome: 'Failed', means: 'An endpoint has a failed status.', helps: RETRY },
  EndpointUnknown: {
    outcome: 'Errored',
    means:
      'The list does not say how an endpoint is, or has a [status that nobody knows](services.md#status-words).',
    helps: 'Write the line of the message into the policy, then retry or revert.',
  },
  EndpointVanished: {
    outcome: 'Failed',
    means: 'An endpoint is gone from the list.',
    helps: RETRY,
  },
  ExecutionAborted: {
    outcome: 'Aborted',
    means: 'The execution was stopped in Step Functions.',
    helps: JANITOR,
  },
  ExecutionFailed: {
    outcome: 'Errored',
    means: 'The execution failed, and no step could end the rollout.',
    helps: JANITOR,
  },
  ExecutionNotFound: {
    outcome: 'Errored',
    means: 'The lease ran out, and Step Functions knows no such execution.',
    helps: JANITOR,
  },
  ExecutionWithoutOutcome: {
    outcome: 'Errored',
    means: 'The execution ended and left no outcome.',
    helps: JANITOR,
  },
  GateFailed: {
    outcome: 'Failed',
    means: 'A gate failed twice, or a check before a wave once.',
    helps: NEWER,
  },
  GateUnknown: {
    outcome: 'Errored',
    means: 'A gate gave no answer until the deadline.',
    helps: 'Fix the gate and retry, or revert: nothing was taken back.',
  },
  GaveWay: {
    outcome: 'Superseded',
    means: 'A newer rollout asked it to give way.',
    helps: 'Nothing is to do.',
  },
  Interrupted: {
    outcome: 'Aborted',
    means: 'Ctrl-C or SIGTERM ended its process.',
    helps: '`retry` goes on, `revert` takes back.',
  },
  LiveRegressed: {
    outcome: 'Failed',
    means: 'An endpoint was live on the version, and is no longer well, gone or elsewhere.',
    helps: NEWER,
  },
  NothingToDo: {
    outcome: 'Succeeded',
    means: 'Every endpoint was on the version already.',
    helps: '',
  },
  Overtaken: {
    outcome: 'Superseded',
    means: 'A newer rollout began while it waited; it has rolled nothing.',
    helps: 'Nothing is to do.',
  },
  Rejected: { outcome: 'Failed', means: 'A person rejected the wave.', helps: NEWER },
  RollNotStarted: {
    outcome: 'Failed',
    means: 'The service was asked twice, and no list shows the roll.',
    helps: RETRY,
  },
  Stalled: {
    outcome: 'Failed',
    means: 'No endpoint of the wave got further until the progress deadline.',
    helps: RETRY,
  },
  Superseded: {
    outcome: 'Superseded',
    means: 'Somebody else has moved endpoints of the plan.',
    helps: 'Nothing, if that was intended.',
  },
  TakenBack: {
    outcome: 'Failed',
    means: 'The service, or somebody, took an endpoint back to an earlier version.',
    helps: NEWER,
  },
  TimedOut: {
    outcome: 'Errored',
    means: 'The execution ran for longer than 14 days.',
    helps: JANITOR,
  },
};
