import { Aws, Names, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { type IRole, Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import {
  DefinitionBody,
  LogLevel,
  StateMachine,
  StateMachineType,
} from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { ROLLOUT_DEFINITION } from '../../workflow/definition.ts';
import { PARTITION, type WorkflowFunction } from '../../workflow/functions.ts';
import { tuningOf } from '../resources/tuning.ts';

/** The workflow as a state machine, with the definition that the embedded engine also runs. */
export class RolloutStateMachine extends Construct {
  readonly stateMachine: StateMachine;

  /** @param lambdas Executions under way keep calling their versions: a later deployment changes nothing for them. */
  constructor(
    scope: Construct,
    id: string,
    lambdas: Readonly<Record<WorkflowFunction, LambdaFunction>>,
  ) {
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
      definitionSubstitutions: { ...versions, [PARTITION]: Aws.PARTITION },
      // The data of the states is not logged: the ledger has it, under its own access rules.
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
        // All versions are allowed, because executions under way call older ones.
        resources: Object.values(lambdas).map(({ functionArn }) => `${functionArn}:*`),
      }),
    );
    this.letStart('HandOver', this.stateMachine.role);
    // Without groups, too: a deployment that takes out the last one would end the rollouts of groups that are under way.
    this.letStart('Children', lambdas.roll.role as IRole);
  }

  /**
   * Lets a role start executions. This is not in the role's own policy: the state machine waits for that policy, and
   * this one needs the state machine.
   */
  private letStart(id: string, role: IRole): void {
    new Policy(this, id, {
      roles: [role],
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
  // With this prefix, log deliveries do not use up the length of the account's resource policy:
  // https://docs.aws.amazon.com/step-functions/latest/dg/bp-cwl.html
  const name = Names.uniqueResourceName(scope, { maxLength: 200, separator: '-' });
  return new LogGroup(scope, 'Logs', {
    logGroupName: `/aws/vendedlogs/states/${name}`,
    retention: tuningOf(scope).logRetention,
    removalPolicy: RemovalPolicy.DESTROY,
  });
}
