import { describeDuration } from '../../domain/durations.ts';
import type { Endpoint } from '../../domain/endpoint/endpoint.ts';
import { clockTime } from '../../domain/local-time.ts';
import { failingOf } from '../../domain/rollout/event.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import { type AskedRollout, elapsedOf } from '../../domain/rollout/record.ts';
import { describeStarter, describeWanted } from '../../domain/rollout/request.ts';
import { countOf } from '../../domain/sentences.ts';
import type { Clock } from '../../ports/clock.ts';
import type { WaveCount } from '../../telling/story/standing.ts';
import { type Story, storyOf } from '../../telling/story/story.ts';
import { plainText } from '../../telling/text.ts';
import { cutTo, textWidth, wrapCommand, wrapText } from '../../telling/width.ts';
import { describeHappening, isEnd, sentencesOf } from '../../telling/words/happening.ts';
import { describeState, linesOf } from '../../telling/words/phase.ts';
import type { EngineArguments } from '../../telling/words/stuck.ts';
import { describeCourse, isWorthCounting, presentOf } from '../../telling/words/view.ts';
import type { Screen } from '../terminal/screen.ts';
import { renderEndpoints, type SeenEndpoints } from './endpoints.ts';
import type { LiveView } from './view.ts';

export interface Frame {
  readonly story: Story;
  /** The last read of the list. `null`: nobody here reads it. */
  readonly seen: SeenEndpoints | null;
  /** The rollouts of its runtimes, if it is of a group. @default - there are none */
  readonly children?: readonly AskedRollout[];
  /** A note about the watching itself, such as a ledger that cannot be read. `null`: all is well. */
  readonly note: string | null;
  readonly engine: EngineArguments;
}

/** One picture of a rollout, at most as wide and as high as the screen. */
export function renderFrame(frame: Frame, screen: Screen): string[] {
  const { story, seen } = frame;
  const { record, at: now } = story;
  const room = roomOf(screen.rows);
  const top = [
    screen.style('bold', cutTo(titleOf(record), screen.columns)),
    ...(room.isTall ? [screen.style('dim', subtitleOf(record, screen.columns))] : []),
    ...bannerOf(frame, screen),
  ];
  const gap = room.isTall ? [''] : [];
  const waves = renderWaves(story.waves, room.waves, screen);
  const told = lastHappenings(story, room.happenings, screen);
  const last = bottomOf(frame, screen);
  const used = [top, waves, told, last].flat().length + gap.length * (told.length > 0 ? 4 : 3);
  const left = room.lines - used;
  const wanted = describeWanted(record.request);
  const around = { seen, children: childrenByRuntime(frame), wanted, now };
  const endpoints = renderEndpoints(story.rows, around, left, screen);
  const parts = [top, waves, endpoints, told, last].filter((part) => part.length > 0);
  const lines = parts.flatMap((part, index) => (index === 0 ? part : [...gap, ...part]));
  // What people have to do, and what happens now, is always shown, however small the terminal is.
  return lines.length <= room.lines
    ? lines
    : [...lines.slice(0, Math.max(0, room.lines - last.length)), ...last];
}

function childrenByRuntime({ story, children = [] }: Frame) {
  if (groupNameOf(story.record.request.runtimeId) === null) return null;
  return new Map(children.map((child) => [child.request.runtimeId, child]));
}

/** How many lines each part may have on a terminal with so many rows. The last row is for the cursor. */
function roomOf(rows: number) {
  return {
    lines: Math.max(1, rows - 1),
    isTall: rows >= TALL,
    waves: Math.max(1, Math.floor(rows / 4)),
    happenings: rows >= TALL ? Math.floor(rows / 8) : 0,
  };
}

const TALL = 18;

function titleOf({ request, rollback }: AskedRollout): string {
  const goal =
    rollback === null
      ? `→ ${describeWanted(request)}`
      : `← from ${describeWanted(request)} back to the versions before`;
  return plainText(`${request.runtimeId} ${goal}`);
}

