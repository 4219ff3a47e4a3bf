import { Duration, Stack } from 'aws-cdk-lib';
import { type Table, TableGrants } from 'aws-cdk-lib/aws-dynamodb';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { LateUrls } from '../../contract/config/allowed-origins.ts';
import type { Config } from '../../contract/config/config.ts';
import type { NetworkSettings } from '../../contract/config/network.ts';
import { POLICIES_FILE, policiesIn } from '../../contract/functions/code-files.ts';
import { RUNTIME_INDEX } from '../../contract/ledger/table.ts';
import { AHEAD } from '../../gates/gate.ts';
import { askedAhead, askedBefore, askedInBake } from '../../gates/gates.ts';
import {
  FUNCTION_TIMEOUT_MARGIN_SECONDS,
  TASK_TIMEOUT_SECONDS,
  type WorkflowFunction,
} from '../../workflow/functions.ts';
import { acknowledgeNoDeadLetters, EndpointFunction } from '../blocks/endpoint-function.ts';
import { functionEnv } from '../blocks/function-env.ts';
import { grantPublish, grantSecrets, grantService, type ServiceUse } from '../blocks/grants.ts';
import { type AskedOf, gatesIn, secretsOfGates } from '../blocks/needed-rights.ts';
import type { ServiceNetwork } from '../blocks/service-network.ts';

interface WorkflowFunctionsProps {
  readonly config: Config;
  /** How functions check URLs that are not known yet. @default - all are known */
  readonly urls: LateUrls | undefined;
  /** The network from which the service is called. @default - the internet */
  readonly network: ServiceNetwork | undefined;
  readonly table: Table;
  /** The bus on which the events of rollouts are published. */
  readonly bus: EventBus;
}

/** The functions that the workflow calls. Pipelines may call `roll` and `stop` directly. */
export class WorkflowFunctions extends Construct {
  readonly lambdas: Readonly<Record<WorkflowFunction, LambdaFunction>>;

  constructor(
    scope: Construct,
    id: string,
    { config, urls, network, table, bus }: WorkflowFunctionsProps,
  ) {
    super(scope, id);
    const { service, historyDays } = config;
    // Only one step reads an index of the table, so the grants leave the indexes out.
    const tableGrants = new TableGrants({ table, hasIndex: false });
    const add = (name: WorkflowFunction): LambdaFunction => {
      const { entry, description, tableActions, serviceUses, publishes } = FUNCTIONS[name];
      // Only this function needs policies and groups: afterwards those of a rollout are in the ledger.
      const policies = name === 'openRollout' ? policiesIn(config) : undefined;
      const settings = {
        ...(serviceUses.length > 0 && { service, ...networkOf(config), ...(urls && { urls }) }),
        tableName: table.tableName,
        ...(historyDays !== undefined && { historyDays }),
        ...(publishes && {
          eventBusName: bus.eventBusName,
          stackName: Stack.of(this).stackName,
        }),
      };
      const { environment, file } = functionEnv(settings, policies);
      const { lambda } = new EndpointFunction(this, name, {
        entry,
        description,
        environment,
        ...(serviceUses.length > 0 && { network }),
        ...(policies && { file: { name: POLICIES_FILE, write: () => JSON.stringify(file) } }),
        ...(serviceUses.length > 0 && { serviceKind: service.kind }),
        timeout: Duration.seconds(TASK_TIMEOUT_SECONDS[name] - FUNCTION_TIMEOUT_MARGIN_SECONDS),
      });
      acknowledgeNoDeadLetters(lambda);
      tableGrants.actions(lambda, ...tableActions);
      if (name === 'openRollout') grantHistory(lambda, table);
      if (publishes) grantPublish(lambda, bus);
      grantService(lambda, config, serviceUses);
      const asked = ASKED_BY[name];
      if (asked !== undefined) grantGates(lambda, config, asked);
      return lambda;
    };
    this.lambdas = {
      openRollout: add('openRollout'),
      roll: add('roll'),
      checkWave: add('checkWave'),
      verifyWave: add('verifyWave'),
      turnAround: add('turnAround'),
      stop: add('stop'),
      closeRollout: add('closeRollout'),
    };
  }
}

