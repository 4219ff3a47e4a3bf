import type { OpenConfig } from '../../contract/config/config.ts';
import type { Instant } from '../../domain/clock.ts';
import type { Meant } from '../../domain/spelling.ts';
import type { GatePorts } from '../../gates/gates.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';

export interface ConfigCheck {
  /** `service`, `credentials`, `runtime`, `statuses`, `policy`, `pattern`, `versions`, `twin`, `windows`, `approval`, `approver`, `schedule`, `webhook`, or the field of a gate in `verify`. */
  readonly check: string;
  /** Id of the runtime or of the rollouts of a group, name of the policy, the schedule or the approver, or place of the webhook or the pattern. `null`: it is about all of them. */
  readonly of: string | null;
  /** `unknown`: nothing answered. `untried`: another fault kept it from being tried. */
  readonly result: 'ok' | 'fault' | 'unknown' | 'untried';
  /** A sentence. */
  readonly message: string;
  /** When the windows open or close, or the schedule is due, in milliseconds since the Unix epoch. @default - never */
  readonly next?: number | null;
  /** Only of a pattern: what it matches in each runtime, and what it was perhaps meant to be. @default - it is none */
  readonly matches?: readonly {
    readonly of: string;
    readonly endpointIds: readonly string[];
    readonly meant: Meant | null;
  }[];
}

export interface OpenedConfig {
  readonly config: Pick<OpenConfig, 'policies' | 'runtimes' | 'groups' | 'triggers' | 'approvers'>;
  /** Rollouts run there, where AWS proves who answers. @default false */
  readonly isOnAws?: boolean;
  readonly runtimes: readonly string[];
  readonly service: Pick<
    EndpointService,
    'abilities' | 'faultOfLists' | 'findTwin' | 'list' | 'listVersions' | 'url'
  >;
  readonly gates: GatePorts;
  /** Name of the place that the URL of the service comes from. */
  readonly urlFrom: string;
  /** Which URL of the configuration another place keeps from being asked, in a sentence. `null`: there is none. */
  readonly unasked: string | null;
  /** Which credentials are sent, in a sentence. */
  readonly credentials: string;
  readonly now: Instant;
}
