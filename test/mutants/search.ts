import { appendFileSync } from 'node:fs';
import { runJobs } from '../../lib/adapters/machine/threads.ts';
import {
  CORPUS,
  CORPUS_FILE,
  type Difference,
  differenceOf,
  type Kept,
  toOrdeal,
} from '../scenarios/simulation/corpus.ts';
import type { Ordeal } from '../scenarios/simulation/ordeal.ts';
import {
  type Copies,
  type Finding,
  type Hunted,
  type HuntOptions,
  rehearseAll,
  rolloutsOf,
  THREAD,
} from './hunt.ts';
import { describeChange } from './mutant.ts';
import { type Aim, isShown, type Reduction, reduce, type Showing } from './reduce.ts';
import { isLeft } from './results.ts';
import { drawOrdeals, type Trial, tryMutant, type Verdict } from './trial.ts';

/** So many rollouts are drawn at once. */
const EACH = 1_000;

/** A mutant that nobody has found in so many rollouts of a thousand is not tried in more of them. */
const MOST_TRIED = 20;

interface SearchOptions extends Pick<HuntOptions, 'onProgress'> {
  /** What a hunt has found out about all of them. */
  readonly findings: readonly Finding[];
  /** How many rollouts are drawn. */
  readonly count: number;
}

/**
 * Looks through other rollouts for some in which a judge objects to mutants that were not found, and adds the smallest
 * ones to the corpus. In the end it adds those in which the world sees something of what is still left. Every second
 * thousand are crossings of the corpus, because whatever is rare is near to what was rare before.
 */
export async function search(
  { copy, probes, all }: Copies,
  { findings, count, onProgress }: SearchOptions,
): Promise<void> {
  const known = new Set(CORPUS.map(({ drawn }) => JSON.stringify(drawn)));
  const keep = ({ mutant }: Hunted, drawn: Difference, aim: Aim) => {
    if (known.has(JSON.stringify(drawn))) return;
    known.add(JSON.stringify(drawn));
    // Lines move, so the corpus does not name them.
    const shows = `${mutant.file}: ${describeChange(mutant)}`;
    const line = JSON.stringify({ shows, drawn } satisfies Kept);
    appendFileSync(CORPUS_FILE, `${line}\n`);
    process.stdout.write(`${aim}: ${line}\n`);
  };
  let left = all.filter(({ id }, index) => id !== null && findings[index]?.foundIn === null);
  /** Rollouts in which the world saw something else. */
  const seenIn = new Map<Hunted, Ordeal>();
  let mostAsked = 0;
  for (let seed = 2; (seed - 2) * EACH < count && left.length > 0; seed += 1) {
    const corpus = seed % 2 === 0 ? 'left out' : 'crossed';
    const rollouts = { count: EACH, seed, corpus } as const;
    const wanted = left.flatMap(({ id }) => id ?? []);
    const round = await rehearseAll({ copy, probes, rollouts, wanted }, { from: 0, to: EACH });
    mostAsked = Math.max(mostAsked, round.mostAsked);
    const verdicts = await tryAll(
      left.map((one): Trial => {
        const may = rolloutsOf(one, round.rehearsed).slice(0, MOST_TRIED);
        const which = may.map(({ index, seen }) => ({ index, seen }));
        return { task: 'trial', copy, rollouts, mutant: one.id, which, mostAsked };
      }),
    );
    const drawn = drawOrdeals(rollouts);
    for (const { index, why } of round.objections) {
      const difference = differenceOf(drawn[index] as Ordeal);
      process.stdout.write(`objected without a mutant: ${why} ${JSON.stringify(difference)}\n`);
    }
    const found: { readonly hunted: Hunted; readonly drawn: Ordeal }[] = [];
    for (const [index, { foundIn, differsIn }] of verdicts.entries()) {
      const hunted = left[index] as Hunted;
      if (foundIn !== null) found.push({ hunted, drawn: drawn[foundIn - 1] as Ordeal });
      else if (differsIn !== null && !seenIn.has(hunted))
        seenIn.set(hunted, drawn[differsIn - 1] as Ordeal);
    }
    const told = await keepSmallest(found, { copy, aim: 'found', mostAsked, keep });
    left = left.filter((hunted) => !told.has(hunted));
    onProgress(
      `searched; ${known.size} kept, ${left.length} left, ${seenIn.size} seen`,
      (seed - 1) * EACH,
      count,
    );
  }
  const noticed = findings.filter((finding) => !isLeft(finding)).map(({ mutant }) => mutant);
  const seen = left.flatMap((hunted) => {
    const drawn = seenIn.get(hunted);
    return drawn === undefined || noticed.includes(hunted.mutant) ? [] : [{ hunted, drawn }];
  });
  await keepSmallest(seen, { copy, aim: 'noticed', mostAsked, keep });
}

interface KeepOptions {
  readonly copy: string;
  readonly aim: Aim;
  readonly mostAsked: number;
  readonly keep: (hunted: Hunted, drawn: Difference, aim: Aim) => void;
}

/** So many are made smaller before it is looked which others they show, too. */
const AT_ONCE = 8;

/** Answers the mutants that what is kept shows. */
async function keepSmallest(
  shown: readonly { readonly hunted: Hunted; readonly drawn: Ordeal }[],
  { copy, aim, mostAsked, keep }: KeepOptions,
): Promise<ReadonlySet<Hunted>> {
  const told = new Set<Hunted>();
  const sightOf = ({ id }: Hunted) => ({ copy, mutant: id ?? '', aim, mostAsked });
  for (let rest = shown; rest.length > 0; ) {
    const reductions = rest.slice(0, AT_ONCE).map(({ hunted, drawn }): Reduction => {
      return { task: 'reduction', ...sightOf(hunted), drawn };
    });
    const smallest = await runJobs({ jobs: reductions, thread: THREAD, here: reduce });
    const drawn: Ordeal[] = [];
    for (const [index, difference] of smallest.entries()) {
      const hunted = rest[index]?.hunted as Hunted;
      if (difference === null) continue;
      keep(hunted, difference, aim);
      told.add(hunted);
      drawn.push(toOrdeal(difference));
    }
    const others = rest.slice(AT_ONCE);
    const showings = others.map(({ hunted }): Showing => {
      return { task: 'showing', ...sightOf(hunted), drawn };
    });
    const areShown = await runJobs({ jobs: showings, thread: THREAD, here: isShown });
    for (const [index, { hunted }] of others.entries()) if (areShown[index]) told.add(hunted);
    rest = others.filter((_, index) => !areShown[index]);
  }
  return told;
}

function tryAll(jobs: readonly Trial[]): Promise<Verdict[]> {
  return runJobs({ jobs, thread: THREAD, here: tryMutant });
}
