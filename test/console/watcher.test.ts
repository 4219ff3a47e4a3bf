import { expect, test } from '@jest/globals';
import type { Desk, OpenRollouts } from '../../lib/console/desk.ts';
import { startConsoleServer } from '../../lib/console/server/server.ts';
import { createWatcher, type News } from '../../lib/console/server/watcher.ts';

/** A watcher whose naps end when the test says so. */
function watched(look: (count: number) => OpenRollouts) {
  let looks = 0;
  let wakeUp = () => {};
  const sleep = (_: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      wakeUp = resolve;
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  const watcher = createWatcher(async () => look(++looks), 1_000, { sleep });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return {
    watcher,
    looks: () => looks,
    turn,
    next: () => {
      wakeUp();
      return turn();
    },
  };
}

function lookAt(at: number): OpenRollouts {
  return { at, place: 'here', rollouts: [], newest: null, holds: [], shell: '', runsHere: true };
}

test('one look is told to all who listen, and the latest at once to who comes later', async () => {
  const { watcher, looks, turn, next } = watched(lookAt);
  const told: News[][] = [[], []];
  watcher.join((news) => told[0]?.push(news));
  await turn();
  watcher.join((news) => told[1]?.push(news));
  expect(told).toEqual([[lookAt(1)], [lookAt(1)]]);
  await next();
  expect(told).toEqual([
    [lookAt(1), lookAt(2)],
    [lookAt(1), lookAt(2)],
  ]);
  expect(looks()).toBe(2);
});

test('nobody looks while nobody listens, and who comes back gets no old news', async () => {
  const { watcher, looks, turn } = watched(lookAt);
  const leave = watcher.join(() => {});
  await turn();
  leave();
  await turn();
  await turn();
  expect(looks()).toBe(1);

  const told: News[] = [];
  watcher.join((news) => told.push(news));
  await turn();
  expect(told).toEqual([lookAt(2)]);
});

test('a look that fails says why, and is not the last one', async () => {
  const { watcher, turn, next } = watched((count) => {
    if (count === 1) throw new Error('The ledger is locked.');
    return lookAt(count);
  });
  const told: News[] = [];
  watcher.join((news) => told.push(news));
  await turn();
  await next();
  expect(told).toEqual([{ trouble: 'The ledger is locked.' }, lookAt(2)]);
});

test('an act is looked at without waiting for the next look', async () => {
  const { watcher, looks, turn } = watched(lookAt);
  watcher.join(() => {});
  await turn();
  watcher.wake();
  await turn();
  expect(looks()).toBe(2);
});

test('whoever does something on a page sees at once what came of it, also when it was refused', async () => {
  let looks = 0;
  const desk = {
    look: async () => lookAt(++looks),
    lift: async () => ({ message: 'Lifted.', rolloutId: null }),
    async hold() {
      throw new Error('The ledger is locked.');
    },
  } as unknown as Desk;
  const clock = {
    sleep: (_: number, signal?: AbortSignal) =>
      new Promise<void>((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
  };
  const { link, close } = await startConsoleServer({ port: 0, desk, pages: [], lookMs: 1, clock });
  const { origin, hash } = new URL(link);
  const headers = {
    authorization: `Bearer ${hash.replace('#token=', '')}`,
    ...{ origin, 'content-type': 'application/json' },
  };
  const post = (path: string, said: object) =>
    fetch(`${origin}/api/${path}`, { method: 'POST', headers, body: JSON.stringify(said) });
  const live = await fetch(`${origin}/api/live`, { headers });
  const news = live.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await news?.read())?.value).toContain('"at":1,');
  expect((await post('holds/h-1/lift', { reason: 'x' })).status).toBe(200);
  expect((await news?.read())?.value).toContain('"at":2,');
  const asked = { kinds: ['freeze'], seconds: 60, reason: 'x' };
  expect((await post('holds', asked)).ok).toBe(false);
  expect((await news?.read())?.value).toContain('"at":3,');
  await close();
});
