import * as z from 'zod';
import { time, toLifecycleEvent, toTime, toTimeOrNull } from '../../contract/event.ts';
import { DIRECTIONS } from '../../domain/endpoint/journal.ts';
import { describeScope, type ToldHold } from '../../domain/holds/hold.ts';
import { CLEANUPS, OUTCOME_KINDS } from '../../domain/rollout/outcome.ts';
import { FAILURE_KINDS, FAILURE_POLICIES } from '../../domain/rollout/policy.ts';
import { progressOn, type Signal } from '../../domain/rollout/record.ts';
import { WAIT_KINDS } from '../../domain/rollout/wait.ts';
import { SIGNAL_KINDS } from '../../domain/signals/signals.ts';
import { recordOf } from '../../domain/stored.ts';
import type { LogEntry } from '../story/log.ts';
import { PHASES } from '../story/phase.ts';
import type { WaveCount } from '../story/standing.ts';
import type { Story } from '../story/story.ts';
import { toWaitReport, waitReportSchema } from './listed.ts';

// The lines of `steproll rollout watch -o json`. Fields may be added; none changes its meaning or goes away.

/** What gates answer, in the words for people. */
export const GATE_ANSWER = { pass: 'yes', fail: 'no', unknown: 'none' } as const;
export const GATE_ANSWERS = ['yes', 'no', 'none'] as const;

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

/** A hold, as the log of a rollout has it. */
export const HELD_BY = z.strictObject({
  holdId: z.string(),
  holdKind: z.string(),
  scope: z.string().describe('What it is on, for people: everything, runtime shop.'),
  by: z.string().describe('Its owner.'),
  reason: z.string(),
  until: time.nullable().describe('Its end, in UTC. null: until it is lifted.'),
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
  held: z
    .strictObject({
      kind: z.literal('held'),
      at,
      holds: z.array(HELD_BY),
    })
    .describe('From now on these holds keep the rollout from its next roll and its next wave.'),
  free: z
    .strictObject({
      kind: z.literal('free'),
      at,
      lifted: z
        .array(z.strictObject({ holdId: z.string(), by: z.string(), reason: z.string() }))
        .describe('Those that somebody has lifted. The others have come to their end.'),
    })
    .describe('No hold keeps the rollout any more.'),
  waits: z
    .strictObject({
      kind: z.literal('waits'),
      at,
      for: z.enum(WAIT_KINDS),
      of: z.string().nullable().describe('What it waits for, in words for people.'),
      until: time.nullable().describe('When that is over. null: not known.'),
    })
    .describe('Before it has begun: what it waits for from now on.'),
  gate: z
    .strictObject({
      kind: z.literal('gate'),
      at,
      gate: z.string().describe('"alarm shop-5xx", "metric Errors" or "probe".'),
      isEnforced: z.boolean().describe('false: it only watches.'),
      wave: z.int().min(1),
      answer: z.enum(GATE_ANSWERS),
      message: z.string().describe('Why, in words for people.'),
    })
    .describe('A gate says something else than before.'),
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

/** A line of the log that a rollout has besides its writes. */
export type ToldLine = LineOf<'event' | 'signal' | 'held' | 'free' | 'waits' | 'gate'>;

export const LOG_LINES = z.discriminatedUnion('kind', [
  WATCH_LINES.event,
  WATCH_LINES.signal,
  WATCH_LINES.held,
  WATCH_LINES.free,
  WATCH_LINES.waits,
  WATCH_LINES.gate,
]);

export function toLogLine(entry: Exclude<LogEntry, { kind: 'write' }>): ToldLine {
  const { kind } = entry;
  switch (kind) {
    case 'event':
      return { kind, ...toLifecycleEvent(entry.event) };
    case 'signal':
      return { kind, ...toSignal(entry.signal) };
    case 'held':
      return { kind, at: toTime(entry.at), holds: entry.holds.map(toHeld) };
    case 'free': {
      const lifted = entry.lifted.map(({ id: holdId, by, reason }) => ({ holdId, by, reason }));
      return { kind, at: toTime(entry.at), lifted };
    }
    case 'waits':
      return { ...entry, at: toTime(entry.at), until: toTimeOrNull(entry.until) };
    case 'gate': {
      const { at, gate, isWatching, wave, verdict, detail } = entry;
      const answer = GATE_ANSWER[verdict];
      return {
        ...{ kind, at: toTime(at), gate, isEnforced: isWatching !== true, wave },
        ...{ answer, message: detail },
      };
    }
    default:
      return kind satisfies never;
  }
}

export function toSignal(signal: Signal): Omit<LineOf<'signal'>, 'kind'> {
  const { kind, by, reason, isFull: full = false, onFailure = null } = signal;
  const wave = signal.wave === null ? null : signal.wave + 1;
  return { at: toTime(signal.at), signal: kind, wave, full, onFailure, by, reason };
}

/** A hold, as the log of a rollout has it. */
export function toHeld({
  id,
  kind,
  scope,
  by,
  reason,
  until,
}: ToldHold): LineOf<'held'>['holds'][number] {
  const told = { scope: describeScope(scope), by, reason, until: toTimeOrNull(until) };
  return { holdId: id, holdKind: kind, ...told };
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
