import { readJsonFile } from '../../lib/adapters/machine/files.ts';
import type { EndpointRolloutsProps } from '../../lib/constructs/endpoint-rollouts-props.ts';
import { RolloutStack } from '../../lib/constructs/rollout-stack.ts';
import type { AuthSettings } from '../../lib/contract/config/auth.ts';
import type { PartialPolicy } from '../../lib/contract/config/policy.ts';
import { createApp } from '../support/create-app.ts';

export const config = readJsonFile('steproll.config.json').value as EndpointRolloutsProps;

export interface StackOptions {
  /** @default - that of the repository */
  readonly base?: EndpointRolloutsProps;
  /** Where the bundles go. @default - nothing is bundled, because that takes seconds */
  readonly bundlesIn?: string;
  /** Whether the CDK validates the template by its own rules, as it does when it is deployed. @default false */
  readonly isValidated?: boolean;
  /** @default - as in the base */
  readonly auth?: AuthSettings;
  /** @default - as in the base */
  readonly policy?: PartialPolicy;
}

/** The stack as `cdk synth` builds it. */
export function createStack(options: StackOptions = {}): RolloutStack {
  const {
    bundlesIn,
    isValidated = false,
    base = config,
    auth = base.auth,
    policy = base.policies?.default,
  } = options;
  const { context } = readJsonFile('cdk.json').value as { readonly context: object };
  const app = createApp({
    builtinCloudFormationValidation: isValidated,
    context: {
      ...context,
      // What the command line adds by itself: the tests tell constructs by their paths.
      'aws:cdk:enable-path-metadata': true,
      'aws:cdk:enable-asset-metadata': true,
      ...(bundlesIn === undefined && { 'aws:cdk:bundling-stacks': [] }),
    },
    ...(bundlesIn !== undefined && { outdir: bundlesIn }),
  });
  return new RolloutStack(app, 'Steproll', {
    config: { ...base, auth, policies: { ...base.policies, ...(policy && { default: policy }) } },
  });
}
