import { Aspects, RemovalPolicy } from 'aws-cdk-lib';
import { Alarm, type IAlarmAction } from 'aws-cdk-lib/aws-cloudwatch';
import { type IManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam';
import type { ILayerVersion } from 'aws-cdk-lib/aws-lambda';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct, IConstruct } from 'constructs';
import { invalidInput } from '../../contract/input/parse-input.ts';
import { WORKFLOW_FUNCTIONS } from '../../workflow/functions.ts';

/** Alarms that are there together, or not at all. docs/operations.md lists what is in each. */
export const ALARM_GROUPS = [
  'rollouts',
  'steps',
  'throttling',
  'janitor',
  'triggers',
  'notifications',
] as const;
export type AlarmGroup = (typeof ALARM_GROUPS)[number];

/** Only those alarms without which nobody would know: a rollout failed, a trigger started nothing, the sweep does not run. */
export const LEAN = 'lean';

const FUNCTION_NAMES = [
  ...WORKFLOW_FUNCTIONS,
  'list',
  'create',
  'start',
  'janitor',
  'sweep',
] as const;
export type RolloutFunctionName = (typeof FUNCTION_NAMES)[number];

export interface AlarmSettings {
  /** Which alarms there are. @default - all */
  readonly groups?: readonly AlarmGroup[] | undefined;
  /** What else happens when an alarm rings. @default - nothing but the message to the topic of `notifications` */
  readonly actions?: readonly IAlarmAction[] | undefined;
  /** What happens when an alarm is silent again. @default - nothing */
  readonly okActions?: readonly IAlarmAction[] | undefined;
}

/** How the resources of a deployment are set, without any effect on rollouts. */
export interface Tuning {
  /** How long the logs of functions and workflow are kept. @default - three months */
  readonly logRetention?: RetentionDays | undefined;
  /**
   * What becomes of the ledger's table, and of the key that the construct makes, when the stack goes. With `RETAIN` the
   * table is protected against deletion. Versions of functions are always kept, because executions under way call them.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly removalPolicy?: RemovalPolicy.RETAIN | RemovalPolicy.DESTROY | undefined;
  /** Whether there is a dashboard. @default true */
  readonly dashboard?: boolean | undefined;
  /**
   * Which alarms there are (`groups`), and what else happens (`actions`, `okActions`). `lean` leaves three: a rollout
   * failed, a trigger started nothing, the sweep does not run.
   *
   * @default - all alarms, which publish to the topic of `notifications`
   */
  readonly alarms?: AlarmSettings | typeof LEAN | undefined;
  /** Memory of each function, in MB: at least 256. @default 512 */
  readonly memorySize?: number | undefined;
  /** Executions that are reserved for a function, and the most that it has: at least 1. @default - none */
  readonly reservedConcurrency?: Readonly<Partial<Record<RolloutFunctionName, number>>> | undefined;
  /** Layers of all functions. @default - none */
  readonly layers?: readonly ILayerVersion[] | undefined;
  /** The boundary of all roles. @default - none */
  readonly permissionsBoundary?: IManagedPolicy | undefined;
}

const LEAST_MEMORY = 256;

const KEY = 'steproll:tuning';

/**
 * Sets how everything below a construct is tuned, before anything is there.
 *
 * @throws `InvalidInput` that lists every mistake.
 */
export function tune(scope: Construct, tuning: Tuning): void {
  const { memorySize = LEAST_MEMORY, reservedConcurrency = {}, removalPolicy } = tuning;
  const alarms = tuning.alarms === LEAN ? {} : tuning.alarms;
  const mistakes = [
    ...(memorySize < LEAST_MEMORY ? [`memorySize: use at least ${LEAST_MEMORY}`] : []),
    ...Object.entries(reservedConcurrency).flatMap(([name, most]) => [
      ...(FUNCTION_NAMES.some((one) => one === name)
        ? []
        : [`reservedConcurrency.${name}: use one of ${FUNCTION_NAMES.join(', ')}`]),
      ...(most < 1 ? [`reservedConcurrency.${name}: use at least 1`] : []),
    ]),
    ...(removalPolicy === undefined || REMOVALS.has(removalPolicy)
      ? []
      : ['removalPolicy: use RETAIN or DESTROY']),
    ...(alarms?.groups ?? [])
      .filter((group) => !ALARM_GROUPS.includes(group))
      .map(() => `alarms.groups: use some of ${ALARM_GROUPS.join(', ')}`),
  ];
  if (mistakes.length > 0) throw invalidInput('configuration', mistakes);
  scope.node.setContext(KEY, tuning);
  if (tuning.permissionsBoundary !== undefined) {
    PermissionsBoundary.of(scope).apply(tuning.permissionsBoundary);
  }
  addActions(scope, alarms);
}

const REMOVALS: ReadonlySet<string> = new Set([RemovalPolicy.RETAIN, RemovalPolicy.DESTROY]);

/** This is an aspect, because triggers may add alarms until the synthesis. */
function addActions(scope: IConstruct, { actions = [], okActions = [] }: AlarmSettings = {}): void {
  if (actions.length + okActions.length === 0) return;
  Aspects.of(scope).add({
    visit: (construct) => {
      if (!(construct instanceof Alarm)) return;
      construct.addAlarmAction(...actions);
      construct.addOkAction(...okActions);
    },
  });
}

/** How the constructs at this place of the tree are tuned. */
export function tuningOf(scope: Construct) {
  const tuning: Tuning = scope.node.tryGetContext(KEY) ?? {};
  return {
    dashboard: true,
    memorySize: 512,
    logRetention: RetentionDays.THREE_MONTHS,
    removalPolicy: RemovalPolicy.RETAIN,
    ...withoutUndefined(tuning),
  };
}

function withoutUndefined(tuning: Tuning): {
  readonly [Key in keyof Tuning]?: Exclude<Tuning[Key], undefined>;
} {
  return Object.fromEntries(Object.entries(tuning).filter(([, value]) => value !== undefined));
}
