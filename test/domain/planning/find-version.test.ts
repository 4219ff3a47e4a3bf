import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import {
  decideVersion,
  type FoundVersion,
  findVersion,
} from '../../../lib/domain/planning/find-version.ts';
import type { RuntimeVersion } from '../../../lib/domain/planning/version.ts';

const DEADLINE = { progressDeadlineSeconds: 600 };

function version(number: number, state: RuntimeVersion['state'] = 'ready'): RuntimeVersion {
  return { version: number, state };
}

describe('findVersion', () => {
  test.each<[string, RuntimeVersion[], number | 'latest', number]>([
    ['a number', [version(1), version(2), version(3)], 2, 2],
    ['the latest one, whatever the order', [version(9), version(10), version(2)], 'latest', 10],
    ['the latest one of which nothing else is known', [version(1), version(2, null)], 'latest', 2],
    [
      'the latest one below one that could not be made',
      [version(7), version(8, 'failed')],
      'latest',
      7,
    ],
  ])('finds %s', (_, versions, asked, found) => {
    expect(findVersion(versions, asked)).toEqual({ state: 'ready', version: found });
  });

  test.each<[string, number | 'latest']>([
    ['by its number', 8],
    ['as the latest one, because that is the one that is meant', 'latest'],
  ])('finds a version that is being made, %s', (_, asked) => {
    const found = findVersion([version(7), version(8, 'making')], asked);

    expect(found).toEqual({ state: 'making', version: 8, message: 'Version 8 is being made.' });
  });

  test.each<[string, RuntimeVersion[], number | 'latest', string, boolean]>([
    [
      'above all others',
      [1, 2, 3, 4].map((one) => version(one)),
      70,
      'The runtime does not have version 70; its newest ones are 4, 3, 2.',
      true,
    ],
    [
      'that was deleted',
      [version(46), version(47, 'making')],
      3,
      'The runtime does not have version 3; its newest ones are 47 (being made), 46.',
      false,
    ],
    [
      'whose making has failed',
      [version(1), version(2, 'failed')],
      2,
      'Version 2 could not be made; its only one is 1.',
      false,
    ],
    [
      'where there are none',
      [],
      'latest',
      'The runtime does not have a version that can be rolled.',
      false,
    ],
    [
      'where none could be made',
      [version(1, 'failed')],
      'latest',
      'The runtime does not have a version that can be rolled.',
      false,
    ],
  ])('does not find a version %s', (_, versions, asked, message, mayCome) => {
    expect(findVersion(versions, asked)).toEqual({ state: 'none', mayCome, message });
  });

  test('finds as the latest version never one that is not listed, nor one that could not be made, nor an older one', () => {
    const listed = fc.uniqueArray(
      fc.record<RuntimeVersion>({
        version: fc.integer({ min: 1, max: 30 }),
        state: fc.constantFrom('ready', 'making', 'failed', null),
      }),
      { selector: (one) => one.version },
    );
    fc.assert(
      fc.property(listed, (versions) => {
        const found = findVersion(versions, 'latest');
        const good = versions.filter(({ state }) => state !== 'failed');
        if (found.state === 'none') {
          expect(good).toEqual([]);
          return;
        }
        expect(good.map((one) => one.version)).toContain(found.version);
        expect(good.filter((one) => one.version > found.version)).toEqual([]);
      }),
    );
  });
});

describe('decideVersion', () => {
  const making: FoundVersion = { state: 'making', version: 8, message: 'Version 8 is being made.' };
  const missing: FoundVersion = { state: 'none', mayCome: true, message: 'No version 8.' };

  test('goes on to a version that is ready, however long it was waited for', () => {
    const decided = decideVersion({ state: 'ready', version: 8 }, 10_000, DEADLINE);

    expect(decided).toEqual({ decision: 'go', version: 8 });
  });

  test.each([
    ['that is being made, at first', making, 0, 15, 600],
    ['that is being made, less and less often', making, 400, 40, 200],
    ['that is being made, not beyond the deadline', making, 595, 5, 5],
    ['that may be about to be listed', missing, 0, 15, 60],
    ['that may be about to be listed, for a minute', missing, 50, 10, 10],
  ])('waits for a version %s', (_, found, waited, seconds, secondsLeft) => {
    const decided = decideVersion(found, waited, DEADLINE);

    expect(decided).toMatchObject({ decision: 'wait', seconds, secondsLeft });
  });

  test.each<[string, FoundVersion, number, string]>([
    [
      'that is being made for too long',
      making,
      600,
      'Version 8 is being made. The wait of 600 s is over.',
    ],
    ['that was not listed for a minute', missing, 60, 'No version 8. The wait of 60 s is over.'],
    ['that cannot come', { ...missing, mayCome: false }, 0, 'No version 8.'],
  ])('refuses a version %s', (_, found, waited, message) => {
    expect(() => decideVersion(found, waited, DEADLINE)).toThrow(
      expect.objectContaining({ name: 'VersionUnknown', message }),
    );
  });

  test('a deadline below a minute is also the limit for one that is not listed', () => {
    const decided = decideVersion(missing, 0, { progressDeadlineSeconds: 10 });

    expect(decided).toMatchObject({ seconds: 10, secondsLeft: 10 });
  });
});
