import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runJobs } from '../../lib/adapters/machine/threads.ts';
import { CORPUS } from '../scenarios/simulation/corpus.ts';
import { compileCopy } from './compile.ts';
import { openMemory } from './memory.ts';
import type { Mutant } from './mutant.ts';
import { withProbes } from './probes.ts';
import {
  BEFORE_CORPUS,
  drawOrdeals,
  type Rehearsal,
  type Rehearsed,
  type Rollouts,
  rehearse,
  type Trial,
  tryMutant,
  type Verdict,
} from './trial.ts';

/** What is tried: mutants that one copy has behind switches, and mutants that are a copy each. */
export interface Quarry {
  readonly mutants: readonly Mutant[];
  /** The changed files of the copy with all switches. */
  readonly files: ReadonlyMap<string, string>;
  /** Changes of files without any switch. */
  readonly patches: readonly Patch[];
}

export interface Patch {
  readonly mutant: Mutant;
  readonly files: ReadonlyMap<string, string>;
}

export interface Finding extends Verdict {
  readonly mutant: Mutant;
}

export interface HuntOptions {
  readonly rollouts: Rollouts;
  /** `what`: which rollouts they are tried on. */
  readonly onProgress: (what: string, done: number, all: number) => void;
}

/**
 * Tries every mutant on the same rollouts, on all processors. What was tried already is not tried again as long as
 * neither the product nor the simulation changes.
 *
 * @throws when a rollout without a mutant is found to be wrong.
 */
export async function hunt(
  { copy, probes, all }: Copies,
  { rollouts, onProgress }: HuntOptions,
): Promise<readonly Finding[]> {
  let findings = all.map(({ mutant }): Finding => ({ mutant, ...NOT_TRIED }));
  for (const round of roundsOf(rollouts.count)) {
    const left = all.filter((_, index) => findings[index]?.foundIn === null);
    const verdicts = await tryRound(left, { copy, probes, rollouts, ...round, onProgress });
    findings = findings.map((before) =>
      before.foundIn === null
        ? { ...before, ...together(before, verdicts.get(before.mutant.id) as Verdict) }
        : before,
    );
  }
  return findings;
}

/** What a quarry is compiled to. */
export interface Copies {
  /** The one with all switches. */
  readonly copy: string;
  /** The same with probes. */
  readonly probes: string;
  readonly all: readonly Hunted[];
}

/** Compiles the copies, and removes them in the end. */
export async function withCopies<T>(
  { mutants, files, patches }: Quarry,
  use: (copies: Copies) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'steproll-mutants-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    const copyOf = async (name: string, changed: ReadonlyMap<string, string>) => {
      const copy = join(folder, `${name}.cjs`);
      writeFileSync(copy, await compileCopy(changed));
      return copy;
    };
    const copy = await copyOf('copy', files);
    const probed = new Map([...files].map(([name, text]) => [name, withProbes(text)]));
    const probes = await copyOf('probes', probed);
    const all: Hunted[] = mutants.map((mutant) => ({ mutant, copy, id: mutant.id }));
    for (const { mutant, files: patched } of patches) {
      // The other files keep their switches, which find a rollout that comes to no end.
      const own = await copyOf(mutant.id, new Map([...files, ...patched]));
      all.push({ mutant, copy: own, id: null });
    }
    return await use({ copy, probes, all });
  } finally {
    remove();
    process.off('exit', remove);
  }
}

export const THREAD = new URL('./thread.ts', import.meta.url);

/**
 * The rollouts that it is tried in. One in which a switched mutant changes nothing goes as it does without it. The
 * probes know nothing of a mutant of the definition, or of a copy that is one: these are tried in all rollouts.
 */
export function rolloutsOf(
  { mutant, id }: Pick<Hunted, 'mutant' | 'id'>,
  rehearsed: Rehearsed['rehearsed'],
): Rehearsed['rehearsed'] {
  if (mutant.range === null || id === null) return rehearsed;
  return rehearsed.filter(({ passed }) => passed.has(id));
}

