import * as z from 'zod';
import { DIRECTIONS } from '../../domain/endpoint/journal.ts';
import type { RolloutEvent } from '../../domain/rollout/event.ts';
import { CLEANUPS, OUTCOME_KINDS } from '../../domain/rollout/outcome.ts';
import { FAILURE_KINDS, FAILURE_POLICIES } from '../../domain/rollout/policy.ts';
import { progressOn, type Signal } from '../../domain/rollout/record.ts';
import { SIGNAL_KINDS } from '../../domain/signals/signals.ts';
import { recordOf } from '../../domain/stored.ts';
import { PHASES } from '../../domain/story/phase.ts';
import type { WaveCount } from '../../domain/story/standing.ts';
import type { Story } from '../../domain/story/story.ts';
import { time, toLifecycleEvent, toTime } from './event.ts';
import { toWaitReport, waitReportSchema } from './listed.ts';

// The lines of `steproll rollout watch -o json`. Fields may be added; none changes its meaning or goes away.

const count = z.int().min(0);
const at = time.describe('When, in UTC.');
const wave = z.int().min(1).nullable().describe('From 1.');

const counts = z.strictObject({
  total: count,
  pending: count,
  inMidRoll: count,
  converged: count,
  lost: count.describe('Failed, gone from the list, or found elsewhere.'),
});

const progress = {
  at,
  phase: z.enum(PHASES),
  direction: z.enum(DIRECTIONS),
  wave,
  waves: count,
  secondsLeft: count
    .nullable()
    .describe(
      'Seconds that are left of the deadline, the bake or the approval; null when nobody counts.',
    ),
  wait: waitReportSchema,
  endpoints: counts.describe(
    'Endpoints, or runtimes of a group, of the plan that is followed now.',
  ),
};

export const WATCH_LINES = {
  event: z
    .strictObject({
      kind: z.literal('event'),
      detailType: z.string().describe('Rollout Started, Wave Started, and so on.'),
      detail: recordOf(z.string(), z.unknown()),
    })
    .describe('An event of the rollout, in the same shape as on the event bus.'),
  signal: z
    .strictObject({
      kind: z.literal('signal'),
      at,
      signal: z.enum(SIGNAL_KINDS),
      wave,
      full: z.boolean().describe('Whether it is said of all waves that follow, too.'),
      onFailure: z.enum(FAILURE_POLICIES).nullable(),
      by: z.string(),
      reason: z.string(),
    })
    .describe('A signal to the rollout, from a person or a newer rollout.'),
  progress: z
    .strictObject({ ...progress, kind: z.literal('progress') })
    .describe('The current phase of the rollout.'),
  child: z
    .strictObject({
      ...progress,
      kind: z.literal('child'),
      rolloutId: z.string(),
      runtimeId: z.string(),
      outcome: z.enum(OUTCOME_KINDS).nullable().describe('null: it is under way.'),
      reason: z.string().nullable().describe('Short and stable.'),
    })
    .describe('Only of a group: the current phase of the rollout of one of its runtimes.'),
  note: z
    .strictObject({ kind: z.literal('note'), at, message: z.string() })
    .describe(
      'About watching itself: the ledger cannot be read, AWS is opening the rollout, its process seems to be dead.',
    ),
  result: z
    .strictObject({
      kind: z.literal('result'),
      rolloutId: z.string(),
      runtimeId: z.string(),
      version: z.int().min(1).nullable(),
      outcome: z.enum(OUTCOME_KINDS),
      failure: z
        .enum(FAILURE_KINDS)
        .nullable()
        .describe(
          'stuck: an endpoint did not get to the version. bad: it did, and is no good. null: neither.',
        ),
      cleanup: z.enum(CLEANUPS),
      reason: z.string().describe('Short and stable.'),
      message: z.string().describe('A sentence for people.'),
      seconds: count,
    })
    .describe('How it ended: the last line.'),
} as const;

type LineOf<Kind extends keyof typeof WATCH_LINES> = z.input<(typeof WATCH_LINES)[Kind]>;
export type WatchLine = {
  readonly [Kind in keyof typeof WATCH_LINES]: LineOf<Kind>;
}[keyof typeof WATCH_LINES];

export function toEventLine(event: RolloutEvent): LineOf<'event'> {
  return { kind: 'event', ...toLifecycleEvent(event) };
}

export function toSignal(signal: Signal): Omit<LineOf<'signal'>, 'kind'> {
  const { kind, by, reason, isFull: full = false, onFailure = null } = signal;
  const wave = signal.wave === null ? null : signal.wave + 1;
  return { at: toTime(signal.at), signal: kind, wave, full, onFailure, by, reason };
}

export function toNoteLine(message: string, now: number): LineOf<'note'> {
  return { kind: 'note', at: toTime(now), message };
}

export function toProgressLine(story: Story): LineOf<'progress'> {
  const { record, now, isAbandoned, phase, waves } = story;
  const { direction } = waves[0] ?? { direction: 'forward' };
  const sum = (count: (wave: WaveCount) => number) =>
    waves.reduce((total, each) => total + count(each), 0);
  const endpoints = {
    total: sum(({ total }) => total),
    inMidRoll: sum(({ inMidRoll }) => inMidRoll),
    converged: sum(({ converged }) => converged),
    lost: sum(({ lost }) => lost),
  };
  const { total, inMidRoll, converged, lost } = endpoints;
  const countdown =
    'deadlineMs' in phase ? phase.deadlineMs : 'leftMs' in phase ? phase.leftMs : null;
  // Nobody counts for a rollout whose process is dead.
  const left = isAbandoned ? null : countdown;
  return {
    kind: 'progress',
    at: toTime(now),
    phase: phase.phase,
    direction,
    // While a rollout turns around, its progress is still that of the way forward.
    wave: waves.length === 0 ? null : (progressOn(record, { direction })?.wave ?? 0) + 1,
    waves: waves.length,
    secondsLeft: left === null ? null : Math.round(left / 1000),
    wait: toWaitReport(record.wait),
    endpoints: { ...endpoints, pending: total - inMidRoll - converged - lost },
  };
}

/** A child of the rollout of a group that is followed. */
export function toChildLine(child: Story): LineOf<'child'> {
  const { rolloutId, runtimeId } = child.record.request;
  const { outcome = null, reason = null } = child.record.outcome ?? {};
  return { ...toProgressLine(child), kind: 'child', rolloutId, runtimeId, outcome, reason };
}
