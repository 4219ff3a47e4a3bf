import { expect, test } from '@jest/globals';
import { INVARIANTS, violationsOf } from '../support/invariants.ts';
import { PROMISES } from './promises.ts';

const ALL = PROMISES.flatMap(({ promises }) => Object.entries(promises));

test('every promise has a short id of its own and a whole sentence', () => {
  const ids = ALL.map(([id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !/^[a-z]+(-[a-z]+){1,5}$/.test(id))).toEqual([]);
  expect(new Set(ALL.map(([, { says }]) => says)).size).toBe(ids.length);
  expect(ALL.filter(([, { says }]) => !/^[A-Z].*\.$/.test(says)).map(([id]) => id)).toEqual([]);
});

test('a violation says the id and the sentence of the promise', () => {
  const stop = { operation: 'stop', rolloutId: 'one', endpointId: 'a', at: 0 } as const;
  const trace = { outcome: null, asked: null, isListed: false, record: null, turnedAt: null };
  const seen = { calls: [stop], isClockWrong: false, states: [], told: [] };
  const says = INVARIANTS['writes-stay-in-plan']?.says;
  expect(violationsOf({ ...trace, ...seen })).toContain(
    `writes-stay-in-plan (${says}): stop of a, which is not in the plan`,
  );
});
