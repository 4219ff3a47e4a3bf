import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ROLLOUT_DEFINITION } from '../../lib/workflow/definition.ts';
import { compileCopy } from './compile.ts';
import { definitionMutants } from './definition-mutants.ts';
import { withoutEquivalents } from './equivalents.ts';
import { LEFT_OUT } from './left-out.ts';
import { makeMutants } from './make-mutants.ts';
import type { Mutant } from './mutant.ts';
import { pastDefects } from './past-defects.ts';
import { type Rehearsed, rehearse, tryMutant } from './trial.ts';

const FILE = 'lib/domain/wave/bake.ts';
const ROLLOUTS = { count: 12, seed: 1 };

let folder: string;
let copy: string;
let mutants: readonly Mutant[];
let rehearsed: Rehearsed;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'steproll-mutants-'));
  copy = join(folder, 'copy.cjs');
  const made = await makeMutants([FILE]);
  ({ mutants } = made);
  writeFileSync(copy, await compileCopy(made.files));
  // That it throws nothing says that a copy in which no mutant is on is clean.
  rehearsed = await rehearse({ task: 'rehearsal', copy, rollouts: ROLLOUTS, from: 0, to: 12 });
});

afterAll(() => rmSync(folder, { recursive: true }));

async function tryOut(original: string, mutated: string) {
  const mutant = mutants.find((one) => one.original === original && one.mutated === mutated);
  if (mutant === undefined) throw new Error(`There is no ${original} -> ${mutated}.`);
  const { seen, mostAsked } = rehearsed;
  const which = seen.map((_, index) => index);
  const trial = { copy, rollouts: ROLLOUTS, mutant: mutant.id, which, seen, mostAsked } as const;
  return tryMutant({ task: 'trial', ...trial, mostAsked: 20 * mostAsked });
}

test('a mutant that bakes no wave is found, and its rollout is named', async () => {
  const { foundIn, why } = await tryOut(
    'Math.min(look, bakeSeconds - bakedSeconds)',
    'Math.max(look, bakeSeconds - bakedSeconds)',
  );
  expect(foundIn).toBeGreaterThan(0);
  expect(why).not.toBe('');
});

test('a mutant of the definition drops a line, or leads elsewhere', () => {
  const definition = { A: { Next: 'B' }, B: { Retry: [{ ErrorEquals: ['X'] }], Next: 'C' } };
  expect(definitionMutants(definition).map(({ original, mutated }) => [original, mutated])).toEqual(
    [
      ['A / Next: "B"', 'Close rollout'],
      ['B / Retry / 0: {"ErrorEquals":["X"]}', 'left out'],
      ['B / Next: "C"', 'Close rollout'],
    ],
  );
});

test('what is known to be equivalent is left out, and an entry that fits nothing is a mistake', () => {
  const [one] = mutants;
  if (one === undefined) throw new Error('There are no mutants.');
  const known = { ...one, why: 'It is the same.' };
  expect(withoutEquivalents(mutants, [known])).not.toContain(one);
  expect(withoutEquivalents(mutants, [])).toContain(one);
  expect(() => withoutEquivalents(mutants, [{ ...known, mutated: 'nothing' }])).toThrow(
    'No mutant is like this any more',
  );
});

test('what is left out is still there: a file, a function or a place of the definition', () => {
  const code = globSync('lib/{domain,steps}/**/*.ts').map((file) => readFileSync(file, 'utf8'));
  const isThere = (name: string) =>
    existsSync(name) ||
    code.some((text) => text.includes(`function ${name}(`)) ||
    placeIn(ROLLOUT_DEFINITION, name.split(' / ')) !== undefined;

  expect(LEFT_OUT.flatMap(({ names }) => names).filter((name) => !isThere(name))).toEqual([]);
});

function placeIn(definition: object, path: readonly string[]): unknown {
  return path.reduce<unknown>((place, key) => Object(place)[key], definition);
}

test('the code is still there that every defect of the past was mended with', () => {
  expect(() => pastDefects()).not.toThrow();
});
