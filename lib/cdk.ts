/** The construct, for your own CDK apps. */

export { EndpointRollouts } from './constructs/endpoint-rollouts.ts';
export type {
  EndpointRolloutsProps,
  GivenBus,
  GivenSecret,
  ReleaseSourceProps,
  TriggerSettings,
  WireSettings,
  WithObjects,
} from './constructs/endpoint-rollouts-props.ts';
export type { NetworkProps } from './constructs/resources/service-network.ts';
export type {
  AlarmGroup,
  AlarmSettings,
  RolloutFunctionName,
  Tuning,
} from './constructs/resources/tuning.ts';
export type { AuthSettings } from './contract/config/auth.ts';
export type { RuntimeGroup } from './contract/config/groups.ts';
export type { TlsSettings } from './contract/config/network.ts';
export type { Notifications } from './contract/config/notifications.ts';
export type { PartialPolicy, WrittenPolicy } from './contract/config/policy.ts';
export type { ReleaseSource } from './contract/config/releases.ts';
export type { RolloutSchedule } from './contract/config/schedules.ts';
export type { AgentCoreService } from './contract/config/service.ts';
export type {
  AwsSecret,
  EnvironmentSecret,
  FileSecret,
  SecretSource,
} from './contract/input/secret-source.ts';
export type { WireMapping } from './contract/service/wire.ts';
