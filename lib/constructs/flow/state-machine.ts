import { Names, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import {
  DefinitionBody,
  LogLevel,
  StateMachine,
  StateMachineType,
} from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { ROLLOUT_DEFINITION } from '../../workflow/definition.ts';
import type { WorkflowFunction } from '../../workflow/functions.ts';

interface RolloutStateMachineProps {
  /** Each is called as it is now: a later deployment changes nothing for executions under way. */
  readonly lambdas: Readonly<Record<WorkflowFunction, LambdaFunction>>;
}

/** The workflow as a state machine, over the definition that the embedded engine runs too. */
export class RolloutStateMachine extends Construct {
  readonly stateMachine: StateMachine;

  constructor(scope: Construct, id: string, { lambdas }: RolloutStateMachineProps) {
    super(scope, id);
    const versions = Object.fromEntries(
      Object.entries(lambdas).map(([name, { currentVersion }]) => [
        name,
        currentVersion.functionArn,
      ]),
    );
    this.stateMachine = new StateMachine(this, 'StateMachine', {
      stateMachineType: StateMachineType.STANDARD,
      definitionBody: DefinitionBody.fromString(JSON.stringify(ROLLOUT_DEFINITION)),
      definitionSubstitutions: versions,
      // What the states carry is left out: the ledger has it, under its own access rules.
      logs: { destination: createLogGroup(this), level: LogLevel.ALL, includeExecutionData: false },
      tracingEnabled: true,
    });
    Validations.of(this.stateMachine).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'X-Ray and the delivery of logs know no resources.',
    });
    this.stateMachine.addToRolePolicy(
      new PolicyStatement({
        actions: ['lambda:InvokeFunction'],
        // Every version, because executions under way call older ones.
        resources: Object.values(lambdas).map(({ functionArn }) => `${functionArn}:*`),
      }),
    );
    // Not in the role's own policy, which the state machine waits for: this one waits for the state machine.
    new Policy(this, 'HandOver', {
      roles: [this.stateMachine.role],
      statements: [
        new PolicyStatement({
          actions: ['states:StartExecution'],
          resources: [this.stateMachine.stateMachineArn],
        }),
      ],
    });
  }
}

function createLogGroup(scope: Construct): LogGroup {
  // Under this prefix deliveries do not use up the length of the account's resource policy:
  // https://docs.aws.amazon.com/step-functions/latest/dg/bp-cwl.html
  const name = Names.uniqueResourceName(scope, { maxLength: 200, separator: '-' });
  return new LogGroup(scope, 'Logs', {
    logGroupName: `/aws/vendedlogs/states/${name}`,
    retention: RetentionDays.THREE_MONTHS,
    removalPolicy: RemovalPolicy.DESTROY,
  });
}
