import * as z from 'zod';
import type { RolloutSummary } from '../../domain/rollout/record.ts';
import { WAITS, type Wait, type Waiting } from '../../domain/rollout/waiting.ts';
import type { Phase } from '../../domain/story/phase.ts';
import { time, toTime, toTimeOrNull } from './event.ts';

/** One rollout of a list, as `steproll rollout list -o json` prints it. */
export type ListedRollout = ReturnType<typeof toListedRollout>;

/**
 * One rollout of a list, in the form for programs. `null` means that there is no value yet. Times are ISO 8601 in
 * UTC.
 *
 * @param phase What it does. `null`: nobody has to know, or it waits for nobody.
 */
export function toListedRollout(rollout: RolloutSummary, phase: Phase | null) {
  const { rolloutId, runtimeId, desiredVersion, startedAt, endedAt, outcome } = rollout;
  const tookMs = tookOf(rollout);
  return {
    rolloutId,
    runtimeId,
    // Of runtimes with versions of their own, `show` tells them.
    version: rollout.versions === undefined ? desiredVersion : null,
    versionFrom: rollout.versionFrom ?? null,
    revert: rollout.revert ?? null,
    parent: rollout.parent ?? null,
    startedBy: toStarter(rollout),
    startedAt: toTime(startedAt),
    waiting: toWaitingReport(rollout.waiting),
    approval: toApproval(phase),
    endedAt: toTimeOrNull(endedAt),
    seconds: tookMs === null ? null : Math.round(tookMs / 1000),
    ...toEnd(outcome),
  };
}

/** How a rollout ended. */
export function toEnd(end: RolloutSummary['outcome']) {
  const {
    outcome = null,
    failure = null,
    cleanup = null,
    reason = null,
    message = null,
  } = end ?? {};
  return { outcome, failure, cleanup, reason, message };
}

/** The wave that waits for a person. `null`: none does. */
export function toApproval(phase: Phase | null) {
  if (phase?.phase !== 'approval') return null;
  const { wave, until, onTimeout } = phase;
  return { wave, until: toTime(until), onTimeout };
}

/** From start to end in milliseconds. `null`: it has not ended, or the clock was set back and `show` knows it. */
export function tookOf({ startedAt, endedAt }: RolloutSummary): number | null {
  return endedAt === null || endedAt < startedAt ? null : endedAt - startedAt;
}

/** Who or what started a rollout, when and why. */
export function toStarter({ startedBy }: Pick<RolloutSummary, 'startedBy'>) {
  return { ...startedBy, at: toTime(startedBy.at), reason: startedBy.reason ?? null };
}

const MEANINGS: Readonly<Record<Wait, string>> = {
  start: 'it was accepted just now',
  window: 'a deployment window',
  hold: 'somebody holds it',
  turn: 'another rollout of the runtime',
  gate: 'a gate is red, or has yet to say yes',
  version: 'the version is being made',
  list: 'the list of endpoints',
};

/** What a rollout that has not begun waits for, in the form for programs. */
export const waitingReportSchema = z
  .strictObject({
    for: z.enum(WAITS).describe(`${WAITS.map((wait) => `${wait}: ${MEANINGS[wait]}`).join('; ')}.`),
    message: z.string().describe('A sentence for people.'),
    wakesAt: time.describe('When somebody looks at it again.'),
    until: time.nullable().describe('When it begins, or has waited too long. null: not known.'),
  })
  .nullable()
  .describe('What it waits for before it can begin. null: nothing.');

export function toWaitingReport(waiting: Waiting | null): z.input<typeof waitingReportSchema> {
  if (waiting === null) return null;
  const { message, wakesAt, until } = waiting;
  return {
    for: waiting.for,
    message,
    wakesAt: toTime(wakesAt),
    until: toTimeOrNull(until),
  };
}
