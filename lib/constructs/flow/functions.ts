import { Duration } from 'aws-cdk-lib';
import { type Table, TableGrants } from 'aws-cdk-lib/aws-dynamodb';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { LateUrls } from '../../contract/config/allowed-origins.ts';
import type { Config } from '../../contract/config/config.ts';
import { POLICIES_FILE, policiesIn } from '../../contract/functions/code-files.ts';
import type { FunctionSettings } from '../../contract/functions/environment.ts';
import { RUNTIME_INDEX } from '../../contract/ledger/table.ts';
import { AHEAD, IN_BAKE } from '../../gates/gate.ts';
import { askedAt } from '../../gates/gates.ts';
import {
  FUNCTION_TIMEOUT_MARGIN_SECONDS,
  TASK_TIMEOUT_SECONDS,
  WORKFLOW_FUNCTIONS,
  type WorkflowFunction,
} from '../../workflow/functions.ts';
import { acknowledgeNoDeadLetters, EndpointFunction } from '../resources/endpoint-function.ts';
import { functionEnv } from '../resources/function-env.ts';
import { grantPublish, grantSecrets, grantService, type ServiceUse } from '../resources/grants.ts';
import { type AskedOf, gatesIn, secretsOfGates } from '../resources/needed-rights.ts';
import type { ServiceNetwork } from '../resources/service-network.ts';

/** How functions call the service. */
interface Calls {
  readonly config: Config;
  /** How functions check URLs that are not known yet. @default - all are known */
  readonly urls: LateUrls | undefined;
  /** The network from which the service is called. @default - the internet */
  readonly network: ServiceNetwork | undefined;
}

interface WorkflowFunctionsProps extends Calls {
  readonly table: Table;
  /** The bus on which the events of rollouts are published. */
  readonly bus: EventBus;
  /** What commands call the instance. */
  readonly stackName: string;
}

/** The functions that the workflow calls. Pipelines may call `roll` and `stop` directly. */
export class WorkflowFunctions extends Construct {
  readonly lambdas: Readonly<Record<WorkflowFunction, LambdaFunction>>;

  constructor(scope: Construct, id: string, props: WorkflowFunctionsProps) {
    super(scope, id);
    const { table, bus, stackName, ...calls } = props;
    const { config } = calls;
    const { historyDays } = config;
    // Only one step reads an index of the table, so the grants leave the indexes out.
    const tableGrants = new TableGrants({ table, hasIndex: false });
    const add = (name: WorkflowFunction): [WorkflowFunction, LambdaFunction] => {
      const spec = FUNCTIONS[name];
      const { tableActions, serviceUses, publishes } = spec;
      const timeout = Duration.seconds(
        TASK_TIMEOUT_SECONDS[name] - FUNCTION_TIMEOUT_MARGIN_SECONDS,
      );
      const settings = {
        tableName: table.tableName,
        ...(historyDays !== undefined && { historyDays }),
        ...(publishes && {
          eventBusName: bus.eventBusName,
          stackName,
        }),
      };
      // Only this function needs policies and groups: afterwards those of a rollout are in the ledger.
      const policies = name === 'openRollout' ? policiesIn(config) : undefined;
      const lambda = addFunction(this, name, { ...spec, timeout }, calls, settings, policies);
      tableGrants.actions(lambda, ...tableActions);
      if (name === 'openRollout') grantHistory(lambda, table);
      if (publishes) grantPublish(lambda, bus);
      grantService(lambda, config, serviceUses);
      const asked = ASKED_BY[name];
      if (asked !== undefined) grantGates(lambda, config, asked);
      return [name, lambda];
    };
    this.lambdas = Object.fromEntries(WORKFLOW_FUNCTIONS.map(add)) as WorkflowFunctions['lambdas'];
  }
}

/** A function whose callers wait for its answer. @param policies For the file beside its code. @default - none */
function addFunction(
  scope: Construct,
  id: string,
  spec: Pick<FunctionSpec, 'entry' | 'description' | 'serviceUses'> & {
    readonly timeout: Duration;
  },
  { config, urls, network }: Calls,
  more: Partial<FunctionSettings> = {},
  policies?: object,
): LambdaFunction {
  const { serviceUses, entry, description, timeout } = spec;
  const { service, tls, allowHttp } = config;
  const isCaller = serviceUses.length > 0;
  const settings = {
    ...(isCaller && { service }),
    // Most deployments say nothing of it.
    ...(isCaller && (tls ?? allowHttp) !== undefined && { network: { tls, allowHttp } }),
    ...(isCaller && urls && { urls }),
    ...more,
  };
  const { environment, file } = functionEnv(settings, policies);
  const { lambda } = new EndpointFunction(scope, id, {
    ...{ entry, description, timeout, environment },
    network: isCaller ? network : network?.ofOthers,
    ...(isCaller && { serviceKind: service.kind }),
    ...(policies && { file: { name: POLICIES_FILE, write: () => JSON.stringify(file) } }),
  });
  acknowledgeNoDeadLetters(lambda);
  return lambda;
}

