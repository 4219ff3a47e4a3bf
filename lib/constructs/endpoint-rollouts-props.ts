import type { AuthSettings } from '../contract/config/auth.ts';
import type { RuntimeGroup } from '../contract/config/groups.ts';
import type { TlsSettings } from '../contract/config/network.ts';
import type { Notifications } from '../contract/config/notifications.ts';
import type { PartialPolicy } from '../contract/config/policy.ts';
import type { ReleaseSourceInput } from '../contract/config/releases.ts';
import type { RolloutSchedule } from '../contract/config/schedules.ts';
import type { AgentCoreService } from '../contract/config/service.ts';
import type { WireMapping } from '../contract/service/wire.ts';

/** The fields of `steproll.config.json`: both allow the same. */
export interface EndpointRolloutsProps {
  /**
   * Base URL of the service, with its path prefix. Without `steproll:allowedOrigins` in the context of the app, it
   * must be https with a host name. With it, the URL must have one of these origins.
   *
   * @default - none; then there must be a `service`
   */
  readonly endpointUrl?: string | undefined;

  /**
   * Instead of `endpointUrl`, `region`, `auth` and `wire`: a service that needs none of them, Amazon Bedrock AgentCore
   * Runtime in a region. Its runtimes must be in the account of the stack, and have an entry in `runtimes`.
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
   * Name of the event bus, and the first part of the names of its rules: 1 to 14 letters, digits, hyphens and
   * underscores. A second instance in the same account and region needs its own name.
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
  readonly auth?: AuthSettings | undefined;

  /**
   * Authorities that calls trust besides the usual ones, and the client certificate for the service. Each is in AWS
   * Secrets Manager and is named by its complete ARN.
   *
   * @default - the usual authorities, and no client certificate
   */
  readonly tls?: TlsSettings | undefined;

  /**
   * Hosts that may be called over plain http: names, or `*.` before the end of names.
   *
   * @default - this machine alone, which for a function is itself
   */
  readonly allowHttp?: readonly string[] | undefined;

  /**
   * How rollouts are done.
   *
   * @default - waves of 1 endpoint, 25 % and 100 %, a bake of 300 s, and on failure `stop-old`, or `roll-back` where
   *   the service cannot stop endpoints
   */
  readonly policy?: PartialPolicy | undefined;

  /**
   * Exceptions for single runtimes, by their ids. Triggers may roll these runtimes, and no others.
   *
   * @default - triggers may roll nothing
   */
  readonly runtimes?: Readonly<Record<string, { readonly policy: PartialPolicy }>> | undefined;

  /**
   * Runtimes that are released together, by the name of the group. Only entries of `runtimes` can be in one. Triggers
   * may roll these groups, and no others.
   *
   * @default - every runtime is released by itself
   */
  readonly groups?: Readonly<Record<string, RuntimeGroup>> | undefined;

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
   * Who gets messages about rollouts and alarms: addresses that subscribe to the construct's own topic, or the ARN of
   * your own topic.
   *
   * @default - nobody
   */
  readonly notifications?: Notifications | undefined;

  /**
   * The customer managed key that encrypts ledger, queues and logs. With `create`, the construct makes its own key,
   * which outlives the stack as the ledger does. Otherwise this is the ARN of your own key, in the region of the
   * stack, whose policy has the statements of docs/security.md.
   *
   * @default - keys that AWS manages
   */
  readonly kmsKey?: string | undefined;

  /**
   * For how many days `steproll listen`, with the same configuration, keeps rollouts that have ended. The table on AWS
   * keeps all of them.
   *
   * @default - for ever
   */
  readonly historyDays?: number | undefined;
}

export interface WireSettings {
  /**
   * Names of the fields of an endpoint; `null` for a field that the service does not send. @default
   * DEFAULT_WIRE.endpoint
   */
  readonly endpoint?: Partial<WireMapping['endpoint']> | undefined;

  /** Names of the fields of a page of endpoints. @default DEFAULT_WIRE.page */
  readonly page?: Partial<WireMapping['page']> | undefined;
}

export interface TriggerSettings {
  /** A release event that is older than so many seconds is too late and starts nothing: 60 to 3600. @default 900 */
  readonly maxAgeSeconds?: number | undefined;

  /** Ids of other accounts that may send release events to the bus. @default - none */
  readonly accounts?: readonly string[] | undefined;

  /** Events of other systems that announce releases: at most 20, including those of `onRelease`. @default - none */
  readonly releases?: readonly ReleaseSourceInput[] | undefined;

  /** Rollouts that start at set times: at most 20, including those of `onSchedule`. @default - none */
  readonly schedules?: readonly RolloutSchedule[] | undefined;
}
