import { expect, test } from '@jest/globals';
import type { Ordeal } from '../ordeal.ts';
import { QUIET } from '../quiet.ts';
import { tryOrdeal } from '../try-ordeal.ts';
import { isToldAtOnce } from './events.ts';

test('an event that goes to the bus only at the end is noticed', async () => {
  const { record, toldAt } = await tryOrdeal(QUIET);
  const atTheEnd = new Map([...toldAt.keys()].map((id) => [id, Number(record?.endedAt)]));

  expect(isToldAtOnce(QUIET, { record, toldAt })).toEqual([]);
  expect(isToldAtOnce(QUIET, { record, toldAt: atTheEnd })).not.toEqual([]);
  expect(isToldAtOnce(QUIET, { record, toldAt: new Map() })).not.toEqual([]);
});

test('what happens while the bus is down goes out with the next event', async () => {
  const { record, toldAt } = await tryOrdeal(DOWN);
  const [first] = record?.events ?? [];
  const late = new Map([...toldAt, [first?.eventId ?? '', Number(record?.endedAt) + 5000]]);

  expect(isToldAtOnce(DOWN, { record, toldAt })).toEqual([]);
  expect(isToldAtOnce(DOWN, { record, toldAt: late })).toHaveLength(1);
});

/** It is up again before the wave has converged. */
const DOWN: Ordeal = { ...QUIET, busDown: { fromSecond: 0, seconds: 3 } };
