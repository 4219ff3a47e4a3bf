import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  datedRequest,
  isNewer,
  isStillWanted,
  type LatestRequest,
  replacesLatest,
} from '../../../lib/domain/turn/queue.ts';
import { recordOf } from '../examples.ts';

const NOW = 1_000_000;
const MINUTE_MS = 60_000;

const request = (desiredVersion: number, at: number, rolloutId = 'a') => ({
  rolloutId,
  desiredVersion,
  at,
});

/** A request that waits and looks again in an hour. */
const waiting = (rolloutId: string, said: Partial<LatestRequest> = {}): LatestRequest => ({
  ...{ runtimeId: 'shop', rolloutId, desiredVersion: 5, at: NOW },
  endpointUrl: 'https://endpoints.example.com',
  wakesAt: NOW + 60 * MINUTE_MS,
  ...said,
});

describe('isNewer', () => {
  test.each([
    ['the later one', request(2, 1_001), request(3, 1_000), true],
    ['the earlier one', request(3, 1_000), request(2, 1_001), false],
    ['of the same moment: the higher version', request(3, 1_000), request(2, 1_000), true],
    ['of the same moment: the lower version', request(2, 1_000), request(3, 1_000), false],
    ['the very same', request(2, 1_000), request(2, 1_000), false],
    ['of twins always the same one', request(2, 1_000, 'b'), request(2, 1_000, 'a'), true],
    ['of twins never the other one', request(2, 1_000, 'a'), request(2, 1_000, 'b'), false],
  ])('%s', (_, one, other, isIt) => {
    expect(isNewer(one, other)).toBe(isIt);
  });

  test('E10: of any number of requests one is the newest, in whatever order they come', () => {
    const few = fc.integer({ min: 1, max: 4 });
    const requests = fc.array(fc.tuple(few, few), { minLength: 1 });
    fc.assert(
      fc.property(requests, (each) => {
        const all = each.map(([version, at]) => request(version, at));
        const newest = (list: typeof all) =>
          list.reduce((best, next) => (isNewer(next, best) ? next : best));

        expect(newest(all.toReversed())).toEqual(newest(all));
        expect(all.some((other) => isNewer(other, newest(all)))).toBe(false);
      }),
    );
  });
});

test('the request of a rollout is as old as what started it', () => {
  const startedBy = { kind: 'release', name: 'build-41', at: 700 } as const;

  expect(datedRequest({ ...recordOf().request, desiredVersion: 5, startedBy })).toEqual(
    request(5, 700, recordOf().request.rolloutId),
  );
});

describe('counts', () => {
  test.each([
    ['one that waits', {}, true],
    ['one that was opened', { wakesAt: null }, true],
    ['one that should be awake by now', { wakesAt: NOW - 1 }, true],
    ['one that should have been awake for 5 minutes', { wakesAt: NOW - 5 * MINUTE_MS }, true],
    ['one that did not wake: it is gone', { wakesAt: NOW - 5 * MINUTE_MS - 1 }, false],
    ['E05: one of a clock that is 5 minutes ahead', { at: NOW + 5 * MINUTE_MS }, true],
    ['E05: one of a clock that is wrong', { at: NOW + 5 * MINUTE_MS + 1 }, false],
    ['E05: one of a wrong clock that was opened', { at: NOW * 2, wakesAt: null }, false],
  ])('%s', (_, said, does) => {
    expect(isStillWanted(waiting('a', said), NOW)).toBe(does);
  });
});

describe('replacesLatest', () => {
  const newest = waiting('a');

  test.each([
    ['a newer one', waiting('b', { at: NOW + 1 }), newest, true],
    ['an older one', waiting('b', { at: NOW - 1 }), newest, false],
    ['one that is as new', waiting('0'), newest, false],
    ['its own, of when it looks again', waiting('a', { wakesAt: null }), newest, true],
    [
      'an older one, where the newest is gone',
      waiting('b', { at: 1 }),
      waiting('a', { wakesAt: 1 }),
      true,
    ],
    [
      'E05: one of now, where the newest is of a wrong clock',
      newest,
      waiting('b', { at: NOW * 2 }),
      true,
    ],
  ])('%s', (_, one, other, does) => {
    expect(replacesLatest(one, other, NOW)).toBe(does);
  });
});
