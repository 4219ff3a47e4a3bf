import * as z from 'zod';
import { time, toTime, toTimeOrNull } from '../../contract/event.ts';
import { askedVersionSchema } from '../../contract/input/checks.ts';
import { CLEANUPS, OUTCOME_KINDS } from '../../domain/rollout/outcome.ts';
import { FAILURE_KINDS } from '../../domain/rollout/policy.ts';
import type { RolloutSummary } from '../../domain/rollout/record.ts';
import { STARTER_KINDS } from '../../domain/rollout/request.ts';
import { WAIT_KINDS, WAITS, type Wait } from '../../domain/rollout/wait.ts';
import { recordOf } from '../../domain/stored.ts';
import { type AwaitedApproval, approvalIn } from '../story/phase.ts';

/** The wave that waits for a person. `null`: none does. */
export function toApproval(approval: AwaitedApproval | null) {
  if (approval === null) return null;
  const { wave, until, onTimeout, needed, approvedBy } = approval;
  return {
    wave,
    until: toTimeOrNull(until),
    onTimeout,
    needed,
    approvedBy: approvedBy && [...approvedBy],
  };
}

/** From start to end in milliseconds. `null`: it has not ended, or the clock was set back and `show` knows it. */
export function tookOf({ startedAt, endedAt }: RolloutSummary): number | null {
  return endedAt === null || endedAt < startedAt ? null : endedAt - startedAt;
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

/** What a list knows of a rollout, and every view of it has, too. */
export const HEAD = {
  rolloutId: z.string(),
  runtimeId: z.string(),
  version: z
    .int()
    .min(1)
    .nullable()
    .describe('The desired version. null: it is taken from versionFrom, and not known yet.'),
  versionFrom: z.string().nullable().describe('The endpoint that the version is taken from.'),
  versions: recordOf(z.string(), askedVersionSchema)
    .nullable()
    .describe(
      'The version of each runtime of a group, where they have versions of their own. The version is then the highest one.',
    ),
  revert: z
    .string()
    .nullable()
    .describe('The rollout that this one undoes. The version is then the lowest one before it.'),
  parent: z.string().nullable().describe('The rollout of a group that started this one.'),
  startedBy: z.strictObject({
    kind: z.enum(STARTER_KINDS),
    name: z.string(),
    at: time,
    reason: z.string().nullable().describe('Why, in the words of the person.'),
  }),
  startedAt: time.describe(
    "When it got the runtime's lease, and before that when it was accepted.",
  ),
  wait: waitReportSchema,
  approval: z
    .strictObject({
      wave: z.int().min(1),
      until: time.nullable().describe('null: the time stands still, as under a pause.'),
      onTimeout: z.enum(['approve', 'reject']).describe('What happens then by itself.'),
      needed: z.int().min(1).describe('How many people have to say yes.'),
      approvedBy: z
        .array(z.string())
        .nullable()
        .describe('Those who have, by the names that they said. null: in a list.'),
    })
    .nullable()
    .describe('The wave that waits for a person. null: none does.'),
  endedAt: time.nullable(),
  seconds: z
    .int()
    .min(0)
    .nullable()
    .describe('From start to end, as it was watched: also when the clock was set back meanwhile.'),
  outcome: z.enum(OUTCOME_KINDS).nullable().describe('null: it is under way.'),
  failure: z
    .enum(FAILURE_KINDS)
    .nullable()
    .describe(
      'stuck: an endpoint did not get to the version. bad: it did, and is no good. null: neither.',
    ),
  cleanup: z.enum(CLEANUPS).nullable(),
  reason: z.string().nullable().describe('Short and stable.'),
  message: z.string().nullable().describe('A sentence for people.'),
} as const;

/** One rollout of a list, as `steproll rollout list -o json` prints it. */
export type ListedRollout = { [Field in keyof typeof HEAD]: z.input<(typeof HEAD)[Field]> };

/** What its summary tells of a rollout. */
export function toListedRollout(rollout: RolloutSummary): ListedRollout {
  const { rolloutId, runtimeId, desiredVersion, startedAt, endedAt, startedBy } = rollout;
  const tookMs = tookOf(rollout);
  const { outcome = null, failure = null, cleanup = null } = rollout.outcome ?? {};
  const { reason = null, message = null } = rollout.outcome ?? {};
  return {
    ...{ rolloutId, runtimeId, version: desiredVersion },
    versionFrom: rollout.versionFrom ?? null,
    versions: rollout.versions ?? null,
    revert: rollout.revert ?? null,
    parent: rollout.parent ?? null,
    startedBy: { ...startedBy, at: toTime(startedBy.at), reason: startedBy.reason ?? null },
    startedAt: toTime(startedAt),
    wait: toListedWait(rollout.wait),
    approval: toApproval(approvalIn(rollout)),
    endedAt: toTimeOrNull(endedAt),
    seconds: tookMs === null ? null : Math.round(tookMs / 1000),
    ...{ outcome, failure, cleanup, reason, message },
  };
}

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