function subtitleOf({ request, startedAt }: AskedRollout, columns: number): string {
  const { startedBy, rolloutId } = request;
  const start = plainText(`Started by ${describeStarter(startedBy)} at ${clockTime(startedAt)}`);
  const whole = `${start} · ${rolloutId}`;
  // Half of an id is useless.
  return textWidth(whole) <= columns ? whole : cutTo(start, columns);
}

function bannerOf({ story, note }: Frame, screen: Screen): string[] {
  const { record, phase } = story;
  const failing = failingOf(record.events);
  const cause = record.rollback?.cause.message ?? (failing && sentencesOf(failing));
  return [
    ...wrap(cause === undefined || phase.phase === 'ended' ? [] : [cause], 'red', screen),
    ...wrap(note === null ? [] : [note], 'yellow', screen),
  ];
}

function wrap(texts: readonly string[], format: 'red' | 'yellow', screen: Screen): string[] {
  return texts
    .flatMap((text) => wrapText(plainText(text), screen.columns, '  ').slice(0, MOST_LINES))
    .map((line) => screen.style(format, line));
}

/** The most lines of one text above the waves. */
const MOST_LINES = 3;

function lastHappenings({ happenings }: Story, most: number, screen: Screen): string[] {
  if (most === 0) return [];
  const told = happenings.filter((happening) => !isEnd(happening));
  return told.slice(-most).map((happening) => {
    const text = `${clockTime(happening.at)}  ${describeHappening(happening)}`;
    return cutTo(text, screen.columns);
  });
}

/** What it does now, what its gates have said against it, and at the end what people have to know or do, uncut. */
function bottomOf({ story, engine }: Frame, screen: Screen): string[] {
  const { gates, wants } = presentOf(story, engine);
  const against = gates.filter(isWorthCounting).map((course) => {
    const why = course.lastNo === null ? '' : `: ${course.lastNo}`;
    return plainText(`Gate ${describeCourse(course)}${why}`);
  });
  return [
    ...lastLine(story, screen),
    ...against.flatMap((text) => wrapText(text, screen.columns, '  ')),
    ...linesOf(wants)
      .flatMap((line) => wrapCommand(plainText(line), screen.columns))
      .map((line) => screen.style('yellow', line)),
  ];
}

/** The caller prints the end of the rollout, because that stays when the picture is gone. */
function lastLine(story: Story, screen: Screen): string[] {
  const { record, at, phase, isAbandoned } = story;
  if (phase.phase === 'ended') return [];
  const text = describeState(story);
  const { readAt = null, looks = 0 } = record.progress ?? {};
  const list = readAt === null || looks === 0 ? '' : ` · list as of ${clockTime(readAt)}`;
  const forHowLong = `${text} · ${describeDuration(elapsedOf(record, at))}`;
  const withList = textWidth(forHowLong + list) <= screen.columns ? forHowLong + list : forHowLong;
  const whole = isAbandoned ? text : withList;
  const fits = textWidth(whole) <= screen.columns;
  // What waits says until when at its end, which is not cut off.
  const isDoubt = phase.phase === 'baking' && phase.doubt !== null;
  const isWait = isAbandoned || phase.phase === 'waiting' || phase.phase === 'approval' || isDoubt;
  const lines = fits ? [whole] : isWait ? wrapText(text, screen.columns, '  ') : [text];
  return lines.map((line) => screen.style('cyan', cutTo(line, screen.columns)));
}

export interface FrameView extends LiveView {
  /** Shows a list that this very process has read. */
  see(endpoints: readonly Endpoint[]): void;
}

/** Milliseconds between two frames: countdowns change, and the terminal may be resized. */
const FRAME_MS = 250;

