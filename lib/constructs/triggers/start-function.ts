import { Duration, Validations } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import {
  type KnownTriggers,
  TRIGGERS_FILE,
  writeTriggers,
} from '../../contract/functions/code-files.ts';
import { writeFunctionEnv } from '../../contract/functions/environment.ts';
import { RELEASE_KEY_PREFIX, ROLLOUT_KEY_PREFIX } from '../../contract/ledger/table.ts';
import { addAlarm } from '../blocks/alarm.ts';
import { EndpointFunction } from '../blocks/endpoint-function.ts';

interface StartFunctionProps {
  /** Read at synthesis, because releases may be added until then. */
  readonly triggers: KnownTriggers;
  /** ARN of the workflow. */
  readonly stateMachineArn: string;
  readonly table: Table;
  /** The queue for triggers that were refused or failed. */
  readonly queue: IQueue;
}

/**
 * The function that starts executions of the workflow for triggers. The workflow itself starts those to which it hands
 * over, and those of the runtimes of a group.
 */
export class StartFunction extends Construct {
  readonly lambda: IFunction;

  constructor(scope: Construct, id: string, props: StartFunctionProps) {
    super(scope, id);
    const { triggers, stateMachineArn, queue, table } = props;
    const { lambda } = new EndpointFunction(this, 'start', {
      entry: 'start',
      description: 'Starts the rollout that a release event or a schedule asks for',
      timeout: Duration.seconds(30),
      environment: writeFunctionEnv({ stateMachineArn, tableName: table.tableName }),
      file: { name: TRIGGERS_FILE, write: () => writeTriggers(triggers) },
      // However often a trigger comes, it starts one execution.
      async: {
        maxEventAge: Duration.seconds(triggers.rules.maxAgeSeconds),
        onFailure: { bind: () => ({ destination: queue.queueArn }) },
      },
    });
    lambda.addToRolePolicy(
      new PolicyStatement({
        actions: ['states:StartExecution'],
        resources: [stateMachineArn],
      }),
    );
    // The function may record the rollout that it starts. It has no access to leases and latest requests.
    const { once } = triggers.rules;
    const prefixes = [ROLLOUT_KEY_PREFIX, ...(once === undefined ? [] : [RELEASE_KEY_PREFIX])];
    lambda.addToRolePolicy(
      new PolicyStatement({
        actions: [...(once === undefined ? [] : ['dynamodb:GetItem']), 'dynamodb:UpdateItem'],
        resources: [table.tableArn],
        conditions: {
          'ForAllValues:StringLike': {
            'dynamodb:LeadingKeys': prefixes.map((prefix) => `${prefix}*`),
          },
        },
      }),
    );
    lambda.addToRolePolicy(
      new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queue.queueArn] }),
    );
    Validations.of(lambda).acknowledge({
      id: 'Serverless-LambdaDLQ',
      reason:
        'Its failed events go to the queue as their destination, which adds the error to them.',
    });
    addAlarm(this, 'Errors', {
      group: 'triggers',
      description:
        'The start function refused a trigger or could not start a rollout: docs/runbook.md, "A trigger started nothing"',
      metric: lambda.metricErrors({ period: Duration.minutes(1) }),
    });
    this.lambda = lambda;
  }
}
