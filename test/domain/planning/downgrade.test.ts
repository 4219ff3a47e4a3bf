import { describe, expect, test } from '@jest/globals';
import type { Endpoint } from '../../../lib/domain/endpoint/endpoint.ts';
import { faultOfDowngrade } from '../../../lib/domain/planning/version.ts';
import { DESIRED, endpoint } from '../examples.ts';

const at = (liveVersion: number | null, targetVersion = liveVersion, id = 'web-1') =>
  endpoint(id, { liveVersion, targetVersion });

describe('faultOfDowngrade', () => {
  test.each<[string, Endpoint[]]>([
    ['nothing to roll', []],
    ['below the version', [at(2)]],
    ['at the version', [at(DESIRED)]],
    ['below it, and on the way to it', [at(2, DESIRED)]],
    ['a version that nobody knows', [at(null)]],
    ['not live yet, and on the way to a lower one', [at(null, 2)]],
  ])('no downgrade: %s', (_, endpoints) => {
    expect(faultOfDowngrade(endpoints, DESIRED)).toBeUndefined();
  });

  test.each<[string, Endpoint[]]>([
    ['above the version', [at(4)]],
    ['above it, though on the way down', [at(4, DESIRED)]],
    ['below it, and on the way beyond it', [at(2, 9)]],
    ['not live yet, and on the way to a higher one', [at(null, 4)]],
    ['one of many', [at(2, 2, 'web-0'), at(4)]],
  ])('E03: %s', (_, endpoints) => {
    expect(faultOfDowngrade(endpoints, DESIRED)).toBe(
      'web-1 is above version 3 already: allow the downgrade if it is meant.',
    );
  });

  test('E03: names one, and counts the others', () => {
    const endpoints = [at(4), at(5, 5, 'web-2'), at(2, 2, 'web-3'), at(6, 6, 'web-4')];
    expect(faultOfDowngrade(endpoints, DESIRED)).toBe(
      'web-1 and 2 more are above version 3 already: allow the downgrade if it is meant.',
    );
  });

  test('an endpoint without a name goes by its id', () => {
    expect(faultOfDowngrade([{ ...at(4), name: null, id: 'ep-7' }], DESIRED)).toMatch(/^ep-7 is /);
  });
});
