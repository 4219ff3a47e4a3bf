/** The construct, for CDK apps of your own. */
export {
  EndpointRollouts,
  type RolloutFunctionName,
} from './constructs/endpoint-rollouts.ts';
export type {
  EndpointRolloutsProps,
  TriggerSettings,
  WireSettings,
} from './constructs/endpoint-rollouts-props.ts';
export type {
  AuthSettings,
  AwsSecret,
  EnvironmentSecret,
  FileSecret,
  SecretSource,
} from './contract/auth.ts';
export type { Notifications } from './contract/notifications.ts';
export type { PartialPolicy } from './contract/policy.ts';
export type { ReleaseSource } from './contract/release-source.ts';
export type { RolloutSchedule } from './contract/rollout-schedule.ts';
export type { WireMapping } from './contract/wire.ts';
