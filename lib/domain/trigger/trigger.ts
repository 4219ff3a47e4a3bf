import { type Instant, MOST_SKEW_MS } from '../clock.ts';
import { ErrorName, SteprollError } from '../errors.ts';
import { groupNameOf } from '../rollout/group.ts';
import type { AskedVersion, StartedBy } from '../rollout/request.ts';

/** Something that asks for a rollout without a person: a release event or a schedule. It says what to roll, never how. */
export interface Trigger {
  readonly kind: 'release' | 'schedule';
  /** The same for every delivery of one trigger, and different for every other trigger of its kind. */
  readonly key: string;
  /** When the event was sent or the schedule was due, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** Id of the release, or name of the release source or the schedule. */
  readonly name: string;
  /** What its sender calls the release. @default - nobody has said where that is, or it is no release */
  readonly releaseId?: string;
  /** How many milliseconds late its own flexible time window allows it to be. */
  readonly windowMs: number;
  /** The trigger is too late after so many seconds. @default - the value of the rules */
  readonly maxAgeSeconds?: number;
  /** Id of the runtime, or that of the rollouts of a group. */
  readonly runtimeId: string;
  readonly wanted: WantedVersion;
}

/** A version, the latest one, or the name or id of an endpoint of the runtime whose live version is taken. */
type WantedVersion =
  | { readonly version: AskedVersion }
  | { readonly versionFrom: { readonly endpoint: string } };

export interface TriggerRules {
  /** Ids of the runtimes that a trigger may roll. */
  readonly runtimes: readonly string[];
  /** Names of the groups that a trigger may roll. */
  readonly groups: readonly string[];
  /** A trigger without a limit of its own is too late after so many seconds. */
  readonly maxAgeSeconds: number;
  /** What makes two events one release, which is rolled once. @default - each event is a release of its own */
  readonly once?: 'releaseId' | undefined;
}

/** The input of an execution of the workflow. Everything else comes from the configuration. */
export type TriggeredRollout = {
  readonly schemaVersion: 1;
  readonly runtimeId: string;
  readonly startedBy: StartedBy;
} & WantedVersion;

/** What a trigger starts. @throws `InvalidTrigger`, `StaleTrigger`, `UnknownRuntime` */
export function decideTrigger(
  trigger: Trigger,
  rules: TriggerRules,
  now: Instant,
): TriggeredRollout {
  const { kind, at, name, windowMs, runtimeId, wanted } = trigger;
  const { maxAgeSeconds = rules.maxAgeSeconds } = trigger;
  const ageMs = now - at;
  // The condition is negated so that it also refuses a time that is not a number.
  if (!(ageMs >= -MOST_SKEW_MS)) {
    throw new SteprollError(
      ErrorName.InvalidTrigger,
      `The ${kind} is of ${secondsIn(-ageMs)} s from now: clocks may differ by ${secondsIn(MOST_SKEW_MS)} s.`,
    );
  }
  const limitMs = maxAgeSeconds * 1000 + windowMs;
  if (ageMs > limitMs) {
    throw new SteprollError(
      ErrorName.StaleTrigger,
      `The ${kind} is ${secondsIn(ageMs)} s old, and after ${secondsIn(limitMs)} s it starts nothing.`,
    );
  }
  if (!mayTrigger(runtimeId, rules)) {
    const group = groupNameOf(runtimeId);
    const noun = group === null ? 'runtime' : 'group';
    throw new SteprollError(
      ErrorName.UnknownRuntime,
      `The ${kind} names the ${noun} ${JSON.stringify(group ?? runtimeId)}, which has no entry in "${noun}s" of the configuration.`,
    );
  }
  return { schemaVersion: 1, runtimeId, ...wanted, startedBy: { kind, name, at } };
}

export function mayTrigger(
  runtimeId: string,
  { runtimes, groups }: Pick<TriggerRules, 'runtimes' | 'groups'>,
): boolean {
  const group = groupNameOf(runtimeId);
  return group === null ? runtimes.includes(runtimeId) : groups.includes(group);
}

export const DEFAULT_CATCH_UP_SECONDS = 3600;

/** A start that is less late is not missed: timers need some time, too, and EventBridge allows no smaller value. */
const SHORTEST_SECONDS = 60;

/** For how many seconds after its time a schedule may still start its rollout. */
export function catchUpSecondsOf({
  catchUpSeconds = DEFAULT_CATCH_UP_SECONDS,
}: {
  readonly catchUpSeconds?: number | undefined;
}): number {
  return Math.max(catchUpSeconds, SHORTEST_SECONDS);
}

function secondsIn(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000);
}
