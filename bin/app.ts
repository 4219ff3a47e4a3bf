import { App } from 'aws-cdk-lib';
import { readJsonFile } from '../lib/adapters/json-file.ts';
import { parseConfig } from '../lib/contract/config.ts';
import { ErrorName, errorMessageOf, errorNameOf } from '../lib/domain/errors.ts';
import { RolloutStack } from '../lib/stacks/rollout-stack.ts';
import { stackName } from '../lib/stacks/stack-name.ts';

const app = new App();
// `cdk synth -c config=FILE` names another one.
const configFile: string = app.node.tryGetContext('config') ?? 'steproll.config.json';

try {
  const config = parseConfig(readJsonFile(configFile));
  new RolloutStack(app, stackName(config), { config });
} catch (error) {
  if (errorNameOf(error) !== ErrorName.InvalidInput) throw error;
  process.stderr.write(`${configFile}: ${errorMessageOf(error)}\n`);
  // At once: otherwise the app would synthesize what it has.
  process.exit(2);
}
