import { Annotations, Aws, Stack } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { ALLOWED_ORIGINS, checkOrigins } from '../contract/config/allowed-origins.ts';
import { type Config, parseConfig } from '../contract/config/config.ts';
import type { ReleaseSourceInput } from '../contract/config/releases.ts';
import type { RolloutSchedule } from '../contract/config/schedules.ts';
import type { ServiceSettings } from '../contract/config/service.ts';
import { DEFAULT_TRIGGERS, type Triggers } from '../contract/config/triggers.ts';
import { invalidInput } from '../contract/parsing/parse-input.ts';
import { SERVICES } from '../contract/service/services.ts';
import type { WorkflowFunction } from '../workflow/functions.ts';
import { Encryption } from './blocks/encryption.ts';
import { areTooManyToName, MOST_NAMED_RUNTIMES } from './blocks/grants.ts';
import type { EndpointRolloutsProps, TriggerSettings } from './endpoint-rollouts-props.ts';
import { OperationFunctions, WorkflowFunctions } from './flow/functions.ts';
import { Janitor } from './flow/janitor.ts';
import { RolloutLedger } from './flow/ledger.ts';
import { RolloutStateMachine } from './flow/state-machine.ts';
import { OnCall } from './on-call/on-call.ts';
import { ReleaseBus } from './triggers/releases.ts';
import { RolloutTriggers } from './triggers/triggers.ts';

export type RolloutFunctionName =
  | WorkflowFunction
  | 'list'
  | 'create'
  | 'start'
  | 'janitor'
  | 'sweep';

/**
 * Rolls the endpoints of one service to a version, wave by wave: the workflow with its functions and its ledger, and
 * the triggers of rollouts.
 */
export class EndpointRollouts extends Construct {
  /** Base URL of the service. */
  readonly endpointUrl: string;
  /** The workflow. An execution of it is a rollout. */
  readonly stateMachine: StateMachine;
  /** The table of the ledger: the history of all rollouts. It outlives the stack. */
  readonly table: Table;
  /** The bus on which releases are announced. */
  readonly bus: EventBus;
  /** Triggers that started nothing. */
  readonly queue: IQueue;
  /** All functions, by name. Pipelines may call `list`, `create`, `roll` and `stop` directly. */
  readonly functions: Readonly<Record<RolloutFunctionName, IFunction>>;
  /** Gets notifications and alarms. It exists only with `notifications`. */
  readonly topic: ITopic | undefined;
  /**
   * Encrypts the data of the stack. It exists only with `kmsKey`. A key that the construct made outlives the stack.
   */
  readonly key: IKey | undefined;

  private props: EndpointRolloutsProps;
  private readonly releases: ReleaseBus;
  private readonly triggers: RolloutTriggers;

  /**
   * @throws `InvalidInput` that lists every mistake in the props, or an origin that is not allowed, or the runtimes that
   *   another construct of the app rolls.
   */
  constructor(scope: Construct, id: string, props: EndpointRolloutsProps) {
    super(scope, id);
    const config = parseConfig(props);
    refuseNoRuntime(config);
    warnOfEveryRuntime(this, config);
    checkOrigins(config, this.node.root.node.tryGetContext(ALLOWED_ORIGINS));
    const { name = 'steproll', runtimes, groups = {}, triggers = DEFAULT_TRIGGERS } = config;
    const { accounts, maxAgeSeconds } = triggers;
    const { table } = new RolloutLedger(this, 'Ledger');
    this.releases = new ReleaseBus(this, 'Releases', { name, otherAccounts: accounts });
    const { bus } = this.releases;
    const operations = new OperationFunctions(this, 'Operations', { config });
    const { lambdas } = new WorkflowFunctions(this, 'Steps', { config, table, bus });
    const { stateMachine } = new RolloutStateMachine(this, 'Workflow', {
      lambdas,
      hasGroups: Object.keys(groups).length > 0,
    });
    const janitor = new Janitor(this, 'Janitor', { stateMachine, table, bus });
    this.triggers = new RolloutTriggers(this, 'Triggers', {
      name,
      bus,
      accounts,
      maxAgeSeconds,
      runtimes: Object.keys(runtimes),
      groups: Object.keys(groups),
      stateMachineArn: stateMachine.stateMachineArn,
      table,
    });
    for (const source of triggers.releases) this.triggers.addRelease(source);
    for (const schedule of triggers.schedules) this.triggers.addSchedule(schedule);

    this.props = props;
    this.endpointUrl = urlOf(config.service);
    this.refuseShared(config);
    this.stateMachine = stateMachine;
    this.table = table;
    this.bus = bus;
    this.queue = this.triggers.queue;
    const { lambda: start } = this.triggers;
    this.functions = { ...operations.lambdas, ...lambdas, start, ...janitor.lambdas };
    const onCall = new OnCall(this, 'OnCall', {
      name,
      bus,
      stateMachine,
      table,
      steps: lambdas,
      functions: this.functions,
      queues: { triggers: this.queue, janitor: janitor.queue },
      notifications: config.notifications,
    });
    this.topic = onCall.topic;
    const { kmsKey } = config;
    this.key =
      kmsKey === undefined
        ? undefined
        : new Encryption(this, 'Encryption', { kmsKey, everythingIn: this }).key;
  }

