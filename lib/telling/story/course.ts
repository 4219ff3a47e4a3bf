import type { Estimate } from '../../domain/planning/estimate.ts';
import { type AskedRollout, wasOpened } from '../../domain/rollout/record.ts';
import { linesOf } from './log.ts';

/** What a rollout may do for a while. `held`: a hold keeps it from going on. `failing`: it stops old endpoints, turns around, or holds. */
export const SPAN_KINDS = ['waiting', 'held', 'rolling', 'baking', 'approval', 'failing'] as const;
type SpanKind = (typeof SPAN_KINDS)[number];

export interface Span {
  readonly kind: SpanKind;
  /** Milliseconds since the course began. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** One part of a rollout in time: the wait for its turn, a wave on its way forward or back, or what follows a failure. */
export interface Stage {
  readonly stage: 'wait' | 'forward' | 'back' | 'failing';
  /** 1-based. `null`: it is not a wave. */
  readonly wave: number | null;
  readonly spans: readonly Span[];
}

/** A rollout in time, as it is planned or as it went. */
export interface Course {
  readonly stages: readonly Stage[];
  readonly totalMs: number;
  /** Milliseconds since the Unix epoch. @default - it is only planned */
  readonly beganAt?: number;
}

/** A shorter wait from the request to the begin is not worth telling, or drawing. */
export const WORTH_TELLING_MS = 30_000;

/**
 * The course that an estimate expects.
 *
 * @param beginsAt When the rollout begins that is asked for at `now`. `null`: nobody can say, so it is drawn from its
 *   begin on.
 */
export function courseAhead(
  { waves, waits, seconds }: Pick<Estimate, 'waves' | 'waits' | 'seconds'>,
  beginsAt: number | null,
  now: number,
): Course {
  const waitMs = waves.length === 0 || beginsAt === null ? 0 : beginsAt - now;
  const zero = waitMs < WORTH_TELLING_MS ? 0 : waitMs;
  const at = (second: number) => zero + second * 1000;
  const closed = waits.map((one) => span('waiting', at(one.startsAt), at(one.endsAt)));
  const stages = waves.map(({ startsAt, convergesAt, endsAt }, index): Stage => {
    const bakesUntil = waves[index + 1]?.startsAt ?? endsAt;
    const spans = [
      span('rolling', at(startsAt), at(convergesAt)),
      span('baking', at(convergesAt), at(bakesUntil)),
    ];
    return {
      ...{ stage: 'forward', wave: index + 1 },
      spans: takingTime(closed.reduce(withHeld, spans)),
    };
  });
  return { stages: afterWait(zero, stages), totalMs: at(seconds) };
}

/** The course of a rollout up to its end, or up to `now` in milliseconds since the Unix epoch. */
export function courseOf(record: AskedRollout, now: number): Course {
  const { request, startedAt, opening } = record;
  const { events, endsAt } = neverSetBack(record, now);
  const beganAt = opening === null ? startedAt : endsAt;
  const hasWaited = beganAt - request.startedBy.at >= WORTH_TELLING_MS;
  const zero = hasWaited ? request.startedBy.at : startedAt;
  const at = (time: number) => Math.max(0, time - zero);

  const starts = events.filter(({ kind }) => kind === 'wave-started' || kind === 'failing');
  const stages = starts.map((event, index): Stage => {
    const from = at(event.at);
    const to = at(starts[index + 1]?.at ?? endsAt);
    if (event.kind !== 'wave-started') {
      return { stage: 'failing', wave: null, spans: takingTime([span('failing', from, to)]) };
    }
    const { direction, wave } = event;
    const timeOf = (kind: 'wave-converged' | 'approval-wanted') => {
      const own = events.find(
        (one) => one.kind === kind && one.direction === direction && one.wave === wave,
      );
      return Math.min(own === undefined ? to : at(own.at), to);
    };
    const converged = timeOf('wave-converged');
    const wanted = timeOf('approval-wanted');
    return {
      stage: direction,
      wave,
      spans: takingTime([
        span('rolling', from, converged),
        span('baking', converged, wanted),
        span('approval', wanted, to),
      ]),
    };
  });
  const waitMs = hasWaited ? at(beganAt) : 0;
  const held = [
    ...holdsIn(record).map(({ from, to }) => span('held', at(from), at(to ?? endsAt))),
    ...windowsIn(record).map(({ from, to }) => span('waiting', at(from), at(to ?? endsAt))),
  ];
  const all = afterWait(waitMs, stages).map((stage) => {
    return { ...stage, spans: takingTime(held.reduce(withHeld, stage.spans)) };
  });
  return { stages: all, totalMs: at(endsAt), beganAt: zero };
}

/** When something held it, in order. @returns `to` `null`: it does now, or did at its end */
export function holdsIn(
  record: AskedRollout,
): { readonly from: number; readonly to: number | null }[] {
  const lines = linesOf(record);
  const began = wasOpened(record) ? record.startedAt : record.endedAt;
  const isBefore = ({ at }: { readonly at: number }) => began === null || at < began;
  const ofWait = lines.filter((line) => line.kind === 'waits').filter(isBefore);
  const before = ofWait.flatMap((line, index) => {
    return line.for === 'hold' ? [{ from: line.at, to: ofWait[index + 1]?.at ?? began }] : [];
  });
  const underWay = lines.flatMap((line, index) => {
    if (line.kind !== 'held') return [];
    const next = lines.slice(index + 1).find(({ kind }) => kind === 'held' || kind === 'free');
    return [{ from: line.at, to: next?.at ?? null }];
  });
  return [...before, ...underWay];
}

/** When it waited under way for the window of a wave. */
function windowsIn(record: AskedRollout): { readonly from: number; readonly to: number | null }[] {
  if (!wasOpened(record)) return [];
  return linesOf(record).flatMap((line) => {
    const isUnderWay = line.kind === 'waits' && line.at >= record.startedAt;
    return isUnderWay ? [{ from: line.at, to: line.until }] : [];
  });
}

/** The same spans with what was held cut out of them. A way back, and what follows a failure, is never held. */
function withHeld(spans: readonly Span[], held: Span): readonly Span[] {
  return spans.flatMap((one) => {
    const fromMs = Math.max(one.fromMs, held.fromMs);
    const toMs = Math.min(one.toMs, held.toMs);
    if (toMs <= fromMs || one.kind === 'failing') return [one];
    return [
      span(one.kind, one.fromMs, fromMs),
      span(held.kind, fromMs, toMs),
      span(one.kind, toMs, one.toMs),
    ];
  });
}

/** What took no time is left out. */
function afterWait(waitMs: number, stages: readonly Stage[]): Stage[] {
  const spans = takingTime([span('waiting', 0, waitMs)]);
  const all: Stage[] = [{ stage: 'wait', wave: null, spans }, ...stages];
  return all.filter((each) => each.spans.length > 0);
}

/** The events and the end, as a clock shows them that is never set back. */
function neverSetBack({ startedAt, endedAt, events }: AskedRollout, now: number) {
  let last = startedAt;
  let backMs = 0;
  const shown = (at: number) => {
    backMs += Math.max(0, last - at);
    last = at;
    return at + backMs;
  };
  return {
    events: events.map((event) => ({ ...event, at: shown(event.at) })),
    endsAt: shown(endedAt ?? now),
  };
}

/** A rollout goes through what it has nothing to do in, such as a bake of 0 s, in a few milliseconds. */
const NOTICED_MS = 500;

function takingTime(spans: readonly Span[]): Span[] {
  return spans.filter(({ kind, fromMs, toMs }) => {
    return toMs - fromMs >= (kind === 'rolling' ? 1 : NOTICED_MS);
  });
}

function span(kind: SpanKind, fromMs: number, toMs: number): Span {
  return { kind, fromMs, toMs };
}
