import { createHash } from 'node:crypto';
import { Annotations, Aws, Lazy, Stack, Token } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Connections, type IConnectable } from 'aws-cdk-lib/aws-ec2';
import type { EventBus, IEventBus } from 'aws-cdk-lib/aws-events';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { ALLOWED_ORIGINS, checkOrigins } from '../contract/config/allowed-origins.ts';
import type { Config } from '../contract/config/config.ts';
import type { ReleaseSource } from '../contract/config/releases.ts';
import type { RolloutSchedule } from '../contract/config/schedules.ts';
import type { ServiceSettings } from '../contract/config/service.ts';
import { DEFAULT_TRIGGERS } from '../contract/config/triggers.ts';
import { invalidInput } from '../contract/input/parse-input.ts';
import { SERVICES, urlOfResource } from '../contract/service/services.ts';
import type {
  EndpointRolloutsProps,
  ReleaseSourceProps,
  TriggerSettings,
} from './endpoint-rollouts-props.ts';
import { OperationFunctions, WorkflowFunctions } from './flow/functions.ts';
import { Janitor } from './flow/janitor.ts';
import { RolloutLedger } from './flow/ledger.ts';
import { RolloutStateMachine } from './flow/state-machine.ts';
import { GivenProps } from './given-props.ts';
import { OnCall } from './on-call/on-call.ts';
import { addOutputs, outputsIdOf } from './outputs.ts';
import { Encryption } from './resources/encryption.ts';
import { areTooManyToName, MOST_NAMED_RUNTIMES } from './resources/grants.ts';
import { reachedRuntimes, refuseOnAws } from './resources/needed-rights.ts';
import { refuseAgentCoreElsewhere } from './resources/partition.ts';
import { ServiceNetwork } from './resources/service-network.ts';
import { type RolloutFunctionName, tune } from './resources/tuning.ts';
import { ReleaseBus } from './triggers/releases.ts';
import { RolloutTriggers } from './triggers/triggers.ts';

/**
 * Rolls the endpoints of one service to a version, wave by wave: the workflow with its functions and its ledger, and
 * the triggers of rollouts.
 */
export class EndpointRollouts extends Construct implements IConnectable {
  /** Base URL of the service. */
  readonly endpointUrl: string;
  /** The workflow. An execution of it is a rollout. */
  readonly stateMachine: StateMachine;
  /** The table of the ledger: the history of all rollouts. It outlives the stack. */
  readonly table: Table;
  /** For how many days rollouts that have ended stay in it. `undefined`: for ever. */
  readonly historyDays: number | undefined;
  /** The bus on which releases are announced. */
  readonly bus: EventBus;
  /** Triggers that started nothing. */
  readonly queue: IQueue;
  /** All functions, by name. Pipelines may call `list`, `create`, `roll` and `stop` directly. */
  readonly functions: Readonly<Record<RolloutFunctionName, IFunction>>;
  /** Gets notifications and alarms. It exists only with `notifications`. */
  readonly topic: ITopic | undefined;
  /** Gets them in the form of AWS's chat integration. It exists only with `notifications.chat`. */
  readonly chatTopic: ITopic | undefined;
  /**
   * Encrypts the data of the stack. It exists only with `kmsKey`. A key that the construct made outlives the stack.
   */
  readonly key: IKey | undefined;

  /** With `network`: of the functions that call the service. A service lets them in by it. */
  readonly connections: Connections;

  private readonly name: string;
  private props: EndpointRolloutsProps;
  private readonly ledger: RolloutLedger;
  private readonly releases: ReleaseBus;
  private readonly triggers: RolloutTriggers;

