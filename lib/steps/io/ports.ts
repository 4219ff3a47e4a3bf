import type { RolloutInput } from '../../contract/flow/rollout-input.ts';
import type { ExecutionLimits } from '../../domain/decision/hand-over.ts';
import type { Attributes } from '../../domain/endpoint/attributes.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import type { GatePorts } from '../../gates/gates.ts';
import type { StepClock } from '../../ports/clock.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import type { EventBus } from '../../ports/event-bus.ts';
import type { Ledger } from '../../ports/ledger.ts';

/** What a step needs that only reads and writes the record of a rollout. */
export interface RecordPorts {
  readonly ledger: Ledger;
  readonly clock: Pick<StepClock, 'now'>;
  readonly events: EventBus;
  /** @default EXECUTION_LIMITS */
  readonly executionLimits?: ExecutionLimits;
}

/** What a step needs that looks at the endpoints. */
export interface StepPorts extends RecordPorts {
  readonly clock: StepClock;
  readonly service: EndpointService;
  /** Ends a step between two stops. @default - a step ends when its work is done */
  readonly signal?: AbortSignal;
  /** An earlier run of this step was given up, because the rollout was told to end. @default - it was not */
  readonly isTold?: boolean;
  /** @default - no group can be planned here, and no runtime of a group can be rolled */
  readonly groups?: GroupPorts;
}

/** What a step needs that writes to endpoints. It publishes no events, and may have to wait between two writes. */
export type WritePorts = Omit<StepPorts, 'events'>;

/** What the step needs that decides whether a wave may be trusted. */
export interface VerifyPorts extends StepPorts {
  readonly gates: GatePorts;
}

/** Everything that the steps need besides their payloads. */
export interface StepContext extends VerifyPorts {
  readonly policyOf: PolicyOf;
  /** Others may start executions, too, and say in their input what they like. @default - only steproll starts them */
  readonly isOpenToOthers?: true;
}

/** What a rollout of a group needs, whose endpoints are runtimes. Each step has the parts that it uses. */
export interface GroupPorts {
  /** How the runtimes of a group are planned. @default - its plan is drawn elsewhere */
  readonly planning?: GroupPlanning;
  /**
   * Starts the rollout of a runtime. An id that was started before is not started again. When it throws
   * `UpstreamThrottled` or `UpstreamAuth`, nothing was started; after any other error nobody knows.
   *
   * @default - it is started elsewhere
   */
  startChild?(rolloutId: string, input: RolloutInput): Promise<void>;
  /** Goes on with a rollout that is open, if nobody works on it. @default - rollouts go on by themselves */
  keepRunning?(rolloutId: string): Promise<void>;
}

export interface GroupPlanning {
  readonly policyOf: PolicyOf;
  /** The runtimes that a group has in the configuration. `null`: the configuration has no such group. */
  runtimesOf(name: string): readonly string[] | null;
  /** What the configuration says of a runtime, for waves and selections. @default - nothing */
  attributesOf?(runtimeId: string): Attributes;
  /** Whether the configuration names a runtime, be it as retired. @default - nothing is said of that */
  isNamed?(runtimeId: string): boolean;
}

export type StepPayload = Readonly<Record<string, unknown>>;

/** The policy for rollouts of this runtime, when their input has none. */
export type PolicyOf = (runtimeId: string) => RolloutPolicy;
