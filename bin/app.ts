import { App } from 'aws-cdk-lib';
import { readJsonFile } from '../lib/adapters/json-file.ts';
import { parseConfig } from '../lib/contract/config.ts';
import { RolloutStack } from '../lib/stacks/rollout-stack.ts';
import { stackName } from '../lib/stacks/stack-name.ts';

const app = new App();
// `cdk synth -c config=FILE` names another one.
const configFile: string = app.node.tryGetContext('config') ?? 'steproll.config.json';
const config = parseConfig(readJsonFile(configFile));

new RolloutStack(app, stackName(config), { config });
