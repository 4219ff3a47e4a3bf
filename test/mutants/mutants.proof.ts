import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { soonest } from '../../lib/domain/look-again.ts';
import { beginBake } from '../../lib/domain/wave/progress.ts';
import { ROLLOUT_DEFINITION } from '../../lib/workflow/definition.ts';
import { CORPUS, differenceOf, toOrdeal } from '../scenarios/simulation/corpus.ts';
import type { Ordeal } from '../scenarios/simulation/ordeal.ts';
import { QUIET } from '../scenarios/simulation/quiet.ts';
import { fleetOf } from '../scenarios/simulation/situations/situation.ts';
import { endpointNames } from '../support/endpoint-names.ts';
import { compileCopy } from './compile.ts';
import { definitionMutants } from './definition-mutants.ts';
import { rolloutsOf } from './hunt.ts';
import { makeMutants, mutatedFiles } from './make-mutants.ts';
import type { Mutant } from './mutant.ts';
import { notMended, pastDefects } from './past-defects.ts';
import { withProbes } from './probes.ts';
import { isShown, reduce } from './reduce.ts';
import { probe, switches, touch } from './switch.ts';
import { drawOrdeals, type Rehearsed, rehearse, type Trial, tryMutant } from './trial.ts';

/** Wherever they are. */
const FILES = mutatedFiles().filter((file) => {
  const text = readFileSync(file, 'utf8');
  return [beginBake, soonest].some(({ name }) => text.includes(`export function ${name}(`));
});
const ROLLOUTS = { count: 20, seed: 1, corpus: 'left out' as const };

let folder: string;
let copy: string;
let mutants: readonly Mutant[];
let rehearsed: Rehearsed;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'steproll-mutants-'));
  copy = join(folder, 'copy.cjs');
  const made = await makeMutants(FILES);
  ({ mutants } = made);
  writeFileSync(copy, await compileCopy(made.files));
  // That it throws nothing says that a copy in which no mutant is on is clean.
  rehearsed = await rehearseOn(copy);
});

afterAll(() => rmSync(folder, { recursive: true }));

function rehearseOn(probes: string): Promise<Rehearsed> {
  const wanted = mutants.map(({ id }) => id);
  return rehearse({
    task: 'rehearsal',
    copy,
    probes,
    rollouts: ROLLOUTS,
    wanted,
    from: 0,
    to: ROLLOUTS.count,
  });
}

function tryRollouts(mutant: string, which: Trial['which']) {
  const mostAsked = 20 * rehearsed.mostAsked;
  return tryMutant({ task: 'trial', copy, rollouts: ROLLOUTS, mutant, which, mostAsked });
}

test('a mutant that breaks a promise is found, and its rollout is named', async () => {
  const longer = mutants.filter(({ operation }) => operation.startsWith('_.min(…) -> _.max(…)'));
  const verdicts = [];
  // Only one of them can be switched on.
  for (const { id } of longer) verdicts.push(await tryRollouts(id, rehearsed.rehearsed));
  const found = verdicts.filter(({ foundIn }) => foundIn !== null);
  expect(found.length).toBeGreaterThan(0);
  for (const { foundIn, why } of found) {
    expect(foundIn).toBeGreaterThan(0);
    expect(why).not.toBe('');
  }
});

test('a rollout that shows a mutant is made smaller, and still shows it', async () => {
  const counting = mutants.filter(
    ({ within, kind }) => within === 'bakedMsAfter' && kind === 'MethodExpression',
  );
  const policy = { ...QUIET.policy, bakeSeconds: 300, pollSeconds: 15, minServing: 1 };
  const endpoints = fleetOf(endpointNames(1, 6));
  const drawn = { ...QUIET, endpoints, policy, rollSeconds: 20, latencyMs: 300, badReleases: 3 };
  const mostAsked = 20 * rehearsed.mostAsked;
  const isSmaller = async (mutant: string) => {
    const reduction = { task: 'reduction', copy, mutant, aim: 'found' } as const;
    const smallest = await reduce({ ...reduction, drawn, mostAsked });
    return smallest === null ? null : { reduction, smallest };
  };
  const all = [];
  for (const { id } of counting) all.push(await isSmaller(id));
  const shown = all.find((one) => one !== null);
  if (shown === undefined || shown === null) throw new Error('It shows none of them.');
  const { reduction, smallest } = shown;
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
  const { files } = await makeMutants(FILES);
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
  for (const mutant of mutants) {
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

const CODE = `// A file of an example.

const LIMIT = 3 + 4;

export function isLate(now: number, at: number): boolean {
  if (now < LIMIT) return false;
  return now > at && at > LIMIT;
}

function isEarly(at: number): boolean {
  return at < LIMIT;
}
`;

/** Locals and a constant have other names, and lines are elsewhere. */
const RENAMED = `
/** A limit.
 *  As before. */
const FURTHEST = 3 + 4;

export function isLate(then: number, due: number): boolean {
  // It is too early.
  if (then < FURTHEST) {
    return false;
  }
  return then > due &&
    due > FURTHEST;
}

function isEarly(due: number): boolean { return due < FURTHEST; }
`;

function fileWith(code: string): string {
  const file = join(folder, `example-${randomUUID()}.ts`);
  writeFileSync(file, code);
  return file;
}

const placeOf = ({ within, operation }: Mutant) => `${within}: ${operation}`;

test('a mutant is found by its function and its operator, whatever is renamed or moved', async () => {
  const { mutants: before } = await makeMutants([fileWith(CODE)]);
  const { mutants: after } = await makeMutants([fileWith(RENAMED)]);
  const places = before.map(placeOf);
  expect(places).toEqual(
    expect.arrayContaining([
      'constants: _ + _ -> _ - _',
      'isLate: _ < _ -> _ <= _',
      'isLate: _ && _ -> _ || _',
      'isLate: _ > _ -> _ <= _ (2 of 2)',
      'isEarly: _ < _ -> true',
    ]),
  );
  expect(new Set(places).size).toBe(places.length);
  // The block is new.
  expect(after.map(placeOf).filter((place) => !place.includes('{ … }'))).toEqual(
    places.filter((place) => !place.includes('{ … }')),
  );
});

test('a defect of the past is put back where it was mended, and is told when that is gone', () => {
  const file = fileWith(CODE);
  const past = { name: 'Late was early', file, mended: 'now > at &&', defect: '' };
  expect(notMended([past])).toEqual([]);
  const [patch] = pastDefects([past]);
  expect(patch?.files.get(file)).toBe(CODE.replace('now > at &&', ''));
  const [gone] = notMended([{ ...past, mended: 'soon' }]);
  expect(gone).toContain('which mended "Late was early"');
});
