import stringWidth from 'string-width';
import { describeStarter, describeWanted } from '../../domain/events/describe-event.ts';
import type { AskedRollout } from '../../domain/rollout.ts';
import { type Phase, phaseOf } from '../../domain/story/phase.ts';
import { clockTime } from './clock-time.ts';
import { describeDuration } from './describe-duration.ts';
import { describeHappening, isEnd, sentencesOf } from './describe-happening.ts';
import { describePhase } from './describe-phase.ts';
import { describeWants } from './describe-wants.ts';
import { cutTo, plainText } from './plain-text.ts';
import { renderEndpoints, type SeenEndpoints } from './render-endpoints.ts';
import { renderWaves } from './render-waves.ts';
import { nameOfWave, type RolloutModel } from './rollout-model.ts';
import type { Screen } from './screen.ts';
import { wrapText } from './wrap-text.ts';

export interface Frame {
  readonly model: RolloutModel;
  /** What the last read of the list says. `null`: nobody here reads it. */
  readonly seen: SeenEndpoints | null;
  /** About watching itself: the ledger cannot be read. `null`: all is well. */
  readonly note: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** What a command needs behind it to find the engine; begins with a space, or is empty. */
  readonly where: string;
}

/** One picture of a rollout, as wide and as high as the screen at most. */
export function renderFrame(frame: Frame, screen: Screen): string[] {
  const { model, now } = frame;
  const { record } = model;
  const phase = phaseOf(record, now);
  const room = roomOf(screen.rows);
  const top = [
    screen.style('bold', cutTo(titleOf(record), screen.columns)),
    ...(room.isTall ? [screen.style('dim', subtitleOf(record, screen.columns))] : []),
    ...bannerOf(frame, phase, screen),
  ];
  const gap = room.isTall ? [''] : [];
  const waves = renderWaves(model.waves, room.waves, screen);
  const told = lastHappenings(model, room.happenings, screen);
  const last = lastLine(model, phase, now, screen);
  const used = [top, waves, told, last].flat().length + gap.length * (told.length > 0 ? 4 : 3);
  const left = room.lines - used;
  const endpoints = renderEndpoints(model.rows, frame.seen, now, left, screen);
  const parts = [top, waves, endpoints, told, last].filter((part) => part.length > 0);
  const lines = parts.flatMap((part, index) => (index === 0 ? part : [...gap, ...part]));
  // What is wanted of people and what goes on now stay, however small the terminal is.
  return lines.length <= room.lines
    ? lines
    : [...lines.slice(0, Math.max(0, room.lines - last.length)), ...last];
}

/** What there is room for on a terminal of so many rows; the last one is the cursor's. */
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
  // Half of an id helps nobody.
  return stringWidth(whole) <= columns ? whole : cutTo(start, columns);
}

function bannerOf({ model, note, now, where }: Frame, phase: Phase, screen: Screen): string[] {
  const { record } = model;
  const failing = record.events.find((event) => event.kind === 'failing');
  const cause = record.rollback?.cause.message ?? (failing && sentencesOf(failing));
  const wants = describeWants(record, phase, now, where);
  return [
    ...wrap(cause === undefined || phase.phase === 'ended' ? [] : [cause], 'red', screen),
    ...wrap(wants, 'yellow', screen),
    ...wrap(note === null ? [] : [note], 'yellow', screen),
  ];
}

function wrap(texts: readonly string[], format: 'red' | 'yellow', screen: Screen): string[] {
  return texts
    .flatMap((text) => wrapText(plainText(text), screen.columns, '  ').slice(0, MOST_LINES))
    .map((line) => screen.style(format, line));
}

/** Of one text above the waves. */
const MOST_LINES = 3;

function lastHappenings(model: RolloutModel, most: number, screen: Screen): string[] {
  if (most === 0) return [];
  const told = model.happenings.filter((happening) => !isEnd(happening));
  return told.slice(-most).map((happening) => {
    const text = `${clockTime(happening.at)}  ${describeHappening(happening, model.record)}`;
    return cutTo(text, screen.columns);
  });
}

/** The end is told by whoever draws: it stays when the picture is gone. */
function lastLine(model: RolloutModel, phase: Phase, now: number, screen: Screen): string[] {
  if (phase.phase === 'ended') return [];
  const elapsed = describeDuration(Math.max(0, now - model.record.startedAt));
  const text = describePhase(phase, nameOfWave(model));
  const whole = `${text} · ${elapsed}`;
  const fits = stringWidth(whole) <= screen.columns;
  return [screen.style('cyan', fits ? whole : cutTo(text, screen.columns))];
}
