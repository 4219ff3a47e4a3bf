import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Done } from '../../lib/console/desk.ts';
import { createOnce } from '../../lib/console/server/once.ts';
import { createLocalLedger, type LocalLedger } from '../cli/local-ledger.ts';
import { type ConsoleProcess, startConsole } from './console-process.ts';

let local: LocalLedger;
let running: ConsoleProcess;
beforeAll(async () => {
  local = createLocalLedger();
  await local.begin({ rolloutId: 'open', runtimeId: 'shop' });
  running = await startConsole(local.folder);
});
afterAll(async () => {
  await running.end();
  local.remove();
});

async function post(path: string, said: object): Promise<Done> {
  const { origin, token } = running;
  const headers = {
    authorization: `Bearer ${token}`,
    ...{ origin, 'content-type': 'application/json' },
  };
  const body = JSON.stringify(said);
  const answer = await fetch(`${origin}/api/${path}`, { method: 'POST', headers, body });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Done;
}

const LINE = { kinds: ['freeze', 'pause'], seconds: 60 };

const idsOf = async (reason: string) =>
  (await local.ledger.listHolds()).filter((one) => one.reason === reason).map(({ id }) => id);

test('a hold that one dialog asks for three times is added once, and its id is that of the dialog', async () => {
  const key = randomUUID();
  const asked = { ...LINE, runtimeId: 'a', key, reason: 'thrice' };
  const answers = await Promise.all([1, 2, 3].map(() => post('holds', asked)));
  expect(new Set(answers.map(({ message }) => message)).size).toBe(1);
  expect(await idsOf('thrice')).toEqual([key.slice(0, 8), key.slice(0, 8)]);
});

test('a hold that another window has added meanwhile is not added a second time, and the answer says so', async () => {
  const asked = { ...LINE, runtimeId: 'b', reason: 'two windows', seen: [] };
  await post('holds', { ...asked, key: randomUUID() });
  const { message } = await post('holds', { ...asked, key: randomUUID() });
  expect(message).toMatch(/^This was done already, and not a second time\. Held by the freeze/);
  const [id = '', ...more] = await idsOf('two windows');
  expect(more).toEqual([id]);
  // Who knows that one wants another one, and one of something else is another one.
  await post('holds', { ...asked, key: randomUUID(), seen: [id] });
  await post('holds', { ...asked, runtimeId: 'c', key: randomUUID() });
  expect(await idsOf('two windows')).toHaveLength(6);
});

test('a hold is lifted once, and who comes late is told who has lifted it', async () => {
  await post('holds', { ...LINE, runtimeId: 'd', reason: 'lifted', key: randomUUID() });
  const [id] = await idsOf('lifted');
  const said = { reason: 'up again', key: randomUUID() };
  expect((await post(`holds/${id}/lift`, said)).message).toMatch(/^Lifted the freeze and pause/);
  expect((await post(`holds/${id}/lift`, said)).message).toMatch(/^Lifted the freeze and pause/);
  const late = await post(`holds/${id}/lift`, { ...said, key: randomUUID() });
  expect(late.message).toMatch(/^It is lifted already: .* lifted it at \d\d:\d\d:\d\dZ\.$/);
});

test('an abort that one dialog asks for again is one abort, and another choice is another one', async () => {
  const asked = { key: randomUUID(), onFailure: 'hold' };
  const first = await post('rollouts/open/abort', { ...asked, reason: 'wrong day' });
  expect(await post('rollouts/open/abort', { ...asked, reason: 'the wrong day' })).toEqual(first);
  expect((await local.ledger.read('open')).signals).toHaveLength(1);
  await post('rollouts/open/abort', { ...asked, onFailure: 'roll-back', reason: 'wrong day' });
  expect((await local.ledger.read('open')).signals).toHaveLength(2);
});

test('what a person has said of a wave is not said a second time, and the answer says so', async () => {
  await post('holds', { ...LINE, runtimeId: 'e', reason: 'who am I', key: randomUUID() });
  const mine = (await local.ledger.listHolds()).find(({ reason }) => reason === 'who am I');
  const said = { kind: 'promote', wave: 0, reason: 'all well', at: Date.UTC(2026, 0, 31) };
  await local.ledger.signal('open', { ...said, by: mine?.by ?? '' });
  const { message } = await post('rollouts/open/promote', { key: randomUUID(), wave: 1 });
  expect(message).toMatch(/^This was said already.*: at 00:00:00Z .*wave 1.*all well\.$/);
});

test('what has failed may be asked for again', async () => {
  const once = createOnce<number>();
  let times = 0;
  const work = async () => {
    times += 1;
    if (times === 1) throw new Error('The ledger is locked.');
    return times;
  };
  await expect(once('key', work)).rejects.toThrow('locked');
  expect(await once('key', work)).toBe(2);
  expect(await once('key', work)).toBe(2);
});
