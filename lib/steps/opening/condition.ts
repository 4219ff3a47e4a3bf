import type { Instant, Seconds } from '../../domain/clock.ts';
import { type ErrorName, SteprollError } from '../../domain/errors.ts';
import type { Hold } from '../../domain/holds/hold.ts';
import type { NotBegun } from '../../domain/rollout/opening.ts';
import type { Ending } from '../../domain/rollout/outcome.ts';
import type { RolloutPlan } from '../../domain/rollout/plan.ts';
import type { RolloutRecord } from '../../domain/rollout/record.ts';
import type { AskedRequest, RolloutRequest } from '../../domain/rollout/request.ts';
import type { Opening, PlannedWait, WaitKind } from '../../domain/rollout/wait.ts';
import type { PatientWait } from '../../domain/turn/queue.ts';
import type { GatePorts } from '../../gates/gates.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { PolicyOf, VerifyPorts } from '../io/ports.ts';

/**
 * Something that has to be true before a rollout begins. Only conditions before it in the list have been met when it
 * is asked.
 *
 * @typeParam Known What it has to know of the rollout.
 * @typeParam Learnt What the conditions after it may know of the rollout, besides.
 */
export interface Condition<Known, Learnt extends object = object> {
  /**
   * Asks whether it is met. It writes nothing: what has to be written is the answer's `effect`. Only a place in line and a
   * lease cannot be asked about without being taken.
   *
   * @throws like a refusal, an error that waiting does not mend.
   */
  readonly ask: (rollout: Known, ports: OpeningPorts) => Promise<Answer<Learnt>>;
  /**
   * What a preview says of it, before anybody has asked for the rollout: often the same as `ask`.
   *
   * @default - the preview has drawn a plan, so it is met, or another condition says it
   */
  readonly foresee?: (rollout: Previewed, ports: PreviewPorts) => Promise<Answer>;
}

export type Answer<Learnt extends object = object> =
  | {
      readonly decision: 'go';
      readonly learnt: Learnt;
      /** Happens before the next condition is asked. */
      readonly effect?: Effect;
    }
  | Hindrance
  | { readonly decision: 'refuse'; readonly error: SteprollError }
  /** The rollout ends without having begun. */
  | { readonly decision: 'end'; readonly ending: Ending };

/** It is not met now, and somebody looks again. */
export interface Hindrance extends PlannedWait {
  readonly decision: 'wait';
  /** What has been answered so far to the questions of its first wave. @default - as before */
  readonly ahead?: NonNullable<Opening['ahead']>;
  /** How long a list was read in vain, which is a part of what it waits for that list. @default 0 */
  readonly readSeconds?: Seconds;
  /** Happens once the wait is in the ledger: nobody gives way to a rollout that may be forgotten. */
  readonly effect?: Effect;
}

type Effect = () => Promise<void>;

/** Is thrown where something cannot be read yet: that is the answer of the condition. */
export class Unread extends Error {
  readonly answer: Extract<Answer, { decision: 'wait' | 'end' }>;

  constructor(answer: Unread['answer']) {
    super(answer.decision);
    this.answer = answer;
  }
}

export const GO = { decision: 'go', learnt: {} } as const;

export interface OpeningPorts extends VerifyPorts {
  readonly policyOf: PolicyOf;
  settleGroup(asked: AskedRequest): Promise<Settled>;
}

export type Settled = Pick<RolloutRequest, 'desiredVersion' | 'versions' | 'passedOver'>;

export interface PreviewPorts {
  readonly ledger: Ledger;
  readonly clock: Pick<Clock, 'now'>;
  /** Whether a rollout has not ended and its process seems to be dead. */
  isAbandoned(rolloutId: string): Promise<boolean>;
  /** @default - nobody here can ask the gates as the rollout would */
  readonly gates?: GatePorts;
}

export interface WithHolds {
  readonly holds: readonly Hold[];
}

/** A rollout of which a plan was drawn, and that nobody has asked for. */
export interface Previewed extends WithHolds {
  readonly window: Answer;
  readonly request: Pick<RolloutRequest, 'runtimeId' | 'desiredVersion' | 'policy' | 'revert'> &
    Pick<AskedRequest, 'again' | 'takeOver'> & { readonly plan: RolloutPlan };
}

/** A rollout with the policy that the configuration says now. Its version may not be known yet. */
export interface Configured extends NotBegun {
  readonly request: Omit<Ready['request'], 'desiredVersion' | 'versions'> &
    Pick<AskedRequest, 'desiredVersion' | 'versions'>;
}

/** A rollout with everything that it needs before it may ask for the lease. */
export interface Ready extends NotBegun {
  readonly request: RolloutRequest & { readonly endpointUrl: string };
}

/** A rollout under way that will be asked to give way. */
export interface Holder {
  readonly active: RolloutRecord;
  readonly wait: Hindrance;
}

/** @param until When it is over. @default - nobody can say */
export function hindrance(
  kind: WaitKind,
  of: string,
  seconds: Seconds,
  until: Instant | null = null,
): Hindrance {
  return { decision: 'wait', for: kind, of, until, seconds: Math.ceil(seconds), step: 'open' };
}

/** A wait for what others make. @param now From when on `secondsLeft` are left. */
export function waitPatiently(
  kind: WaitKind,
  { seconds, secondsLeft, message }: Omit<PatientWait, 'decision'>,
  now: Instant,
): Hindrance {
  return hindrance(kind, message, Math.min(seconds, secondsLeft), now + secondsLeft * 1000);
}

export function refusal(name: ErrorName, message: string): Extract<Answer, { decision: 'refuse' }> {
  return { decision: 'refuse', error: new SteprollError(name, message) };
}
