import { countOf } from '../../domain/sentences.ts';
import type { WaveCount } from '../../domain/story/standing.ts';
import type { Screen } from '../terminal/screen.ts';
import { cutTo } from '../terminal/width.ts';

const SIGN = { done: '✔', current: '●', waiting: '○' } as const;
const FORMAT = { done: 'green', current: 'yellow', waiting: 'dim' } as const;

/**
 * The waves as bars, in at most `room` lines. The current wave is always shown, and waves that do not fit are
 * counted.
 */
export function renderWaves(waves: readonly WaveCount[], room: number, screen: Screen): string[] {
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
