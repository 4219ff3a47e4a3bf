import { Duration } from 'aws-cdk-lib';
import { type Table, TableGrants } from 'aws-cdk-lib/aws-dynamodb';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { Config } from '../../contract/config/config.ts';
import { writeFunctionEnv } from '../../contract/functions/environment.ts';
import {
  FUNCTION_TIMEOUT_MARGIN_SECONDS,
  TASK_TIMEOUT_SECONDS,
  type WorkflowFunction,
} from '../../workflow/functions.ts';
import { acknowledgeNoDeadLetters, EndpointFunction } from '../blocks/endpoint-function.ts';
import { grantSecret, grantTell } from '../blocks/grants.ts';

interface WorkflowFunctionsProps {
  readonly config: Config;
  /** Of the ledger. */
  readonly table: Table;
  /** Where rollouts are told of. */
  readonly bus: EventBus;
}

/** The functions that the workflow calls. Pipelines may call `roll` and `stop` by themselves. */
export class WorkflowFunctions extends Construct {
  readonly lambdas: Readonly<Record<WorkflowFunction, LambdaFunction>>;

  constructor(scope: Construct, id: string, { config, table, bus }: WorkflowFunctionsProps) {
    super(scope, id);
    const { endpointUrl, auth, wire, policy, runtimes } = config;
    // The table alone: its index is the janitor's.
    const tableGrants = new TableGrants({ table, hasIndex: false });
    const add = (name: WorkflowFunction): LambdaFunction => {
      const { entry, description, tableActions, callsService, tells } = FUNCTIONS[name];
      const environment = writeFunctionEnv({
        ...(callsService && { endpointUrl, auth, wire }),
        tableName: table.tableName,
        ...(tells && { eventBusName: bus.eventBusName }),
        // From then on the policy of a rollout is in the ledger.
        ...(name === 'openRollout' && { policies: { policy, runtimes } }),
      });
      const { lambda } = new EndpointFunction(this, name, {
        entry,
        description,
        environment,
        timeout: Duration.seconds(TASK_TIMEOUT_SECONDS[name] - FUNCTION_TIMEOUT_MARGIN_SECONDS),
      });
      acknowledgeNoDeadLetters(lambda);
      tableGrants.actions(lambda, ...tableActions);
      if (tells) grantTell(lambda, bus);
      if (callsService) grantSecret(lambda, auth);
      if (name === 'verifyWave' && asksAlarms(config)) grantAlarms(lambda);
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

function asksAlarms({ policy, runtimes }: Config): boolean {
  const policies = [policy, ...Object.values(runtimes).map((runtime) => runtime.policy)];
  return policies.some(({ verify }) => (verify?.alarms.length ?? 0) > 0);
}

/**
 * Composite alarms can only be described with every resource
 * (https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazoncloudwatch.html).
 */
function grantAlarms(lambda: IFunction): void {
  lambda.addToRolePolicy(
    new PolicyStatement({ actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] }),
  );
}

const READ_RECORD = ['dynamodb:GetItem', 'dynamodb:Query'];
const CHANGE_ROLLOUT = [...READ_RECORD, 'dynamodb:UpdateItem'];
/** The plan and the journal's entries are items of their own. */
const ADD_ITEMS = [...CHANGE_ROLLOUT, 'dynamodb:PutItem'];

interface FunctionSpec {
  readonly entry: string;
  readonly description: string;
  /** All that the function's step does to the ledger. */
  readonly tableActions: readonly string[];
  /** It knows the service, and needs its credentials. */
  readonly callsService: boolean;
  /** It tells of rollouts. */
  readonly tells: boolean;
}

const FUNCTIONS: Readonly<Record<WorkflowFunction, FunctionSpec>> = {
  openRollout: {
    entry: 'open-rollout',
    description: 'Takes the lease of a runtime and freezes the plan of a rollout',
    tableActions: ADD_ITEMS,
    callsService: true,
    tells: true,
  },
  roll: {
    entry: 'roll',
    description: 'Rolls endpoints to a version',
    tableActions: ADD_ITEMS,
    callsService: true,
    tells: false,
  },
  checkWave: {
    entry: 'check-wave',
    description: 'Judges how far a wave has got',
    tableActions: CHANGE_ROLLOUT,
    callsService: true,
    tells: true,
  },
  verifyWave: {
    entry: 'verify-wave',
    description: 'Judges a wave after its bake time',
    tableActions: CHANGE_ROLLOUT,
    callsService: true,
    tells: true,
  },
  turnAround: {
    entry: 'turn-around',
    description: 'Plans the way back of a rollout that failed',
    tableActions: ADD_ITEMS,
    callsService: false,
    tells: true,
  },
  stop: {
    entry: 'stop',
    description: 'Stops endpoints',
    tableActions: ADD_ITEMS,
    callsService: true,
    tells: false,
  },
  closeRollout: {
    entry: 'close-rollout',
    description: 'Writes the outcome of a rollout down and gives the lease back',
    tableActions: CHANGE_ROLLOUT,
    callsService: false,
    tells: true,
  },
};

/** One call of the service, which gives up after 10 s by itself, and a cold start. */
const LIST_TIMEOUT = Duration.seconds(30);

/** The same, a list before, and when no answer comes three more within half a minute. */
const CREATE_TIMEOUT = Duration.seconds(120);

/** The operations that the workflow has no use for: pipelines call them. */
export class OperationFunctions extends Construct {
  readonly lambdas: { readonly list: IFunction; readonly create: IFunction };

  constructor(scope: Construct, id: string, { config }: { readonly config: Config }) {
    super(scope, id);
    const add = (entry: string, timeout: Duration, description: string): IFunction => {
      const { endpointUrl, auth, wire } = config;
      const environment = writeFunctionEnv({ endpointUrl, auth, wire });
      const props = { entry, description, environment, timeout };
      const { lambda } = new EndpointFunction(this, entry, props);
      acknowledgeNoDeadLetters(lambda);
      grantSecret(lambda, auth);
      return lambda;
    };
    this.lambdas = {
      list: add('list', LIST_TIMEOUT, 'Lists the endpoints of a runtime, page by page'),
      create: add('create', CREATE_TIMEOUT, 'Creates an endpoint on a runtime'),
    };
  }
}
