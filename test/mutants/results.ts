import { readFileSync, writeFileSync } from 'node:fs';
import type { Finding } from './hunt.ts';
import { describeChange, type Mutant } from './mutant.ts';

/** What a hunt has found, as the docs show it. */
export interface Results {
  /** The most rollouts for each mutant. */
  readonly runs: number;
  /** Of the sample. */
  readonly seed: number;
  /** How many mutants there are. */
  readonly of: number;
  /** How many of those that were drawn the compiler refuses. */
  readonly refused: number;
  readonly all: Count;
  readonly files: readonly (Count & { readonly file: string })[];
  /** Those that break no promise. */
  readonly survivors: readonly Survivor[];
  readonly pastDefects: readonly {
    readonly name: string;
    readonly foundIn: number | null;
    readonly noticedIn: number | null;
  }[];
}

interface Survivor {
  readonly file: string;
  readonly change: string;
  /** The first rollout in which the world sees a difference. */
  readonly differsIn: number | null;
  /** In how many rollouts it works out something else. */
  readonly touched: number;
}

interface Count {
  readonly mutants: number;
  /** By a promise that is broken, a crash, or a rollout that comes to no end. */
  readonly found: number;
  /** Of the others, those with which a rollout goes another way. */
  readonly noticed: number;
  /** The median of the rollouts in which the mutants were found. `null`: none was. */
  readonly median: number | null;
}

const FILE = new URL('./results.json', import.meta.url);

export function resultsOf(
  findings: readonly Finding[],
  facts: Pick<Results, 'runs' | 'seed' | 'of' | 'refused'>,
): Results {
  const isPast = ({ mutant }: Finding) => mutant.kind === PAST;
  const mutants = findings.filter((finding) => !isPast(finding));
  const byFile = Map.groupBy(mutants, ({ mutant }) => mutant.file);
  return {
    ...facts,
    all: countOf(mutants),
    files: [...byFile].map(([file, own]) => ({ file, ...countOf(own) })),
    survivors: mutants
      .filter(({ foundIn }) => foundIn === null)
      .map(({ mutant, differsIn, touched }) => ({
        ...{ file: mutant.file, change: describeChange(mutant) },
        ...{ differsIn, touched },
      })),
    pastDefects: findings.filter(isPast).map(({ mutant, foundIn, differsIn }) => ({
      name: mutant.within,
      foundIn,
      noticedIn: differsIn,
    })),
  };
}

const PAST = 'past defect';

/** Neither does a judge tell it, nor does the world see anything else in any rollout. */
export function isLeft({ foundIn, differsIn }: Finding): boolean {
  return foundIn === null && differsIn === null;
}

function countOf(findings: readonly Finding[]): Count {
  const runs = findings
    .flatMap(({ foundIn }) => (foundIn === null ? [] : [foundIn]))
    .toSorted((a, b) => a - b);
  return {
    mutants: findings.length,
    found: runs.length,
    noticed: findings.filter((finding) => finding.foundIn === null && !isLeft(finding)).length,
    median: runs[(runs.length - 1) >> 1] ?? null,
  };
}

export function writeResults(results: Results): void {
  writeFileSync(FILE, `${JSON.stringify(results, null, 2)}\n`);
}

/** The results that were written last. */
export function readResults(): Results {
  return JSON.parse(readFileSync(FILE, 'utf8'));
}

/** Whether a count has left a mutant, wherever in its file it is by now. */
export function survived({ survivors }: Results, mutant: Mutant): boolean {
  const change = describeChange(mutant);
  return survivors.some((one) => one.file === mutant.file && one.change === change);
}

/** How many were found, as a part of the docs. */
export function mutantsSummary(): string {
  const { runs, seed, of, refused, all, pastDefects } = readResults();
  const drawn = all.mutants + refused;
  const which =
    drawn === of
      ? `There are ${grouped(of)} mutants`
      : `${grouped(drawn)} of ${grouped(of)} mutants were drawn, with the seed ${seed}`;
  const percent = (part: number) => `${((100 * part) / all.mutants).toFixed(0)} %`;
  const told = all.found + all.noticed;
  const again = pastDefects.filter(({ foundIn }) => foundIn !== null).length;
  const noticed = pastDefects.filter((one) => one.foundIn === null && one.noticedIn !== null);
  return [
    `${which}. The compiler refuses ${grouped(refused)} of them. Of the other ${grouped(all.mutants)}, **${grouped(all.found)} were found** within ${grouped(runs)} rollouts (${percent(all.found)}), and with ${grouped(all.noticed)} more a rollout went another way: **${percent(told)}** together.`,
    `Of ${pastDefects.length} defects that steproll once had, **${again} were found** again, and ${noticed.length} more were noticed.`,
  ].join('\n\n');
}

function grouped(count: number): string {
  return count.toLocaleString('en');
}
