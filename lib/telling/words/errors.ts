import { commandOf } from '../../domain/command.ts';
import { ErrorName, errorMessageOf, errorNameOf } from '../../domain/errors.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import type { Outcome } from '../../domain/rollout/outcome.ts';
import type { AskedRollout, RolloutSummary } from '../../domain/rollout/record.ts';
import { type Left, leftAfter, type NextStep, nextStepsAfter } from '../story/next-steps.ts';
import { plainLines, plainText } from '../text.ts';
import type { RolloutView } from '../view/rollout-view.ts';

type ToldStep = RolloutView['next'][number];

export interface AboutRollout {
  /** Id of the rollout that the error is about. @default - not known, so the command is the one that finds it */
  readonly rolloutId?: string | undefined;
  /** Id of the runtime that the error is about. @default - not known, so it is left out */
  readonly runtimeId?: string | undefined;
  /** The version that was asked for. @default - not known, so it is left to the reader */
  readonly version?: string | number | null | undefined;
  /** The arguments with which a command finds the engine. @default - none */
  readonly engine?: string;
  /** The configuration that was named. @default - none was */
  readonly config?: string | undefined;
}

/**
 * What helps, and the command for it with `ID`, `RUNTIME`, `VERSION` and `FILE` to be filled in. The words have no full
 * stop, because another hint may follow.
 */
type Hint = readonly [purpose: string, command?: string];

const TO_SEE: Hint = ['To see what was done', 'rollout show ID'];
const TO_SEE_LATER: Hint = ['To see what has rolled it since then', 'rollout show ID'];
const TO_SEE_PHASE: Hint = ['To see what it is at', 'rollout show ID'];
const TO_SEE_HOLDS: Hint = ['To see all holds', 'hold list'];
const TO_FIND: Hint = ['To find that rollout', 'rollout list RUNTIME'];

/** What helps after an error. Of others, their own sentences say everything. */
const HINTS: Readonly<Partial<Record<ErrorName, readonly Hint[]>>> = {
  EmptyScope: [
    ['To see the endpoints', 'agent runtime endpoint list RUNTIME --all'],
    ['--select and --exclude choose among them'],
  ],
  DowngradeRefused: [
    [
      'If it is meant, start a new rollout',
      'rollout start RUNTIME --version VERSION --allow-downgrade',
    ],
  ],
  AttributeUnknown: [
    ['To see the endpoints', 'agent runtime endpoint list RUNTIME --all'],
    ['wire.endpoint.attributes names the fields of the list that are attributes'],
    ['--waves sizes: without rings, if that is meant'],
  ],
  WavePinned: [['To see all pins', 'hold list']],
  VersionStepRefused: [
    [
      'If it is meant, start a new rollout',
      'rollout start RUNTIME --version VERSION --max-version-step STEP',
    ],
  ],
  VersionUnknown: [
    ['To say another version: --version N'],
    ['With --version-from, to name one endpoint by its id: --version-from id:ID'],
  ],
  PlanChanged: [
    [
      'To see the plan as it is now, with the same options',
      'rollout plan RUNTIME --version VERSION',
    ],
    ['Its fingerprint is for --plan'],
  ],
  GateUnanswerable: [['To try all of a configuration', 'config check FILE']],
  OutsideWindow: [['If it cannot wait', 'rollout retry ID --any-time']],
  GateRed: [
    ['To see what its gates say now', 'config check FILE'],
    ['If the rollout is the fix, say "redAtStart": "ignore" in verify'],
  ],
  Held: [TO_SEE_HOLDS],
  Quarantined: [
    ['If it is meant, start it by hand', 'rollout start RUNTIME --version VERSION --again'],
  ],
  InOtherHands: [
    ['To see where they are', 'agent runtime endpoint list RUNTIME'],
    ['If it is meant, start it with --take-over'],
  ],
  NotHeld: [TO_SEE_HOLDS],
  LeaseHeld: [
    ['To see that rollout', 'rollout show ID'],
    ['To follow it', 'rollout watch ID'],
    ['To end it', 'rollout abort ID'],
  ],
  LeaseLost: [['To see which rollout has the runtime now', 'rollout list RUNTIME']],
  RolloutClosed: [TO_SEE],
  RolloutNotFound: [
    ['To see what there is', 'rollout list'],
    ['--engine says where it is looked for'],
    ['A release that was refused has started none: docs/runbook.md'],
  ],
  ApprovalNotWanted: [TO_SEE_PHASE],
  NothingBakes: [TO_SEE_PHASE],
  NotUnderstood: [['To end it where it is', 'rollout abort ID']],
  UpstreamProxy: [
    ['To see which calls go through which proxy', 'config check FILE'],
    ['Hosts that NO_PROXY names are called directly'],
  ],
  UpstreamTls: [
    [
      'tls.ca in a configuration names authorities to trust, tls.cert and tls.key a client certificate: docs/network.md',
    ],
  ],
  PortUnavailable: [['To use another port: --port N'], ['0 takes any that is free']],
};

