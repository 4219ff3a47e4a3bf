import type { IAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ISecret } from 'aws-cdk-lib/aws-secretsmanager';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { AuthSettings } from '../contract/config/auth.ts';
import type { RuntimeGroup } from '../contract/config/groups.ts';
import type { TlsSettings } from '../contract/config/network.ts';
import type { Notifications } from '../contract/config/notifications.ts';
import type { WrittenRuntime } from '../contract/config/policies.ts';
import type { WrittenPolicy } from '../contract/config/policy.ts';
import type { ReleaseSourceInput } from '../contract/config/releases.ts';
import type { AgentCoreService } from '../contract/config/service.ts';
import type { TriggersInput } from '../contract/config/triggers.ts';
import type { WireInput } from '../contract/service/wire.ts';
import type { NetworkProps } from './resources/service-network.ts';
import type { Tuning } from './resources/tuning.ts';

// With `exactOptionalPropertyTypes` the classes of the CDK do not fit these two of its interfaces.

export type GivenSecret = Omit<ISecret, 'secretFullArn'> & {
  readonly secretFullArn?: string | undefined;
};
export type GivenBus = Omit<IEventBus, 'eventSourceName'> & {
  readonly eventSourceName?: string | undefined;
};

/** The same with objects of the CDK in the place of their ARNs and names. */
export type WithObjects<T> = T extends readonly (infer One)[]
  ? readonly WithObjects<One>[]
  : T extends object
    ? 'awsSecret' extends keyof T
      ? T | GivenSecret
      : { [Key in keyof T]: ObjectOfKey<Key> | WithObjects<T[Key]> }
    : T;

/** What a value under a key may be as well. */
type ObjectOfKey<Key> = Key extends 'alarms'
  ? readonly (string | IAlarm | { readonly name: string | IAlarm; readonly enforce?: boolean })[]
  : Key extends 'lambda'
    ? IFunction
    : Key extends 'bus'
      ? GivenBus
      : never;

export interface EndpointRolloutsProps extends ConfigProps, DeploymentProps {}

/** What a configuration file cannot say. */
export interface DeploymentProps extends Tuning {
  /**
   * The VPC of a private service. The functions that call the service, its token endpoint, probes and checks run in it;
   * all others stay outside, unless it says `all`.
   *
   * @default - functions reach the internet, and no private network
   */
  readonly network?: NetworkProps | undefined;
  /**
   * Whether the stack gets outputs, whose names begin with the id of the construct. Without them no command finds it.
   *
   * @default true
   */
  readonly outputs?: boolean | undefined;
}

/**
 * The fields of `steproll.config.json`, with objects of the CDK where those have ARNs and names of secrets, topics, keys,
 * buses, alarms and functions. Where an object is possible, and for URLs, so is a text that is known only when the stack
 * is deployed. Functions check such a text when they load.
 */
export interface ConfigProps {
  /**
   * Base URL of the service, with its path prefix. Without `steproll:allowedOrigins` in the context of the app, it
   * must be https with a host name. With it, the URL must have one of these origins.
   *
   * @default - none; then there must be a `service`
   */
  readonly endpointUrl?: string | undefined;

  /**
   * Instead of `endpointUrl`, `region`, `auth` and `wire`: a service that needs none of them, Amazon Bedrock AgentCore
   * in a region. Its runtimes or harnesses must be in the account of the stack, and have an entry in `runtimes`.
   *
   * @default - the service at `endpointUrl`
   */
  readonly service?: AgentCoreService | undefined;

  /**
   * Replaces `{region}` in the endpoint URL.
   *
   * @default - the URL has no `{region}` in it
   */
  readonly region?: string | undefined;

  /**
   * Name of the event bus, and the first part of the names of its rules: 1 to 32 letters, digits, hyphens and
   * underscores. Of a name with more than 14, the names of rules have the beginning and a hash. A second instance in the same account and region needs its own name.
   *
   * @default 'steproll'
   */
  readonly name?: string | undefined;

  /**
   * How the caller authenticates to the service. The secret is in AWS Secrets Manager and is named by its complete
   * ARN.
   *
   * @default - the service is called without credentials
   */
  readonly auth?: WithObjects<AuthSettings> | undefined;

  /**
   * Authorities that calls trust besides the usual ones, and the client certificate for the service. Each is in AWS
   * Secrets Manager and is named by its complete ARN.
   *
   * @default - the usual authorities, and no client certificate
   */
  readonly tls?: WithObjects<TlsSettings> | undefined;

  /**
   * Hosts that may be called over plain http: names, or `*.` before the end of names.
   *
   * @default - this machine alone, which for a function is itself
   */
  readonly allowHttp?: readonly string[] | undefined;

  /**
   * How rollouts are done, by name. What `default` says holds for every runtime; another policy adds to it or replaces
   * it, field by field, for the runtimes that name it.
   *
   * @default - waves of 1 endpoint, 25 % and 100 %, a bake of 300 s, and on failure `stop-old`, or `roll-back` where
   *   the service cannot stop endpoints
   */
  readonly policies?: Readonly<Record<string, WithObjects<WrittenPolicy>>> | undefined;

  /**
   * The runtimes by their ids, each with the name of its policy, or else with `default`. Triggers may roll these
   * runtimes, and no others.
   *
   * @default - triggers may roll nothing
   */
  readonly runtimes?: Readonly<Record<string, WrittenRuntime>> | undefined;

  /**
   * Runtimes that are released together, by the name of the group. Only entries of `runtimes` can be in one. Triggers
   * may roll these groups, and no others.
   *
   * @default - every runtime is released by itself
   */
  readonly groups?: Readonly<Record<string, WithObjects<RuntimeGroup>>> | undefined;

  /**
   * Earlier props, as they were, the newest first, while rollouts that began with them are under way. The roles keep
   * their permissions, and nothing starts with them by itself.
   *
   * @default - none
   */
  readonly retired?: readonly ConfigProps[] | undefined;

  /**
   * The service's JSON names, if they differ from the usual ones.
   *
   * @default DEFAULT_WIRE
   */
  readonly wire?: WireSettings | undefined;

  /**
   * What starts rollouts without a person, in addition to `onRelease` and `onSchedule`.
   *
   * @default - steproll's own release events, from this account
   */
  readonly triggers?: TriggerSettings | undefined;

  /**
   * Who gets messages about rollouts and alarms: addresses that subscribe to the construct's own topic, or your own
   * topic, as `topic` or by its ARN; and with `chat` AWS's chat integration, at `chatTopic`.
   *
   * @default - nobody
   */
  readonly notifications?: (Notifications & { readonly topic?: ITopic }) | undefined;

  /**
   * The customer managed key that encrypts ledger, queues and logs. With `create`, the construct makes its own key,
   * which outlives the stack as the ledger does. Otherwise this is your own key, in the region of the stack, or its
   * ARN. A key of the same app gets the statements of docs/security.md; the policy of any other must have them.
   *
   * @default - keys that AWS manages
   */
  readonly kmsKey?: string | IKey | undefined;

  /**
   * For how many days rollouts stay that have ended: 2 to 3,650. The table removes those that end from now on.
   *
   * @default - for ever
   */
  readonly historyDays?: number | undefined;
}

/** The service's JSON names: `null` for a field that the service does not send. */
export type WireSettings = WithObjects<WireInput>;
export type ReleaseSourceProps = WithObjects<ReleaseSourceInput>;
export type TriggerSettings = WithObjects<TriggersInput>;
