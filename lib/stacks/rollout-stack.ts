import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Janitor } from '../constructs/janitor.ts';
import { OperationFunctions } from '../constructs/operation-functions.ts';
import { RolloutLedger } from '../constructs/rollout-ledger.ts';
import { RolloutStateMachine } from '../constructs/rollout-state-machine.ts';
import { RolloutTriggers } from '../constructs/rollout-triggers.ts';
import { WorkflowFunctions } from '../constructs/workflow-functions.ts';
import type { Config } from '../contract/config.ts';

export interface RolloutStackProps extends StackProps {
  readonly config: Config;
}

/** All of steproll that runs on AWS, for one endpoint service. */
export class RolloutStack extends Stack {
  constructor(scope: Construct, id: string, { config, ...props }: RolloutStackProps) {
    super(scope, id, { description: 'Rolls endpoints to a version, wave by wave', ...props });
    const { table } = new RolloutLedger(this, 'Ledger');
    const operations = new OperationFunctions(this, 'Operations', { config });
    const steps = new WorkflowFunctions(this, 'Steps', { config, table });
    const { lambdas } = steps;
    const { stateMachine } = new RolloutStateMachine(this, 'Workflow', { lambdas });
    const { stateMachineArn } = stateMachine;
    const janitor = new Janitor(this, 'Janitor', { stateMachine, table });
    const triggers = new RolloutTriggers(this, 'Triggers', { config, stateMachineArn });

    this.output('StateMachineArn', stateMachineArn);
    this.output('TableName', table.tableName);
    this.output('EventBusName', triggers.bus.eventBusName);
    this.output('DeadLetterQueueUrl', triggers.queue.queueUrl);
    const all = {
      ...operations.lambdas,
      ...lambdas,
      start: triggers.lambda,
      ...janitor.lambdas,
    };
    for (const [name, lambda] of Object.entries(all)) {
      const outputName = `${name.charAt(0).toUpperCase()}${name.slice(1)}FunctionName`;
      this.output(outputName, lambda.functionName);
    }
  }

  private output(id: string, value: string): void {
    new CfnOutput(this, id, { value });
  }
}