/** The gates of a policy that functions ask. */
const ASKED_BY: Partial<Record<WorkflowFunction, AskedOf>> = {
  openRollout: (verify) => askedAt(verify, ['start', ...AHEAD]),
  look: (verify) => askedAt(verify, ['before-wave', ...IN_BAKE]),
};

/** It looks at the last rollouts of a runtime: how long rolls took, and whose endpoints are on their way already. */
function grantHistory(lambda: IFunction, { tableArn }: Table): void {
  lambda.addToRolePolicy(
    new PolicyStatement({
      actions: ['dynamodb:Query'],
      resources: [`${tableArn}/index/${RUNTIME_INDEX.name}`],
    }),
  );
}

/**
 * What gates of all policies need, with one statement for all that need the same resources.
 *
 * @param askedOf Which gates of a policy the function asks.
 */
function grantGates(lambda: IFunction, config: Config, askedOf: AskedOf): void {
  const asked = gatesIn(config, askedOf);
  const grants = asked.flatMap(({ gate, said }) => gate.needs?.(said).grants ?? []);
  for (const alike of Map.groupBy(grants, ({ resources }) => resources.join()).values()) {
    const actions = [...new Set(alike.flatMap((grant) => grant.actions))];
    const resources = [...(alike[0]?.resources ?? [])];
    lambda.addToRolePolicy(new PolicyStatement({ actions, resources }));
  }
  grantSecrets(lambda, secretsOfGates(asked));
}

/** What people answered is read at once, and holds together with the rollout's item. */
const READ_RECORD = ['dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:BatchGetItem'];
const CHANGE_ROLLOUT = [...READ_RECORD, 'dynamodb:UpdateItem'];
/** The plan, the entries of the journal and the lines of the log are separate items. */
const ADD_ITEMS = [...CHANGE_ROLLOUT, 'dynamodb:PutItem'];

interface FunctionSpec {
  readonly entry: string;
  readonly description: string;
  /** Everything that the function's step does to the ledger. */
  readonly tableActions: readonly string[];
  /** What it asks of the service. */
  readonly serviceUses: readonly ServiceUse[];
  /** Whether it publishes events of rollouts. */
  readonly publishes: boolean;
}

const FUNCTIONS: Readonly<Record<WorkflowFunction, FunctionSpec>> = {
  openRollout: {
    entry: 'open-rollout',
    description: 'Takes the lease of a runtime and freezes the plan of a rollout',
    tableActions: ADD_ITEMS,
    serviceUses: ['list', 'read-reasons', 'list-versions'],
    publishes: true,
  },
  roll: {
    entry: 'roll',
    description: 'Rolls endpoints to a version',
    tableActions: ADD_ITEMS,
    serviceUses: ['list', 'roll'],
    publishes: false,
  },
  look: {
    entry: 'look',
    description: 'Judges a wave: how far it has got, its bake, and its gates',
    tableActions: ADD_ITEMS,
    serviceUses: ['list', 'read-reasons'],
    publishes: true,
  },
  turnAround: {
    entry: 'turn-around',
    description: 'Plans the way back of a rollout that failed',
    tableActions: ADD_ITEMS,
    serviceUses: ['list'],
    publishes: true,
  },
  stop: {
    entry: 'stop',
    description: 'Stops endpoints',
    tableActions: ADD_ITEMS,
    serviceUses: ['list'],
    publishes: false,
  },
  closeRollout: {
    entry: 'close-rollout',
    description: 'Writes the outcome of a rollout down and gives the lease back',
    tableActions: CHANGE_ROLLOUT,
    serviceUses: [],
    publishes: true,
  },
};

/** Time for a cold start and one call of the service, which itself gives up after 10 s. */
const LIST_TIMEOUT = Duration.seconds(30);

/** The same, with a list before it and, when no answer comes, three more lists within half a minute. */
const CREATE_TIMEOUT = Duration.seconds(120);

/** The operations that the workflow does not need: pipelines call them. */
export class OperationFunctions extends Construct {
  readonly lambdas: { readonly list: IFunction; readonly create: IFunction };

  constructor(scope: Construct, id: string, calls: Calls) {
    super(scope, id);
    const add = (
      entry: string,
      timeout: Duration,
      serviceUses: readonly ServiceUse[],
      description: string,
    ): IFunction => {
      const lambda = addFunction(this, entry, { entry, description, timeout, serviceUses }, calls);
      grantService(lambda, calls.config, serviceUses);
      return lambda;
    };
    this.lambdas = {
      list: add('list', LIST_TIMEOUT, ['list'], 'Lists the endpoints of a runtime, page by page'),
      create: add('create', CREATE_TIMEOUT, ['list', 'create'], 'Creates an endpoint on a runtime'),
    };
  }
}
