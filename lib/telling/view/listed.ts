import * as z from 'zod';
import { time, toTime, toTimeOrNull } from '../../contract/event.ts';
import type { RolloutSummary } from '../../domain/rollout/record.ts';
import { WAIT_KINDS, WAITS, type Wait } from '../../domain/rollout/wait.ts';
import { type AwaitedApproval, approvalIn } from '../story/phase.ts';

/** One rollout of a list, as `steproll rollout list -o json` prints it. */
export type ListedRollout = ReturnType<typeof toListedRollout>;

/**
 * One rollout of a list, in the form for programs. `null` means that there is no value yet. Times are ISO 8601 in
 * UTC.
 */
export function toListedRollout(rollout: RolloutSummary) {
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
    wait: toListedWait(rollout.wait),
    approval: toApproval(approvalIn(rollout)),
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
export function toApproval(approval: AwaitedApproval | null) {
  if (approval === null) return null;
  const { wave, until, onTimeout } = approval;
  return { wave, until: toTimeOrNull(until), onTimeout };
}

/** From start to end in milliseconds. `null`: it has not ended, or the clock was set back and `show` knows it. */
export function tookOf({ startedAt, endedAt }: RolloutSummary): number | null {
  return endedAt === null || endedAt < startedAt ? null : endedAt - startedAt;
}

/** Who or what started a rollout, when and why. */
export function toStarter({ startedBy }: Pick<RolloutSummary, 'startedBy'>) {
  return { ...startedBy, at: toTime(startedBy.at), reason: startedBy.reason ?? null };
}

const meanings = WAIT_KINDS.map((kind) => `${kind}: ${WAITS[kind].means}`).join('; ');

/** What a rollout waits for, in the form for programs. */
export const waitReportSchema = z
  .strictObject({
    for: z.enum(WAIT_KINDS).describe(`${meanings}.`),
    of: z.string().nullable().describe('What it waits for, in words for people.'),
    wave: z.int().min(1).nullable().describe('The wave that it is in. null: it has not begun.'),
    since: time.describe('Since when it waits for that.'),
    until: time
      .nullable()
      .describe('When that is over: it begins, fails, or goes on by itself. null: not known.'),
    lookAt: time
      .nullable()
      .describe('When somebody looks at it again. null: in a list, of one that is under way.'),
  })
  .nullable()
  .describe('What it waits for. null: it is at work, or it has ended.');

/** Of a rollout under way a list knows what it waits for and since when, and of an approval until when. */
function toListedWait(wait: Wait | null): z.input<typeof waitReportSchema> {
  const known = toWaitReport(wait);
  if (known === null || known.wave === null) return known;
  const until = known.for === 'approval' ? known.until : null;
  return { ...known, of: null, until, lookAt: null };
}

export function toWaitReport(wait: Wait | null): z.input<typeof waitReportSchema> {
  if (wait === null) return null;
  const { for: kind, of, wave, since, until, lookAt } = wait;
  return {
    ...{ for: kind, of, wave: wave === null ? null : wave + 1 },
    ...{ since: toTime(since), until: toTimeOrNull(until), lookAt: toTime(lookAt) },
  };
}