  /**
   * Takes releases from the events of another system, on any bus of this account and region.
   *
   * @throws `InvalidInput` that lists every mistake, including an unknown runtime and a name that is used twice.
   */
  onRelease(source: ReleaseSourceInput): void {
    const { releases } = this.checkTriggers({ releases: [source] });
    const [added] = releases.slice(-1);
    if (added !== undefined) this.triggers.addRelease(added);
  }

  /**
   * Starts rollouts at set times.
   *
   * @throws `InvalidInput` that lists every mistake, including an unknown runtime and a name that is used twice.
   */
  onSchedule(schedule: RolloutSchedule): void {
    this.checkTriggers({ schedules: [schedule] });
    this.triggers.addSchedule(schedule);
  }

  /** Lets a role or user of this account announce releases on the bus, and do nothing else there. */
  grantRelease(grantee: IGrantable): Grant {
    return this.releases.grantRelease(grantee);
  }

  /** Two ledgers know nothing of each other, so two constructs for one runtime would push each other out. */
  private refuseShared({ service, runtimes }: Config): void {
    const { account } = Stack.of(this);
    const rolled = this.node.root.node.findAll().flatMap((other) => {
      if (!(other instanceof EndpointRollouts) || other === this) return [];
      // The runtimes of AgentCore are those of an account.
      const isSame =
        other.endpointUrl === this.endpointUrl &&
        (service.kind === 'rest' || Stack.of(other).account === account);
      const own = Object.keys(other.props.runtimes ?? {});
      return isSame ? own.map((runtime) => ({ runtime, by: other.node.path })) : [];
    });
    const shared = rolled.filter(({ runtime }) => runtime in runtimes);
    if (shared.length === 0) return;
    throw invalidInput(
      'configuration',
      shared.map(({ runtime, by }) => {
        return `runtimes.${runtime}: ${by} rolls it already, at the same service; name it in one of them only`;
      }),
    );
  }

  /** Checks triggers as if they were in the props, together with all others, and answers all of them. */
  private checkTriggers({ releases = [], schedules = [] }: TriggerSettings): Triggers {
    const { triggers } = this.props;
    const props = {
      ...this.props,
      triggers: {
        ...triggers,
        releases: [...(triggers?.releases ?? []), ...releases],
        schedules: [...(triggers?.schedules ?? []), ...schedules],
      },
    };
    const { triggers: checked = DEFAULT_TRIGGERS } = parseConfig(props);
    this.props = props;
    return checked;
  }
}

/** Permissions name the runtimes, and without any of them every call would be refused. */
function refuseNoRuntime({ service, runtimes }: Config): void {
  if (service.kind !== 'agentcore' || Object.keys(runtimes).length > 0) return;
  throw invalidInput('configuration', [
    `runtimes: missing; name at least one, because on AWS the permissions for ${SERVICES.agentcore.name} are given for each runtime`,
  ]);
}

/** Nobody should get wider permissions than the configuration names without reading it. */
function warnOfEveryRuntime(scope: Construct, { service, runtimes }: Config): void {
  if (service.kind !== 'agentcore' || !areTooManyToName(runtimes)) return;
  Annotations.of(scope).addWarningV2(
    'steproll:everyRuntime',
    `runtimes: roles have room for the names of ${MOST_NAMED_RUNTIMES}, and these are ${Object.keys(runtimes).length}. So the functions may create and update endpoints of every runtime of the account in ${service.region}: docs/agentcore.md, "Permissions"`,
  );
}

/** For AgentCore this is the URL that the AWS SDK finds for itself. */
function urlOf(service: ServiceSettings): string {
  return service.kind === 'rest'
    ? service.endpointUrl
    : `https://bedrock-agentcore-control.${service.region}.${Aws.URL_SUFFIX}`;
}
