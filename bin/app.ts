import { App } from 'aws-cdk-lib';
import { readConfigFile } from '../lib/adapters/machine/config-file.ts';
import type { EndpointRolloutsProps } from '../lib/constructs/endpoint-rollouts-props.ts';
import { RolloutStack, stackName } from '../lib/constructs/rollout-stack.ts';
import { parseConfig } from '../lib/contract/config/config.ts';
import { invalidInput } from '../lib/contract/input/parse-input.ts';
import { ErrorName, errorMessageOf, errorNameOf } from '../lib/domain/errors.ts';

const app = new App();

try {
  const config = readConfig();
  // With a rollout under way, nobody would close it.
  new RolloutStack(app, stackName(config), { config, terminationProtection: true });
} catch (error) {
  if (errorNameOf(error) !== ErrorName.InvalidInput) throw error;
  process.stderr.write(`${errorMessageOf(error)}\n`);
  // The process has to end here. Otherwise the app would synthesize what it has so far.
  process.exit(2);
}

/** `cdk synth -c config=FILE` names another file, which must have a `name` of its own. */
function readConfig(): EndpointRolloutsProps {
  const named: string | undefined = app.node.tryGetContext('config');
  const { value, mistakes } = readConfigFile(named ?? 'steproll.config.json');
  parseConfig(value, mistakes);
  const config = value as EndpointRolloutsProps;
  if (named === undefined || config.name !== undefined) return config;
  throw invalidInput(`configuration ${named}`, [
    'name: missing; with one of its own this file is not deployed over the stack of another, and "steproll" is that of steproll.config.json',
  ]);
}
