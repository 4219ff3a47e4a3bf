import type { Config } from '../contract/config.ts';

/**
 * Of the CloudFormation stack: `Steproll`, and behind it the configuration's `name` where that is another one,
 * so that two configurations are never deployed over each other.
 */
export function stackName({ name = 'steproll' }: Pick<Config, 'name'>): string {
  // CloudFormation takes no underscores.
  return name === 'steproll' ? 'Steproll' : `Steproll-${name.replaceAll('_', '-')}`;
}