const STEPS: Readonly<Record<NextStep, Hint>> = {
  'take-back': ['To take back what was rolled', 'rollout revert ID'],
  'roll-rest': ['To roll what is left', 'rollout retry ID'],
  'try-again': ['To try again, once the cause is gone', 'rollout retry ID'],
  'start-again': ['To start it again', 'rollout retry ID'],
  'start-afresh': [
    'To start it afresh, since every endpoint is as it was before',
    'rollout retry ID',
  ],
  'roll-newer': ['To roll a newer version', 'rollout start RUNTIME --version N'],
};

/** Whether what helps after an error names the runtime. */
export function namesRuntime(name: string, about: AboutRollout): boolean {
  return hintsOn(name, about).some(([, command]) => command?.includes(' RUNTIME'));
}

/** What helps after an error, in one line. There is no line when the error's own sentences say everything. */
export function hintsFor(name: string, about: AboutRollout): string[] {
  return inOneLine(hintsOn(name, about), about);
}

/** What helps after a rollout that did not succeed, in one line. What helps most comes first. */
export function hintsAfter(ended: Outcome, left: Left, about: AboutRollout): string[] {
  if (ended.outcome === 'Succeeded') return [];
  const hints = hintsFor(ended.reason, about);
  if (hints.length > 0) return hints;
  const steps = nextStepsAfter(ended, left).map((step) => STEPS[step]);
  return inOneLine([...steps, TO_SEE, ...toLift(left)], about);
}

function toLift({ quarantine }: Left): readonly Hint[] {
  if (quarantine === undefined) return [];
  const purpose = 'To lift the quarantine of the version, if it was not at fault';
  return [[purpose, `hold lift ${quarantine} --reason WHY`]];
}

/**
 * The same one by one, for those who look at what was done already.
 *
 * @param engine As `AboutRollout` has it.
 * @param then What has rolled the runtime since. @default - nothing has, or nobody has looked
 */
export function stepsAfter(
  record: AskedRollout,
  engine: string,
  then: Pick<RolloutSummary, 'rolloutId'> | null = null,
): readonly ToldStep[] {
  const { outcome, request } = record;
  if (outcome === null) return [];
  // What may be done now follows from the rollout that came last.
  if (then !== null) {
    return [{ step: null, ...fillIn(TO_SEE_LATER, { rolloutId: then.rolloutId, engine }) }];
  }
  if (outcome.outcome === 'Succeeded') return [];
  const { runtimeId, desiredVersion: version } = request;
  // What helps then is about the rollout that has the lease.
  const rolloutId = outcome.reason === ErrorName.LeaseHeld ? undefined : request.rolloutId;
  const about = { rolloutId, runtimeId, version, engine };
  const hints = hintsOn(outcome.reason, about);
  if (hints.length > 0) return hints.map((hint) => ({ step: null, ...fillIn(hint, about) }));
  const steps = nextStepsAfter(outcome, leftAfter(record));
  return steps.map((step) => ({ step, ...fillIn(STEPS[step], about) }));
}

function hintsOn(name: string, { rolloutId, runtimeId }: AboutRollout): readonly Hint[] {
  const hints = Object.hasOwn(HINTS, name) ? (HINTS[name as ErrorName] ?? []) : [];
  const nameThe = (what: string) => hints.some(([, command]) => command?.includes(what));
  // What a group rolls are runtimes, which no command lists.
  if (groupNameOf(runtimeId ?? '') !== null && nameThe(' endpoint list ')) return [];
  return rolloutId === undefined && nameThe(' ID') ? [TO_FIND] : hints;
}

function inOneLine(hints: readonly Hint[], about: AboutRollout): string[] {
  const [first, ...others] = hints.map((hint) => describeStep(fillIn(hint, about)));
  const rest = others.map((one) => `; ${one.charAt(0).toLowerCase()}${one.slice(1)}`);
  return first === undefined ? [] : [`${first}${rest.join('')}.`];
}

export function describeStep({ purpose, command }: Pick<ToldStep, 'purpose' | 'command'>): string {
  return command === null ? purpose : `${purpose}: "${command}"`;
}

function fillIn(
  [purpose, command]: Hint,
  about: AboutRollout,
): Pick<ToldStep, 'purpose' | 'command'> {
  const { rolloutId, runtimeId, version, engine = '', config = 'FILE' } = about;
  if (command === undefined) return { purpose, command: null };
  const known: Readonly<Record<string, readonly string[]>> = {
    ID: [rolloutId ?? 'ID'],
    RUNTIME: runtimeId === undefined ? [] : asArguments(runtimeId),
    VERSION: [`${version ?? 'N'}`],
    FILE: [config],
  };
  const words = command.split(' ').flatMap((word) => known[word] ?? [word]);
  return { purpose, command: plainText(commandOf(words, engine)) };
}

/** How people name what a rollout rolls: a runtime, or a group. */
export function asArguments(runtimeId: string): readonly string[] {
  const group = groupNameOf(runtimeId);
  return group === null ? [runtimeId] : ['--group', group];
}

/** An error that people can read and scripts can search for: its name, then its sentences. */
export function describeError(error: unknown): string {
  const message = plainLines(errorMessageOf(error));
  const name = errorNameOf(error);
  // The list of mistakes has its own heading.
  return name === ErrorName.InvalidInput ? message : `${name}: ${message}`;
}
