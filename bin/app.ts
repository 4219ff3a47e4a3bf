import { App } from 'aws-cdk-lib';
import { readJsonFile } from '../lib/adapters/json-file.ts';
import { parseConfig } from '../lib/contract/config.ts';
import { RolloutStack } from '../lib/stacks/rollout-stack.ts';

const app = new App();
// `cdk synth -c config=FILE` names another one.
const configFile: string = app.node.tryGetContext('config') ?? 'steproll.config.json';

new RolloutStack(app, 'Steproll', { config: parseConfig(readJsonFile(configFile)) });
