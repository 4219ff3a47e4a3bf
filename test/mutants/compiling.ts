import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readSources } from '../support/source-files.ts';
import { hashOf, openMemory } from './memory.ts';
import type { Mutant } from './mutant.ts';

/**
 * The mutants that the compiler lets pass. A mistake that it refuses never comes to anybody. One mutant of each file is
 * tried at a time, and an error counts as its own only when it is in its file. What was tried already is not tried
 * again as long as the product does not change.
 */
export async function compilingMutants(
  mutants: readonly Mutant[],
  onProgress: (done: number, all: number) => void,
): Promise<readonly Mutant[]> {
  // Whether a mutant compiles depends on the types of all other files.
  const memory = openMemory<boolean>(readSources(['lib']).map(({ code }) => code));
  const known = memory.read();
  const folder = mkdtempSync(join(tmpdir(), 'steproll-types-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  try {
    cpSync('lib', join(folder, 'lib'), { recursive: true });
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(configured()));
    const rounds = roundsOf(mutants.filter((mutant) => known.get(keyOf(mutant)) === undefined));
    for (const [nth, round] of rounds.entries()) {
      for (const mutant of round) writeFileSync(join(folder, mutant.file), textWith(mutant));
      const wrong = await filesWithErrors(folder);
      for (const mutant of round) {
        memory.add(keyOf(mutant), !wrong.has(mutant.file));
        writeFileSync(join(folder, mutant.file), readFileSync(mutant.file));
      }
      onProgress(nth + 1, rounds.length);
    }
    const found = memory.read();
    return mutants.filter((mutant) => found.get(keyOf(mutant)) ?? true);
  } finally {
    remove();
    process.off('exit', remove);
  }
}

/** What a mutant no longer uses is no reason to refuse it: with the rest of a mistake, that would be gone, too. */
function configured(): object {
  const { compilerOptions } = JSON.parse(readFileSync('tsconfig.json', 'utf8'));
  const unused = { noUnusedLocals: false, noUnusedParameters: false, allowUnreachableCode: true };
  return {
    compilerOptions: { ...compilerOptions, ...unused },
    include: ['lib/domain', 'lib/steps', 'lib/embedded'],
  };
}

function keyOf({ file, range, mutated }: Mutant): string {
  return hashOf([file, `${range}`, mutated]);
}

/** The nth mutant of every file is in the nth round. */
function roundsOf(mutants: readonly Mutant[]): Mutant[][] {
  const rounds: Mutant[][] = [];
  for (const own of Map.groupBy(mutants, ({ file }) => file).values()) {
    const placed = own.filter(({ range }) => range !== null);
    for (const [nth, mutant] of placed.entries()) {
      rounds[nth] = [...(rounds[nth] ?? []), mutant];
    }
  }
  return rounds;
}

function textWith({ file, range, mutated }: Mutant): string {
  const text = readFileSync(file, 'utf8');
  const [from, to] = range ?? [0, 0];
  return `${text.slice(0, from)}${mutated}${text.slice(to)}`;
}

function filesWithErrors(folder: string): Promise<ReadonlySet<string>> {
  const compiler = resolve('node_modules/.bin/tsc');
  return new Promise((done) => {
    execFile(compiler, ['--noEmit', '--pretty', 'false'], { cwd: folder }, (_, stdout) => {
      const files = [...stdout.matchAll(/^(lib\/[^(]+)\(\d+,\d+\): error/gm)];
      done(new Set(files.flatMap(([, file]) => (file === undefined ? [] : [file]))));
    });
  });
}