  /**
   * @throws `InvalidInput` that lists every mistake in the props, or an origin that is not allowed, or the runtimes that
   *   another construct of the app rolls.
   */
  constructor(scope: Construct, id: string, props: EndpointRolloutsProps) {
    super(scope, id);
    const given = new GivenProps(props);
    const { config } = given;
    tune(this, props);
    refuseNoRuntime(config);
    refuseAgentCoreElsewhere(this, config.service);
    warnOfEveryRuntime(this, config);
    const origins: unknown = this.node.root.node.tryGetContext(ALLOWED_ORIGINS);
    const urls = checkOrigins(given.checked, origins, (url) => given.isLate(url));
    const { name = DEFAULT_NAME, runtimes, groups = {}, triggers = DEFAULT_TRIGGERS } = config;
    this.name = name;
    this.props = props;
    this.endpointUrl = urlOf(config.service);
    this.refuseTwice();
    this.refuseShared(config);
    refuseOnAws(config);
    const ruleName = shortened(name);
    const { accounts, maxAgeSeconds, once } = triggers;
    this.ledger = new RolloutLedger(this, 'Ledger');
    const { table } = this.ledger;
    this.releases = new ReleaseBus(this, 'Releases', { name, otherAccounts: accounts });
    const { bus } = this.releases;
    const network = props.network && new ServiceNetwork(this, 'Network', props.network, config);
    this.connections = network?.connections ?? new Connections();
    const stackName = Lazy.string({ produce: () => this.calledInCommands() });
    const operations = new OperationFunctions(this, 'Operations', { config, urls, network });
    const { lambdas } = new WorkflowFunctions(this, 'Steps', {
      ...{ config, urls, network },
      ...{ table, bus, stackName },
    });
    const { stateMachine } = new RolloutStateMachine(this, 'Workflow', lambdas);
    const janitor = new Janitor(this, 'Janitor', {
      ...{ stateMachine, table, bus, stackName },
      network: network?.ofOthers,
      historyDays: config.historyDays,
    });
    this.triggers = new RolloutTriggers(this, 'Triggers', {
      name: ruleName,
      bus,
      accounts,
      maxAgeSeconds,
      once,
      of: config.service.kind === 'agentcore' ? config.service.of : 'runtime',
      runtimes: Object.keys(runtimes),
      groups: Object.keys(groups),
      stateMachineArn: stateMachine.stateMachineArn,
      table,
      network: network?.ofOthers,
    });
    for (const source of triggers.releases) this.addRelease(source, given);
    for (const schedule of triggers.schedules) this.triggers.addSchedule(schedule);

    this.stateMachine = stateMachine;
    this.table = table;
    this.historyDays = config.historyDays;
    this.bus = bus;
    this.queue = this.triggers.queue;
    const { lambda: start } = this.triggers;
    this.functions = { ...operations.lambdas, ...lambdas, start, ...janitor.lambdas };
    const onCall = new OnCall(this, 'OnCall', {
      ...{ name, ruleName },
      bus,
      stateMachine,
      table,
      steps: lambdas,
      functions: this.functions,
      queues: { triggers: this.queue, janitor: janitor.queue },
      notifications: config.notifications,
      topic: given.objectOf(config.notifications?.topicArn) as ITopic | undefined,
    });
    this.topic = onCall.topic;
    this.chatTopic = onCall.chatTopic;
    this.key = encrypt(this, config, given);
    if (props.outputs !== false) this.addOutputs(janitor.queue, onCall.queue);
  }

  /**
   * Takes releases from the events of another system, on any bus of this account and region.
   *
   * @throws `InvalidInput` that lists every mistake, including an unknown runtime and a name that is used twice.
   */
  onRelease(source: ReleaseSourceProps): void {
    const { triggers, given } = this.checkTriggers({ releases: [source] });
    const [added] = triggers.releases.slice(-1);
    if (added !== undefined) this.addRelease(added, given);
  }

