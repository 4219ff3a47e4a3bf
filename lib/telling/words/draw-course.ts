import { describeDuration } from '../../domain/durations.ts';
import type { Page } from '../page.ts';
import type { Course, SPAN_KINDS, Span, Stage } from '../story/course.ts';

type SpanKind = (typeof SPAN_KINDS)[number];
type Format = Parameters<Page['style']>[0];

interface Appearance {
  readonly cell: string;
  /** What the rollout does in it, in the picture's legend and beside its bar. */
  readonly words: string;
  readonly format: Format;
}

/** The cells differ in their shape, so that the picture says the same without colours. */
const LOOKS: Readonly<Record<SpanKind, Appearance>> = {
  waiting: { cell: '·', words: 'waits', format: 'dim' },
  held: { cell: '≡', words: 'held', format: 'yellow' },
  rolling: { cell: '█', words: 'rolls', format: 'cyan' },
  baking: { cell: '░', words: 'bakes', format: 'green' },
  approval: { cell: '▒', words: 'awaits approval', format: 'yellow' },
  failing: { cell: '▓', words: 'contains the failure', format: 'red' },
};

/** A narrower picture shows nothing. Then the words beside it stand alone. */
const NARROWEST = 16;
const WIDEST = 60;
const GAP = '  ';

/**
 * A rollout to scale in time: a line for each stage, with its bar and with the same in words, and a legend. There is no
 * line for a rollout that has done nothing yet. Every span gets a cell, however short it was.
 */
export function drawCourse({ stages, totalMs }: Course, { columns, style }: Page): string[] {
  if (stages.length === 0) return [];
  const rows = stages.map((stage) => ({
    stage,
    title: titleOfStage(stage),
    words: wordsOfStage(stage),
  }));
  const titleWidth = Math.max(...rows.map(({ title }) => title.length));
  const wordsWidth = Math.max(...rows.map(({ words }) => words.length));
  const room = columns - titleWidth - wordsWidth - 2 * GAP.length;
  const width = room < NARROWEST || totalMs === 0 ? 0 : Math.min(room, WIDEST);
  const lines = rows.map(({ stage, title, words }) => {
    const bar = width === 0 ? '' : `${drawBar(stage.spans, totalMs, width, style)}${GAP}`;
    return `${title.padEnd(titleWidth)}${GAP}${bar}${words}`;
  });
  if (width === 0) return lines;
  const end = describeDuration(totalMs);
  const axis = `0${end.padStart(width - 1)}`;
  const margin = ' '.repeat(titleWidth + GAP.length);
  return [`${margin}${style('dim', axis)}`, ...lines, `${margin}${legendOf(stages, style)}`];
}

/** `Wave 2`, `Back 1`: the name of a stage. */
export function titleOfStage({ stage, wave }: Stage): string {
  return { wait: 'Wait', forward: `Wave ${wave}`, back: `Back ${wave}`, failing: 'Failing' }[stage];
}

/** What a rollout did in a stage, with its durations. */
export function wordsOfStage({ spans }: Stage): string {
  return spans
    .map(({ kind, fromMs, toMs }) => `${LOOKS[kind].words} ${describeDuration(toMs - fromMs)}`)
    .join(', ');
}

function drawBar(
  spans: readonly Span[],
  totalMs: number,
  width: number,
  style: Page['style'],
): string {
  const cellOf = (milliseconds: number) => Math.round((milliseconds / totalMs) * width);
  // Spans that are too short for a cell push the later ones on, but never out of the picture.
  let used = Math.min(cellOf(spans[0]?.fromMs ?? 0), width - spans.length);
  let bar = ' '.repeat(used);
  spans.forEach(({ kind, toMs }, index) => {
    const last = width - (spans.length - 1 - index);
    const end = Math.min(Math.max(cellOf(toMs), used + 1), last);
    bar += style(LOOKS[kind].format, LOOKS[kind].cell.repeat(end - used));
    used = end;
  });
  return bar + ' '.repeat(width - used);
}

function legendOf(stages: readonly Stage[], style: Page['style']): string {
  const there = new Set(stages.flatMap(({ spans }) => spans.map(({ kind }) => kind)));
  return [...there]
    .map((kind) => `${style(LOOKS[kind].format, LOOKS[kind].cell)} ${LOOKS[kind].words}`)
    .join('   ');
}
