import { ErrorName } from '../errors.ts';
import type { StartedBy } from '../rollout/request.ts';

/** What asks for a rollout by itself: a release event or a schedule. It says what, never how. */
export interface Trigger {
  readonly kind: 'release' | 'schedule';
  /** The same for every delivery of one trigger, and for no other trigger of its kind. */
  readonly key: string;
  /** When the event was sent or the schedule was due, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** Id of the release, or name of the release source or the schedule. */
  readonly name: string;
  /** Milliseconds that it may be late by its own flexible window. */
  readonly windowMs: number;
  /** Seconds after which it is too late. @default - as the rules say */
  readonly maxAgeSeconds?: number;
  readonly runtimeId: string;
  readonly wanted: WantedVersion;
}

/** A version, or the one that is live on an endpoint of the runtime, by name or id. */
type WantedVersion =
  | { readonly version: number }
  | { readonly versionFrom: { readonly endpoint: string } };

/** What a trigger is judged by. */
export interface TriggerRules {
  /** Ids of the runtimes that a trigger may roll. */
  readonly runtimes: readonly string[];
  /** Seconds after which a trigger is too late that does not say so itself. */
  readonly maxAgeSeconds: number;
}

/** What an execution of the workflow starts with: everything else comes from the configuration. */
export type TriggeredRollout = {
  readonly schemaVersion: 1;
  readonly runtimeId: string;
  readonly startedBy: StartedBy;
} & WantedVersion;

type TriggerDecision =
  | { readonly decision: 'start'; readonly input: TriggeredRollout }
  | { readonly decision: 'refuse'; readonly error: ErrorName; readonly message: string };

/** The clocks of senders may be this much ahead of ours. */
const SKEW_MS = 5 * 60_000;

/** @param now Milliseconds since the Unix epoch. */
export function decideTrigger(trigger: Trigger, rules: TriggerRules, now: number): TriggerDecision {
  const { kind, at, name, windowMs, runtimeId, wanted } = trigger;
  const { maxAgeSeconds = rules.maxAgeSeconds } = trigger;
  const ageMs = now - at;
  // Turned round, so that a time which is none is refused too.
  if (!(ageMs >= -SKEW_MS)) {
    return refuse(
      ErrorName.InvalidTrigger,
      `The ${kind} is of ${secondsIn(-ageMs)} s from now: clocks may differ by ${secondsIn(SKEW_MS)} s.`,
    );
  }
  const limitMs = maxAgeSeconds * 1000 + windowMs;
  if (ageMs > limitMs) {
    return refuse(
      ErrorName.StaleTrigger,
      `The ${kind} is ${secondsIn(ageMs)} s old, and after ${secondsIn(limitMs)} s it starts nothing.`,
    );
  }
  if (!rules.runtimes.includes(runtimeId)) {
    return refuse(
      ErrorName.UnknownRuntime,
      `The ${kind} names the runtime ${JSON.stringify(runtimeId)}, which has no entry in "runtimes" of the configuration.`,
    );
  }
  return {
    decision: 'start',
    input: { schemaVersion: 1, runtimeId, ...wanted, startedBy: { kind, name, at } },
  };
}

function refuse(error: ErrorName, message: string): TriggerDecision {
  return { decision: 'refuse', error, message };
}

function secondsIn(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000);
}
