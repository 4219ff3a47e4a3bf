import { medianRatio, type Rounds } from '../interleave.ts';

/** Loading alone, the same with V8's compile cache, loading and the answer to a first event. */
export const MEASURES = ['load', 'load, cached', 'answer'] as const;
export type Measure = (typeof MEASURES)[number];

interface Size {
  readonly name: string;
  readonly bytes: number;
}

const NOTHING = 'empty';
const FETCH = 'list-fetch';

/** A table of medians: a row for each bundle, for each measure the ratio to nothing and to fetch. */
export function render(sizes: readonly Size[], times: Rounds, rounds: number): string[] {
  return [
    'A cold start: CPU time of a whole process as a ratio to that of one which loads an empty handler',
    `and, after the slash, to the list over fetch in the same round; the median of ${rounds} rounds.`,
    '',
    row('', 'kB', ...MEASURES),
    ...sizes.map(({ name, bytes }) =>
      row(
        name,
        (bytes / 1_000).toFixed(0),
        ...MEASURES.map((measure) => ratiosOf(times, measure, name)),
      ),
    ),
  ];
}

function ratiosOf(times: Rounds, measure: Measure, name: string): string {
  const key = `${measure} ${name}`;
  if (times[key] === undefined) return '';
  return [NOTHING, FETCH]
    .map((base) => medianRatio(times, key, `${measure} ${base}`).toFixed(2))
    .join(' / ');
}

function row(name: string, size: string, ...cells: readonly string[]): string {
  const line = `${name.padEnd(14)}${size.padStart(5)}${cells.map((cell) => cell.padStart(15)).join('')}`;
  return line.trimEnd();
}