/** The gates of a policy that functions ask. */
const ASKED_BY: Partial<Record<WorkflowFunction, AskedOf>> = {
  openRollout: (verify) => [...askedBefore(verify), ...askedAhead(verify, AHEAD)],
  checkWave: askedInBake,
  verifyWave: (verify) => [...askedInBake(verify), ...askedAhead(verify, ['before-wave'])],
};

/** It looks for the last rollouts of a runtime when an endpoint is on its way already. */
function grantHistory(lambda: IFunction, { tableArn }: Table): void {
  lambda.addToRolePolicy(
    new PolicyStatement({
      actions: ['dynamodb:Query'],
      resources: [`${tableArn}/index/${RUNTIME_INDEX.name}`],
    }),
  );
}

/** How functions call the service. Most deployments say nothing of it. */
function networkOf({ tls, allowHttp }: Config): { readonly network?: NetworkSettings } {
  return tls === undefined && allowHttp === undefined ? {} : { network: { tls, allowHttp } };
}

/**
 * What gates of all policies need, with one statement for all that need the same resources.
 *
 * @param askedOf Which gates of a policy the function asks.
 */
function grantGates(lambda: IFunction, config: Config, askedOf: AskedOf): void {
  const asked = gatesIn(config, askedOf);
  const grants = asked.flatMap(({ gate, said }) => gate.grants?.(said) ?? []);
  for (const alike of Map.groupBy(grants, ({ resources }) => resources.join()).values()) {
    const actions = [...new Set(alike.flatMap((grant) => grant.actions))];
    const resources = [...(alike[0]?.resources ?? [])];
    lambda.addToRolePolicy(new PolicyStatement({ actions, resources }));
  }
  grantSecrets(lambda, secretsOfGates(asked));
}

const READ_RECORD = ['dynamodb:GetItem', 'dynamodb:Query'];
const CHANGE_ROLLOUT = [...READ_RECORD, 'dynamodb:UpdateItem'];
/** Holds are read together with the rollout's item. */
const HEED_HOLDS = [...CHANGE_ROLLOUT, 'dynamodb:BatchGetItem'];
/** The plan and the entries of the journal are separate items. */
const ADD_ITEMS = [...HEED_HOLDS, 'dynamodb:PutItem'];

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
  checkWave: {
    entry: 'check-wave',
    description: 'Judges how far a wave has got, and asks the gates of those before it',
    tableActions: HEED_HOLDS,
    serviceUses: ['list', 'read-reasons'],
    publishes: true,
  },
  verifyWave: {
    entry: 'verify-wave',
    description: 'Judges a wave in its bake and after it',
    tableActions: HEED_HOLDS,
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

  constructor(
    scope: Construct,
    id: string,
    { config, urls, network }: Pick<WorkflowFunctionsProps, 'config' | 'urls' | 'network'>,
  ) {
    super(scope, id);
    const add = (
      entry: string,
      timeout: Duration,
      uses: readonly ServiceUse[],
      description: string,
    ): IFunction => {
      const { service } = config;
      const settings = { service, ...networkOf(config), ...(urls && { urls }) };
      const { environment } = functionEnv(settings);
      const of = { entry, description, timeout };
      const props = { ...of, environment, network, serviceKind: service.kind };
      const { lambda } = new EndpointFunction(this, entry, props);
      acknowledgeNoDeadLetters(lambda);
      grantService(lambda, config, uses);
      return lambda;
    };
    this.lambdas = {
      list: add('list', LIST_TIMEOUT, ['list'], 'Lists the endpoints of a runtime, page by page'),
      create: add('create', CREATE_TIMEOUT, ['list', 'create'], 'Creates an endpoint on a runtime'),
    };
  }
}
