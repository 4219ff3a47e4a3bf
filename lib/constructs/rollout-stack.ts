import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Config } from '../contract/config/config.ts';
import { EndpointRollouts } from './endpoint-rollouts.ts';
import type { EndpointRolloutsProps } from './endpoint-rollouts-props.ts';

interface RolloutStackProps extends StackProps {
  readonly config: EndpointRolloutsProps;
}

/** All of steproll that runs on AWS, for one endpoint service. */
export class RolloutStack extends Stack {
  constructor(scope: Construct, id: string, { config, ...props }: RolloutStackProps) {
    super(scope, id, { description: 'Rolls endpoints to a version, wave by wave', ...props });
    const rollouts = new EndpointRollouts(this, 'Rollouts', config);
    this.output('EndpointUrl', rollouts.endpointUrl);
    this.output('StateMachineArn', rollouts.stateMachine.stateMachineArn);
    this.output('TableName', rollouts.table.tableName);
    const { historyDays } = rollouts;
    if (historyDays !== undefined) this.output('HistoryDays', String(historyDays));
    this.output('EventBusName', rollouts.bus.eventBusName);
    this.output('DeadLetterQueueUrl', rollouts.queue.queueUrl);
    if (rollouts.chatTopic !== undefined) this.output('ChatTopicArn', rollouts.chatTopic.topicArn);
    if (rollouts.key !== undefined) this.output('KeyArn', rollouts.key.keyArn);
    for (const [name, lambda] of Object.entries(rollouts.functions)) {
      const outputName = `${name.charAt(0).toUpperCase()}${name.slice(1)}FunctionName`;
      this.output(outputName, lambda.functionName);
    }
  }

  private output(id: string, value: string): void {
    new CfnOutput(this, id, { value });
  }
}

/**
 * Name of the CloudFormation stack: `Steproll`, followed by the configuration's `name` if that is another one. So two
 * configurations are never deployed over each other.
 */
export function stackName({ name = 'steproll' }: Pick<Config, 'name'>): string {
  // CloudFormation does not allow underscores.
  return name === 'steproll' ? 'Steproll' : `Steproll-${name.replaceAll('_', '-')}`;
}
