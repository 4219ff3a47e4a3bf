import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ROLLOUT_DEFINITION } from '../../lib/workflow/definition.ts';
import { CORPUS, differenceOf, toOrdeal } from '../scenarios/simulation/corpus.ts';
import type { Ordeal } from '../scenarios/simulation/ordeal.ts';
import { QUIET } from '../scenarios/simulation/quiet.ts';
import { fleetOf } from '../scenarios/simulation/situations/situation.ts';
import { endpointNames } from '../support/endpoint-names.ts';
import { compileCopy } from './compile.ts';
import { definitionMutants } from './definition-mutants.ts';
import { EQUIVALENTS, withoutEquivalents } from './equivalents.ts';
import { rolloutsOf } from './hunt.ts';
import { LEFT_OUT } from './left-out.ts';
import { makeMutants, mutatedFiles } from './make-mutants.ts';
import type { Mutant } from './mutant.ts';
import { pastDefects } from './past-defects.ts';
import { withProbes } from './probes.ts';
import { isShown, reduce } from './reduce.ts';
import { readResults } from './results.ts';
import { probe, switches, touch } from './switch.ts';
import { drawOrdeals, type Rehearsed, rehearse, type Trial, tryMutant } from './trial.ts';

const FILE = 'lib/domain/wave/bake.ts';
const ROLLOUTS = { count: 12, seed: 1, corpus: 'left out' as const };

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
  rehearsed = await rehearseOn(copy);
});

afterAll(() => rmSync(folder, { recursive: true }));

function rehearseOn(copied: string): Promise<Rehearsed> {
  const wanted = mutants.map(({ id }) => id);
  return rehearse({ task: 'rehearsal', copy: copied, rollouts: ROLLOUTS, wanted, from: 0, to: 12 });
}

async function tryOut(original: string, mutated: string) {
  const mutant = mutants.find((one) => one.original === original && one.mutated === mutated);
  if (mutant === undefined) throw new Error(`There is no ${original} -> ${mutated}.`);
  return tryRollouts(mutant.id, rehearsed.rehearsed);
}

function tryRollouts(mutant: string, which: Trial['which']) {
  const mostAsked = 20 * rehearsed.mostAsked;
  return tryMutant({ task: 'trial', copy, rollouts: ROLLOUTS, mutant, which, mostAsked });
}

test('a mutant that bakes no wave is found, and its rollout is named', async () => {
  const { foundIn, why } = await tryOut(
    'Math.min(look, bakeSeconds - bakedSeconds)',
    'Math.max(look, bakeSeconds - bakedSeconds)',
  );
  expect(foundIn).toBeGreaterThan(0);
  expect(why).not.toBe('');
});

test('a rollout that shows a mutant is made smaller, and still shows it', async () => {
  const mutant = mutants.find(({ mutated }) => mutated === 'Math.min(0, now - readAt)');
  const policy = { ...QUIET.policy, bakeSeconds: 300, pollSeconds: 15, minServing: 1 };
  const endpoints = fleetOf(endpointNames(1, 6));
  const drawn = { ...QUIET, endpoints, policy, rollSeconds: 20, latencyMs: 300, badReleases: 3 };
  const mostAsked = 20 * rehearsed.mostAsked;
  const reduction = { task: 'reduction', copy, mutant: mutant?.id ?? '', aim: 'found' } as const;

  const smallest = await reduce({ ...reduction, drawn, mostAsked });
  if (smallest === null) throw new Error('It does not show the mutant.');
  // It counts no time of a bake, so what it needs is one.
  expect(smallest.policy).toHaveProperty('bakeSeconds');
  expect(JSON.stringify(smallest).length).toBeLessThan(
    JSON.stringify(differenceOf(drawn)).length / 2,
  );
  const isShownBy = (...all: readonly Ordeal[]) =>
    isShown({ ...reduction, task: 'showing', drawn: all, mostAsked });
  expect(await isShownBy(QUIET, toOrdeal(smallest))).toBe(true);
  expect(await isShownBy(QUIET)).toBe(false);
});

test('a crossing is all of a rollout of the corpus, and a part of a random one', () => {
  const isAllOf = (own: object, one: object): boolean =>
    Object.entries(own).every(([key, value]) =>
      isDeepStrictEqual(one[key as keyof typeof one], value),
    );
  const keptIn = (one: Ordeal) =>
    CORPUS.find(({ drawn: { endpoints = [], policy = {}, ...own } }) => {
      const isThere = endpoints.every((each) =>
        one.endpoints.some((other) => isDeepStrictEqual(each, other)),
      );
      return isThere && isAllOf(policy, one.policy) && isAllOf(own, one);
    });
  const crossings = drawOrdeals({ count: 50, seed: 1, corpus: 'crossed' });
  expect(crossings.filter((one) => keptIn(one) === undefined)).toEqual([]);
  const kept = crossings.map((one) => JSON.stringify(toOrdeal(keptIn(one)?.drawn ?? {})));
  expect(crossings.filter((one, at) => JSON.stringify(one) === kept[at]).length).toBeLessThan(5);
});

test('a rollout in which a mutant works out nothing else goes as it does without it', async () => {
  const { files } = await makeMutants([FILE]);
  const probes = join(folder, 'probes.cjs');
  const texts = [...files].map(([name, text]) => [name, withProbes(text)] as const);
  writeFileSync(probes, await compileCopy(new Map(texts)));
  const probed = await rehearseOn(probes);

  const seenIn = (all: Rehearsed) => all.rehearsed.map(({ seen }) => seen);
  expect(seenIn(probed)).toEqual(seenIn(rehearsed));
  const skipped = (id: string) =>
    rehearsed.rehearsed.filter(
      ({ index, passed }) => passed.has(id) && !probed.rehearsed[index]?.passed.has(id),
    );
  const spared = mutants.filter(({ id }) => skipped(id).length > 0);
  expect(spared.length).toBeGreaterThan(10);
  for (const { id } of spared) {
    expect(await tryRollouts(id, skipped(id))).toMatchObject({ foundIn: null, differsIn: null });
  }
});

test('a mutant of the definition and a defect of the past are tried in all rollouts', () => {
  const all = rehearsed.rehearsed;
  for (const mutant of definitionMutants(ROLLOUT_DEFINITION)) {
    expect(rolloutsOf({ mutant, id: mutant.id }, all)).toEqual(all);
  }
  for (const { mutant } of pastDefects()) {
    expect(rolloutsOf({ mutant, id: null }, all)).toEqual(all);
  }
  const switched = mutants.map((mutant) => rolloutsOf({ mutant, id: mutant.id }, all));
  expect(switched.filter(({ length }) => length < all.length)).not.toEqual([]);
});

test('a function that a probe has worked out is watched when it is called later', () => {
  const passed = new Set<string>();
  switches.active = null;
  switches.passed = passed;
  switches.wanted = new Set(['1', '2']);
  const later = probe(['1', '2'], () => {
    touch('1');
    return () => touch('2');
  });
  later();
  switches.passed = null;
  expect(passed).toContain('2');
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

test('every entry of what is known to be equivalent fits a mutant of today', async () => {
  const made = await makeMutants(mutatedFiles());
  const all = [...made.mutants, ...definitionMutants(ROLLOUT_DEFINITION)];
  expect(() => withoutEquivalents(all, EQUIVALENTS)).not.toThrow();
});

test('every mutant that was not found has the reason why no judge can tell it', () => {
  const { survivors } = readResults();
  expect(survivors.length).toBeGreaterThan(0);
  expect(survivors.filter(({ why }) => why === null)).toEqual([]);
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
