import { Stack, type StackProps } from 'aws-cdk-lib';
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
    new EndpointRollouts(this, 'Rollouts', config);
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