/** A mutant, and the copy that has it. */
export interface Hunted {
  readonly mutant: Mutant;
  readonly copy: string;
  /** Of its switch in the copy. `null`: the copy is the mutant. */
  readonly id: string | null;
}

interface RoundOptions extends Round, HuntOptions {
  /** The copies with all switches, and with probes, too. */
  readonly copy: string;
  readonly probes: string;
}

/** Answers the verdicts of a part of the rollouts, by the ids of the mutants. */
async function tryRound(
  hunted: readonly Hunted[],
  { copy, probes, rollouts, from, to, onProgress }: RoundOptions,
): Promise<ReadonlyMap<string, Verdict>> {
  const drawn = drawOrdeals(rollouts).slice(from, to);
  const memory = openMemory<Verdict>([readFileSync(copy, 'utf8'), JSON.stringify(drawn)]);
  const known = memory.read();
  const rest = hunted.filter(({ mutant }) => !known.has(mutant.id));
  if (rest.length === 0) return known;
  const wanted = rest.flatMap(({ id }) => id ?? []);
  const { rehearsed, objections, mostAsked } = await rehearseAll(
    { copy, probes, rollouts, wanted },
    { from, to },
  );
  const [wrong] = objections;
  if (wrong !== undefined)
    throw new Error(`Rollout ${wrong.index + 1} is wrong without any mutant: ${wrong.why}`);
  let done = hunted.length - rest.length;
  await runJobs({
    jobs: rest.map((one): Trial => {
      const which = rolloutsOf(one, rehearsed).map(({ index, seen }) => ({ index, seen }));
      return { task: 'trial', copy: one.copy, rollouts, mutant: one.id, which, mostAsked };
    }),
    thread: THREAD,
    here: tryMutant,
    onResult(verdict, index) {
      memory.add(rest[index]?.mutant.id ?? '', verdict);
      done += 1;
      onProgress(`tried on the rollouts up to ${to}`, done, hunted.length);
    },
  });
  return memory.read();
}

/**
 * Most mutants are found soon, and a rehearsal with probes for the few that are left is much quicker. The last but one
 * ends with the corpus.
 */
const ROUNDS = [300, BEFORE_CORPUS, BEFORE_CORPUS + CORPUS.length];

interface Round {
  readonly from: number;
  readonly to: number;
}

function roundsOf(count: number): Round[] {
  const ends = [...new Set([...ROUNDS.filter((end) => end < count), count])];
  return ends.map((to, nth) => ({ from: ends[nth - 1] ?? 0, to }));
}

const NOT_TRIED: Verdict = { foundIn: null, why: '', differsIn: null, touched: 0 };

function together(before: Verdict, now: Verdict): Verdict {
  return {
    ...now,
    differsIn: before.differsIn ?? now.differsIn,
    touched: before.touched + now.touched,
  };
}

/** So many rollouts are rehearsed as one job. */
const EACH = 50;

/** A mutant that makes the longest rollout this much longer makes it endless. */
const ENDLESS = 3;

export async function rehearseAll(
  what: Pick<Rehearsal, 'copy' | 'probes' | 'rollouts' | 'wanted'>,
  round: Round,
): Promise<Rehearsed> {
  const jobs = Array.from({ length: Math.ceil((round.to - round.from) / EACH) }, (_, nth) => {
    const from = round.from + nth * EACH;
    const to = Math.min(from + EACH, round.to);
    return { task: 'rehearsal', ...what, from, to } as const;
  });
  const parts = await runJobs({ jobs, thread: THREAD, here: rehearse });
  return {
    rehearsed: parts.flatMap(({ rehearsed }) => rehearsed),
    objections: parts.flatMap(({ objections }) => objections),
    mostAsked: ENDLESS * Math.max(...parts.map(({ mostAsked }) => mostAsked)),
  };
}
