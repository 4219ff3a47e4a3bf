import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findEndpoints } from '../../lib/console/desk/endpoints.ts';
import { createLocalLedger, type LocalLedger } from '../cli/local-ledger.ts';
import { planOf, recordOf } from '../domain/examples.ts';
import { beginWith } from '../support/begin-with.ts';

let local: LocalLedger;
beforeAll(async () => {
  local = createLocalLedger();
  await plan('older', 'shop');
  // It was refused before there was a plan.
  await local.begin({ rolloutId: 'newer', runtimeId: 'shop' }, 'Failed');
  await plan('other', 'pay');
  await plan('all', 'group:prod');
});
afterAll(() => local.remove());

async function plan(rolloutId: string, runtimeId: string, name?: string) {
  const now = Date.now();
  const request = { ...recordOf().request, rolloutId, runtimeId };
  const { ids: _, endpoints, ...planned } = planOf([1, 10]);
  const named = endpoints.map((one) => (name === undefined ? one : { ...one, name }));
  const begin = beginWith({ ...planned, endpoints: named });
  await local.ledger.open(request, now, now + 60_000, begin);
  const ending = {
    outcome: 'Succeeded',
    cleanup: 'none',
    reason: 'Because',
    message: 'So.',
  } as const;
  await local.ledger.close(rolloutId, ending, now);
}

test('an endpoint is found in the newest plan of each runtime, and the one that is named exactly comes first', async () => {
  const { endpoints, found, ...looked } = await findEndpoints('WEB-1', local.ledger);
  expect(endpoints.map(({ name, runtimeId }) => `${runtimeId} ${name}`)).toEqual([
    'pay web-1',
    'shop web-1',
    'pay web-10',
    'pay web-11',
    'shop web-10',
    'shop web-11',
  ]);
  expect(found).toBe(6);
  expect(looked).toEqual({ rollouts: 3, runtimes: 2 });
});

test('however many rollouts there are, few of them are read', async () => {
  const [first] = await local.ledger.list({ limit: 1 });
  if (first === undefined) throw new Error('There is no rollout.');
  let reads = 0;
  const many = {
    list: async () =>
      Array.from({ length: 1_000 }, (_, place) => ({
        ...first,
        rolloutId: `rollout-${place}`,
        runtimeId: `runtime-${place}`,
      })),
    read: async () => {
      reads += 1;
      return local.ledger.read('older');
    },
  };
  const { rollouts, runtimes, endpoints, found } = await findEndpoints('web-', many);
  expect(reads).toBe(200);
  expect({ rollouts, runtimes, found }).toEqual({ rollouts: 200, runtimes: 200, found: 2_200 });
  expect(endpoints).toHaveLength(50);
});

test('a name with capitals is found however it is typed, and so is the id of an endpoint that has one', async () => {
  await plan('named', 'cart', 'Front-Door');
  for (const [text, count] of [
    ['front', 11],
    ['FRONT-DOOR', 11],
    ['web-11', 3],
  ] as const) {
    const { endpoints, found } = await findEndpoints(text, local.ledger);
    expect([text, found]).toEqual([text, count]);
    expect(endpoints.map(({ name }) => name)).toContain('Front-Door');
  }
});
