import { readFileSync, writeFileSync } from 'node:fs';
import { tableOf } from '../docs/markdown-table.ts';
import type { Finding } from './hunt.ts';

/** What a hunt has found, as the docs show it. */
export interface Results {
  /** The most rollouts for each mutant. */
  readonly runs: number;
  /** Of the sample. */
  readonly seed: number;
  /** How many mutants there are that are not known to be equivalent. */
  readonly of: number;
  readonly equivalent: number;
  /** How many of those that were drawn the compiler refuses. */
  readonly refused: number;
  readonly all: Count;
  readonly files: readonly (Count & { readonly file: string })[];
  readonly pastDefects: readonly { readonly name: string; readonly foundIn: number | null }[];
}

interface Count {
  readonly mutants: number;
  readonly found: number;
  /** The median of the rollouts in which the mutants were found. `null`: none was. */
  readonly median: number | null;
}

const FILE = new URL('./results.json', import.meta.url);

export function resultsOf(
  findings: readonly Finding[],
  facts: Pick<Results, 'runs' | 'seed' | 'of' | 'equivalent' | 'refused'>,
): Results {
  const isPast = ({ mutant }: Finding) => mutant.kind === PAST;
  const mutants = findings.filter((finding) => !isPast(finding));
  const byFile = Map.groupBy(mutants, ({ mutant }) => mutant.file);
  return {
    ...facts,
    all: countOf(mutants),
    files: [...byFile].map(([file, own]) => ({ file, ...countOf(own) })),
    pastDefects: findings
      .filter(isPast)
      .map(({ mutant, foundIn }) => ({ name: mutant.on, foundIn })),
  };
}

const PAST = 'past defect';

function countOf(findings: readonly Finding[]): Count {
  const runs = findings
    .flatMap(({ foundIn }) => (foundIn === null ? [] : [foundIn]))
    .toSorted((a, b) => a - b);
  return {
    mutants: findings.length,
    found: runs.length,
    median: runs[(runs.length - 1) >> 1] ?? null,
  };
}

export function writeResults(results: Results): void {
  writeFileSync(FILE, `${JSON.stringify(results, null, 2)}\n`);
}

/** The results that were written last, as a part of the docs. */
export function mutantsTable(): string {
  const results: Results = JSON.parse(readFileSync(FILE, 'utf8'));
  const { runs, seed, of, refused, all, files, pastDefects } = results;
  const row = (name: string, { mutants, found, median }: Count) => [
    name,
    `${mutants}`,
    `${found}`,
    median === null ? '' : `${median}`,
    `${mutants - found}`,
  ];
  const head = ['file', 'mutants', 'found', 'median run', 'left'];
  const again = pastDefects.filter(({ foundIn }) => foundIn !== null).length;
  const counts = `${grouped(all.mutants + refused)} of ${grouped(of)} mutants were drawn, with the seed ${seed}`;
  const share = `${((100 * all.found) / all.mutants).toFixed(0)} %`;
  return [
    `${counts}. The compiler refuses ${refused} of them. Of the other ${all.mutants}, **${all.found} were found** within ${grouped(runs)} rollouts: ${share}.`,
    tableOf(head, [...files.map((one) => row(`\`${one.file}\``, one)), row('all', all)]),
    `Of ${pastDefects.length} defects that steproll once had, **${again} were found** again:`,
    tableOf(
      ['defect', 'found in run'],
      pastDefects.map(({ name, foundIn }) => [name, foundIn === null ? 'not found' : `${foundIn}`]),
    ),
  ].join('\n\n');
}

function grouped(count: number): string {
  return count.toLocaleString('en');
}