  private addRelease(source: ReleaseSource, given: GivenProps): void {
    const bus = source.kind === 'agentcore' ? undefined : source.bus;
    this.triggers.addRelease(source, given.objectOf(bus) as IEventBus | undefined);
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

  /** Lets a role or user of this account approve and reject waves in its own name, and change nothing else. */
  grantApprove(grantee: IGrantable): Grant {
    return this.ledger.grantApprove(grantee);
  }

  private addOutputs(janitorQueue: IQueue, notificationsQueue: IQueue | undefined): void {
    addOutputs(this, {
      EndpointUrl: this.endpointUrl,
      StateMachineArn: this.stateMachine.stateMachineArn,
      TableName: this.table.tableName,
      HistoryDays: this.historyDays?.toString(),
      EventBusName: this.bus.eventBusName,
      TriggersQueueUrl: this.queue.queueUrl,
      JanitorQueueUrl: janitorQueue.queueUrl,
      NotificationsQueueUrl: notificationsQueue?.queueUrl,
      TopicArn: this.topic?.topicArn,
      ChatTopicArn: this.chatTopic?.topicArn,
      KeyArn: this.key?.keyArn,
      ...functionNames(this.functions),
    });
  }

  /** What `--stack` takes. Whether it needs the id is known at the synthesis, when all instances are there. */
  private calledInCommands(): string {
    const stack = Stack.of(this);
    const isAlone = this.othersInApp().every((other) => Stack.of(other) !== stack);
    return isAlone ? stack.stackName : `${stack.stackName}/${outputsIdOf(this)}`;
  }

  private othersInApp(): EndpointRollouts[] {
    const all = this.node.root.node.findAll();
    return all.filter((one) => one instanceof EndpointRollouts).filter((one) => one !== this);
  }

  /** Buses, rules and dashboards are named after the instance. CloudFormation would notice in the middle of a deployment. */
  private refuseTwice(): void {
    const isSamePlace = (other: EndpointRollouts): boolean => {
      const [here, there] = [Stack.of(this), Stack.of(other)];
      if (here === there) return true;
      const known = [here.account, here.region, there.account, there.region];
      if (known.some((one) => Token.isUnresolved(one))) return false;
      return here.account === there.account && here.region === there.region;
    };
    const twin = this.othersInApp().find((other) => other.name === this.name && isSamePlace(other));
    if (twin === undefined) return;
    throw invalidInput('configuration', [
      `name: ${twin.node.path} has the same name, account and region; each instance needs its own name`,
    ]);
  }

  /** Two ledgers know nothing of each other, so two constructs for one runtime would push each other out. */
  private refuseShared({ service, runtimes }: Config): void {
    const { account } = Stack.of(this);
    const rolled = this.othersInApp().flatMap((other) => {
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
  private checkTriggers({ releases = [], schedules = [] }: TriggerSettings) {
    const { triggers } = this.props;
    const props = {
      ...this.props,
      triggers: {
        ...triggers,
        releases: [...(triggers?.releases ?? []), ...releases],
        schedules: [...(triggers?.schedules ?? []), ...schedules],
      },
    };
    const given = new GivenProps(props);
    this.props = props;
    return { triggers: given.config.triggers ?? DEFAULT_TRIGGERS, given };
  }
}

const DEFAULT_NAME = 'steproll';

/** The name of a rule has at most 64 characters, and the trigger's part takes up to 50 of them. */
const MOST_OF_A_RULE = 14;

/** The first part of the names of rules. */
function shortened(name: string): string {
  if (name.length <= MOST_OF_A_RULE) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 6);
  return `${name.slice(0, MOST_OF_A_RULE - 1 - hash.length)}-${hash}`;
}

/** `RollFunctionName` and the others. */
function functionNames(functions: Readonly<Record<string, IFunction>>): Record<string, string> {
  const all = Object.entries(functions).map(([name, { functionName }]) => {
    return [`${name.charAt(0).toUpperCase()}${name.slice(1)}FunctionName`, functionName];
  });
  return Object.fromEntries(all);
}

/** Permissions name the runtimes, and without any of them every call would be refused. */
function refuseNoRuntime({ service, runtimes }: Config): void {
  if (service.kind !== 'agentcore' || Object.keys(runtimes).length > 0) return;
  throw invalidInput('configuration', [
    `runtimes: missing; name at least one, because on AWS the permissions for ${SERVICES.agentcore.name} are given for each runtime`,
  ]);
}

/** Nobody should get wider permissions than the configuration names without reading it. */
function warnOfEveryRuntime(scope: Construct, { service, ...config }: Config): void {
  const runtimes = reachedRuntimes(config);
  if (service.kind !== 'agentcore' || !areTooManyToName(runtimes)) return;
  Annotations.of(scope).addWarningV2(
    'steproll:everyRuntime',
    `runtimes: roles have room for the names of ${MOST_NAMED_RUNTIMES}, and these are ${runtimes.length}. So the functions may create and update endpoints of every runtime of the account in ${service.region}: docs/permissions.md, "AgentCore"`,
  );
}

/** The key that encrypts all below the construct. `undefined`: the keys of AWS do. */
function encrypt(everythingIn: Construct, { kmsKey }: Config, props: GivenProps): IKey | undefined {
  if (kmsKey === undefined) return undefined;
  const given = props.objectOf(kmsKey) as IKey | undefined;
  return new Encryption(everythingIn, 'Encryption', { kmsKey, given, everythingIn }).key;
}

/** For AgentCore this is the URL that the AWS SDK finds for itself. */
function urlOf(service: ServiceSettings): string {
  return service.kind === 'rest'
    ? service.endpointUrl
    : urlOfResource(
        `https://bedrock-agentcore-control.${service.region}.${Aws.URL_SUFFIX}`,
        service.of,
      );
}
