import { App } from 'aws-cdk-lib';
import { readJsonFile } from '../../lib/adapters/json-file.ts';
import type { AuthSettings } from '../../lib/contract/auth.ts';
import { parseConfig } from '../../lib/contract/config.ts';
import { RolloutStack } from '../../lib/stacks/rollout-stack.ts';

export const config = parseConfig(readJsonFile('steproll.config.json'));

export interface StackOptions {
  /** Where the bundles go. @default - nothing is bundled, because that takes seconds */
  readonly bundlesIn?: string;
  /** @default - none, as in the repository's configuration */
  readonly auth?: AuthSettings;
}

/** The stack as `cdk synth` builds it. */
export function createStack({ bundlesIn, auth = config.auth }: StackOptions = {}): RolloutStack {
  const { context } = readJsonFile('cdk.json') as { readonly context: object };
  const app = new App({
    context: {
      ...context,
      // What the command line adds by itself: the tests tell constructs by their paths.
      'aws:cdk:enable-path-metadata': true,
      'aws:cdk:enable-asset-metadata': true,
      ...(bundlesIn === undefined && { 'aws:cdk:bundling-stacks': [] }),
    },
    ...(bundlesIn !== undefined && { outdir: bundlesIn }),
  });
  return new RolloutStack(app, 'Steproll', { config: { ...config, auth } });
}