/** Draws a rollout again and again in the same place. */
export function createFrameView(
  screen: Screen,
  clock: Pick<Clock, 'now'>,
  engine: EngineArguments = '',
): FrameView {
  let shown: AskedRollout | null = null;
  let lists: readonly { readonly at: number; readonly endpoints: SeenEndpoints }[] = [];
  let note: string | null = null;
  let isAbandoned = false;
  let children: readonly AskedRollout[] = [];
  const draw = () => {
    if (shown === null) return screen.frame(note === null ? [] : wrap([note], 'yellow', screen));
    const story = storyOf(shown, clock.now(), isAbandoned);
    const seen = lists[0]?.endpoints ?? null;
    screen.frame(renderFrame({ story, seen, children, note, engine }, screen));
  };
  const timer = setInterval(draw, FRAME_MS);
  return {
    update(record, isDead = false, ofRuntimes = []) {
      isAbandoned = isDead;
      children = ofRuntimes;
      if (record === shown) return;
      shown = record;
      // Waves and endpoints show the same look. A list that was read since then belongs to a later record.
      const { readAt = Number.POSITIVE_INFINITY } = record.progress ?? {};
      const own = lists.findLastIndex(({ at }) => at <= readAt);
      lists = lists.slice(Math.max(0, own));
    },
    note(text) {
      note = text;
    },
    see(endpoints) {
      const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
      lists = [...lists, { at: clock.now(), endpoints: byId }];
    },
    end() {
      clearInterval(timer);
      draw();
      screen.endFrame();
    },
  };
}

const SIGN = { done: '✔', current: '●', waiting: '○' } as const;
const FORMAT = { done: 'green', current: 'yellow', waiting: 'dim' } as const;

/**
 * The waves as bars, in at most `room` lines. The current wave is always shown, and waves that do not fit are
 * counted.
 */
function renderWaves(waves: readonly WaveCount[], room: number, screen: Screen): string[] {
  const current = waves.findIndex(({ state }) => state !== 'done');
  const focus = current < 0 ? waves.length - 1 : current;
  const isFolded = waves.length > room;
  // If there is room, two lines count the waves that are left out.
  const isCounted = isFolded && room > 2;
  const shown = Math.min(waves.length, isCounted ? room - 2 : room);
  const from = Math.max(0, Math.min(focus - Math.floor(shown / 3), waves.length - shown));
  const bars = waves.slice(from, from + shown);
  const lines = bars.map((wave) => renderWave(wave, bars, screen));
  if (!isCounted) return lines;
  return [
    ...fold(from, 'before', screen),
    ...lines,
    ...fold(waves.length - from - shown, 'to come', screen),
  ];
}

function renderWave(wave: WaveCount, all: readonly WaveCount[], screen: Screen): string {
  const { state, converged, total, inMidRoll, lost } = wave;
  const widest = (texts: readonly string[]) => Math.max(...texts.map((text) => text.length));
  const name = nameOf(wave).padEnd(widest(all.map(nameOf)));
  const count = convergedIn(wave).padStart(widest(all.map(convergedIn)));
  const width = Math.max(NARROWEST_BAR, Math.min(WIDEST_BAR, Math.floor(screen.columns / 4)));
  const filled = Math.floor((width * converged) / total);
  const bar = '█'.repeat(filled) + '░'.repeat(width - filled);
  const notes = [
    ...(lost > 0 ? [`${lost} lost`] : []),
    ...(state === 'current' && inMidRoll > 0 ? [`${inMidRoll} in mid-roll`] : []),
  ];
  const text = notes.reduce(
    (line, note) =>
      line.length + GAP.length + note.length > screen.columns ? line : line + GAP + note,
    [`${SIGN[state]} ${name}`, bar, count].join(GAP),
  );
  return screen.style(lost > 0 ? 'red' : FORMAT[state], cutTo(text, screen.columns));
}

const GAP = '  ';
const NARROWEST_BAR = 10;
const WIDEST_BAR = 40;

function nameOf({ direction, wave }: WaveCount): string {
  return direction === 'back' ? 'Rollback' : `Wave ${wave}`;
}

function convergedIn({ converged, total }: WaveCount): string {
  return `${converged}/${total}`;
}

function fold(count: number, where: string, screen: Screen): string[] {
  if (count === 0) return [];
  return [screen.style('dim', `  ${countOf(count, 'wave')} ${where}`)];
}
