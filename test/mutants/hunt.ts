import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runJobs } from '../../lib/adapters/machine/threads.ts';
import { compileCopy } from './compile.ts';
import { openMemory } from './memory.ts';
import type { Mutant } from './mutant.ts';
import { withProbes } from './probes.ts';
import {
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
  readonly onProgress: (done: number, all: number) => void;
}

/**
 * Tries every mutant on the same rollouts, on all processors. What was tried already is not tried again as long as
 * neither the product nor the simulation changes.
 *
 * @throws when a rollout without a mutant is found to be wrong.
 */
export async function hunt(
  { mutants, files, patches }: Quarry,
  { rollouts, onProgress }: HuntOptions,
): Promise<readonly Finding[]> {
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
    const probes = new Map([...files].map(([name, text]) => [name, withProbes(text)]));
    const memory = openMemory<Verdict>([
      readFileSync(copy, 'utf8'),
      JSON.stringify(drawOrdeals(rollouts)),
    ]);
    const known = (id: string) => memory.read().get(id);
    const rest = mutants.filter(({ id }) => known(id) === undefined);
    const left = patches.filter(({ mutant }) => known(mutant.id) === undefined);
    const all = mutants.length + patches.length;
    if (rest.length + left.length > 0) {
      const rehearsed = await rehearseAll(await copyOf('probes', probes), rollouts);
      const trials = [
        ...rest.map((mutant) => ({ mutant, trial: trialOf(mutant, copy, rollouts, rehearsed) })),
      ];
      for (const { mutant, files: patched } of left) {
        // The other files keep their switches, which find a rollout that comes to no end.
        const own = await copyOf(mutant.id, new Map([...files, ...patched]));
        trials.push({
          mutant,
          trial: { ...trialOf(mutant, own, rollouts, rehearsed), mutant: null },
        });
      }
      let done = all - trials.length;
      await runJobs({
        jobs: trials.map(({ trial }) => trial),
        thread: THREAD,
        here: tryMutant,
        onResult(verdict, index) {
          memory.add(trials[index]?.mutant.id ?? '', verdict);
          done += 1;
          onProgress(done, all);
        },
      });
    }
    const verdicts = memory.read();
    return [...mutants, ...patches.map(({ mutant }) => mutant)].map((mutant) => ({
      mutant,
      ...(verdicts.get(mutant.id) as Verdict),
    }));
  } finally {
    remove();
    process.off('exit', remove);
  }
}

const THREAD = new URL('./thread.ts', import.meta.url);

/** So many rollouts are rehearsed as one job. */
const EACH = 100;

/** A mutant that makes the longest rollout this much longer makes it endless. */
const ENDLESS = 3;

async function rehearseAll(copy: string, rollouts: Rollouts): Promise<Rehearsed> {
  const jobs = Array.from({ length: Math.ceil(rollouts.count / EACH) }, (_, nth): Rehearsal => {
    const from = nth * EACH;
    return { task: 'rehearsal', copy, rollouts, from, to: Math.min(from + EACH, rollouts.count) };
  });
  const parts = await runJobs({
    jobs,
    thread: THREAD,
    here: rehearse,
  });
  return {
    passed: parts.flatMap(({ passed }) => passed),
    seen: parts.flatMap(({ seen }) => seen),
    mostAsked: ENDLESS * Math.max(...parts.map(({ mostAsked }) => mostAsked)),
  };
}

/** A rollout in which a mutant changes nothing goes as it does without it. */
function trialOf(
  { id }: Mutant,
  copy: string,
  rollouts: Rollouts,
  { passed, seen, mostAsked }: Rehearsed,
): Trial {
  const isSwitched = /^\d+$/.test(id);
  const which = passed.flatMap((ids, index) => (!isSwitched || ids.has(id) ? [index] : []));
  return {
    task: 'trial',
    copy,
    rollouts,
    mutant: id,
    which,
    seen: which.map((index) => seen[index] ?? ''),
    mostAsked,
  };
}
