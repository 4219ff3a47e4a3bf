import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Desk, OpenRollout, OpenRollouts } from '../../lib/console/desk.ts';
import { changeOf, withChange } from '../../lib/console/server/changes.ts';
import {
  createLooks,
  type Looked,
  learn,
  lookOf,
  NOTHING_KNOWN,
} from '../../lib/console/server/looks.ts';
import { startConsoleServer } from '../../lib/console/server/server.ts';
import { takeSession } from './take-session.ts';

function lookAt(at: number, ...ids: readonly string[]): OpenRollouts {
  const rollouts = ids.map((rolloutId) => ({ rolloutId, state: `at ${at}` }) as OpenRollout);
  return { at, place: 'here', rollouts, newest: null, holds: [], shell: '', runsHere: true };
}

/** Looks whose clock stands still unless the test moves it, and whose patience ends when the test says so. */
function looking(look: (count: number) => OpenRollouts | Promise<OpenRollouts>) {
  let count = 0;
  const time = { now: 1_000_000, elapsed: 0 };
  let giveUp = () => {};
  const clock = {
    now: () => time.now,
    elapsed: () => time.elapsed,
    sleep: () =>
      new Promise<void>((resolve) => {
        giveUp = resolve;
      }),
  };
  const looks = createLooks(async () => look(++count), { everyMs: 1_000, clock, start: 'x' });
  return {
    looks,
    count: () => count,
    pass(ms: number) {
      time.now += ms;
      time.elapsed += ms;
    },
    losePatience: () => giveUp(),
  };
}

test('a page that asks gets the look, and after that only what has changed', async () => {
  const { looks, pass } = looking((count) =>
    count === 1 ? lookAt(1, 'a', 'b') : { ...lookAt(1, 'new', 'b'), at: 2 },
  );
  const first = await looks.after(null);
  const known = learn(NOTHING_KNOWN, first);
  expect(lookOf(known)).toEqual(lookAt(1, 'a', 'b'));
  pass(1_000);
  const second = await looks.after(first.seen);
  expect(JSON.stringify(second.change)).not.toMatch(/"b":|here/);
  const now = learn(known, second);
  expect(lookOf(now)).toEqual({ ...lookAt(1, 'new', 'b'), at: 2 });
  expect(lookOf(now)?.rollouts[1]).toBe(lookOf(known)?.rollouts[1]);
  expect((await looks.after(second.seen)).change).toBeNull();
  // Of a console before this one, or long ago.
  expect(lookOf(learn(NOTHING_KNOWN, await looks.after('other-1')))).toEqual(lookOf(now));
});

test('nobody looks unless somebody asks, and all that ask meanwhile get one look', async () => {
  const { looks, count, pass } = looking((at) => lookAt(at));
  const answers = await Promise.all([looks.after(null), looks.after(null)]);
  expect(answers.map(({ seen }) => seen)).toEqual([answers[0]?.seen, answers[0]?.seen]);
  pass(999);
  expect(await looks.after(null)).toMatchObject({ ageMs: 999 });
  expect(count()).toBe(1);
  pass(1);
  expect(await looks.after(null)).toMatchObject({ ageMs: 0 });
  expect(count()).toBe(2);
});

test('a look that takes long keeps no page waiting for a sign of life, and what was seen before has its age', async () => {
  const { looks, pass, losePatience } = looking((count) =>
    count === 1 ? lookAt(1) : new Promise<never>(() => {}),
  );
  await looks.after(null);
  pass(60_000);
  const late = looks.after(null);
  losePatience();
  expect(await late).toMatchObject({ ageMs: 60_000, trouble: null });
});

test('a look that fails says why, and the next one is none', async () => {
  const { looks, pass } = looking((count) => {
    if (count === 2) throw new Error('The ledger is locked.');
    return lookAt(count);
  });
  await looks.after(null);
  pass(1_000);
  expect(await looks.after(null)).toMatchObject({ trouble: 'The ledger is locked.', ageMs: 1_000 });
  pass(1_000);
  expect(await looks.after(null)).toMatchObject({ trouble: null, ageMs: 0 });
});

test('who asks after an act gets a look that began after it, also while one was under way', async () => {
  const first = Promise.withResolvers<OpenRollouts>();
  const { looks, count } = looking((at) => (at === 1 ? first.promise : lookAt(at)));
  const before = looks.after(null);
  looks.outdate();
  const after = [looks.after(null), looks.after(null)];
  first.resolve(lookAt(1));
  expect(lookOf(learn(NOTHING_KNOWN, await before))?.at).toBe(1);
  for (const one of await Promise.all(after)) expect(lookOf(learn(NOTHING_KNOWN, one))?.at).toBe(2);
  expect(count()).toBe(2);
});

test('a change makes of every value the other one', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (before, after) => {
      const change = changeOf(before, after);
      const sent = JSON.parse(JSON.stringify(change));
      const made = sent === null ? before : withChange(before, sent);
      expect(JSON.stringify(sortedIn(made))).toBe(JSON.stringify(sortedIn(after)));
    }),
  );
});

/** The order of members is no part of a value. */
function sortedIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedIn);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .map(([key, one]) => [key, sortedIn(one)])
    .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
}

test('whoever does something on a page sees at once what came of it, also when it was refused', async () => {
  let looks = 0;
  const desk = {
    look: async () => lookAt(++looks),
    lift: async () => ({ message: 'Lifted.', rolloutId: null }),
    async hold() {
      throw new Error('The ledger is locked.');
    },
  } as unknown as Desk;
  const clock = { now: () => 0, elapsed: () => 0, sleep: () => new Promise<void>(() => {}) };
  const { link, close } = await startConsoleServer({
    ...{ port: 0, desk, pages: [], lookMs: 1, clock, printLink: () => undefined },
  });
  const { origin, token } = await takeSession(link());
  const headers = {
    authorization: `Bearer ${token}`,
    ...{ origin, 'content-type': 'application/json' },
  };
  const post = (path: string, said: object) =>
    fetch(`${origin}/api/${path}`, { method: 'POST', headers, body: JSON.stringify(said) });
  const seen = async () =>
    ((await (await fetch(`${origin}/api/look`, { headers })).json()) as Looked).seen;
  const first = await seen();
  expect(await seen()).toBe(first);
  expect((await post('holds/h-1/lift', { reason: 'x' })).status).toBe(200);
  const second = await seen();
  expect(second).not.toBe(first);
  const asked = { kinds: ['freeze'], seconds: 60, reason: 'x' };
  expect((await post('holds', asked)).ok).toBe(false);
  expect(await seen()).not.toBe(second);
  await close();
});
