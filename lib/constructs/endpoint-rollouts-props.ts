import type { AuthSettings } from '../contract/config/auth.ts';
import type { Notifications } from '../contract/config/notifications.ts';
import type { PartialPolicy } from '../contract/config/policy.ts';
import type { ReleaseSource } from '../contract/config/releases.ts';
import type { RolloutSchedule } from '../contract/config/schedules.ts';
import type { WireMapping } from '../contract/service/wire.ts';

/** The fields of `steproll.config.json`: what may stand in one may stand in the other. */
export interface EndpointRolloutsProps {
  /**
   * Base URL of the service, with its path prefix: https and a host name, or of an origin that stands in
   * `steproll:allowedOrigins` in the context of the app. Where that is there, it has to be one of these.
   */
  readonly endpointUrl: string;

  /**
   * Stands for `{region}` in the endpoint URL.
   *
   * @default - the URL has no `{region}` in it
   */
  readonly region?: string | undefined;

  /**
   * Name of the event bus, and the first part of the names of its rules: 1 to 14 letters, digits,
   * hyphens and underscores. A second instance in an account and region needs one of its own.
   *
   * @default 'steproll'
   */
  readonly name?: string | undefined;

  /**
   * How the service is told who calls. The secret is in AWS Secrets Manager, and is named by its complete
   * ARN.
   *
   * @default - the service is called without credentials
   */
  readonly auth?: AuthSettings | undefined;

  /**
   * How rollouts are done.
   *
   * @default - waves of 1 endpoint, 25 % and 100 %, a bake of 300 s, and `stop-old` on failure
   */
  readonly policy?: PartialPolicy | undefined;

  /**
   * By runtime id, what some runtimes want otherwise. Triggers may roll these runtimes, and no others.
   *
   * @default - triggers may roll nothing
   */
  readonly runtimes?: Readonly<Record<string, { readonly policy: PartialPolicy }>> | undefined;

  /**
   * The service's JSON names, where they are not the usual ones.
   *
   * @default DEFAULT_WIRE
   */
  readonly wire?: WireSettings | undefined;

  /**
   * What starts rollouts by itself, besides what `onRelease` and `onSchedule` add.
   *
   * @default - steproll's own release events, from this account
   */
  readonly triggers?: TriggerSettings | undefined;

  /**
   * Who is told of rollouts and alarms: addresses that subscribe to a topic of the construct's own, or the
   * ARN of a topic of yours.
   *
   * @default - nobody
   */
  readonly notifications?: Notifications | undefined;

  /**
   * The customer managed key that encrypts ledger, queues and logs: `create` for one of the construct's own,
   * which outlives the stack as the ledger does, or the ARN of a key of yours, in the region of the stack,
   * whose policy has the statements of docs/security.md.
   *
   * @default - keys that AWS manages
   */
  readonly kmsKey?: string | undefined;
}

export interface WireSettings {
  /** Of an endpoint; `null` for a field that the service does not send. @default DEFAULT_WIRE.endpoint */
  readonly endpoint?: Partial<WireMapping['endpoint']> | undefined;

  /** Of a page of endpoints. @default DEFAULT_WIRE.page */
  readonly page?: Partial<WireMapping['page']> | undefined;
}

export interface TriggerSettings {
  /** Seconds after which a release event is too late and starts nothing: 60 to 3600. @default 900 */
  readonly maxAgeSeconds?: number | undefined;

  /** Ids of other accounts that may send release events to the bus. @default - none */
  readonly accounts?: readonly string[] | undefined;

  /** Events of other systems that announce releases: 20 at most, with those of `onRelease`. @default - none */
  readonly releases?: readonly ReleaseSource[] | undefined;

  /** Rollouts that start by the clock: 20 at most, with those of `onSchedule`. @default - none */
  readonly schedules?: readonly RolloutSchedule[] | undefined;
}
