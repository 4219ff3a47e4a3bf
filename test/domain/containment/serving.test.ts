import { describe, expect, test } from '@jest/globals';
import {
  isServing,
  leastServing,
  restingStatusOf,
} from '../../../lib/domain/containment/serving.ts';
import { DEFAULT_POLICY } from '../../../lib/domain/rollout/default-policy.ts';
import type { RolloutPolicy } from '../../../lib/domain/rollout/policy.ts';
import { DESIRED, endpoint, moving } from '../examples.ts';

const { statuses } = DEFAULT_POLICY;

describe('isServing', () => {
  test.each<[string, Parameters<typeof endpoint>[1], boolean]>([
    ['a live version and replicas', {}, true],
    ['a known status in small letters', { status: 'running' }, true],
    ['replicas that are not known', { replicas: null }, true],
    ['no replicas', { replicas: 0 }, false],
    ['live version 0', { liveVersion: 0, targetVersion: 0 }, false],
    ['H23: a live version that is not known', { liveVersion: null }, false],
    ['H23: a target that is not known', { targetVersion: null }, false],
    ['a target that it moves to', { targetVersion: DESIRED }, false],
    ['a failed status', { status: 'ERROR' }, false],
    ['a stopped status', { status: 'STOPPING' }, false],
    ['no status', { status: null }, false],
    ['H33: an unknown status', { status: 'ZOMBIE' }, false],
    ['a status that speaks of another thing', { status: 'UNHEALTHY' }, false],
    ['PAUSED', { status: 'PAUSED' }, false],
    ['CRASHED', { status: 'CRASHED' }, false],
  ])('%s', (_, said, serving) => {
    expect(isServing(endpoint('e', said), statuses, {})).toBe(serving);
  });

  test('words of an installation replace the known ones', () => {
    const own = { ...statuses, serving: ['GRÜN*'] };
    expect(isServing(endpoint('e', { status: 'grün-1' }), own, {})).toBe(true);
    expect(isServing(endpoint('e', { status: 'ACTIVE' }), own, {})).toBe(false);
  });

  test.each<[string | null, string | null, boolean]>([
    ['ZOMBIE', 'zombie', true],
    ['ZOMBIE', 'PAUSED', false],
    ['ZOMBIE', null, false],
    [null, null, true],
    [null, 'ZOMBIE', false],
  ])('where %j was the status of all when the plan was made, %j: %s', (status, said, serving) => {
    const plan = { restingStatus: status };
    expect(isServing(endpoint('e', { status: said }), statuses, plan)).toBe(serving);
  });
});

describe('the status of all when the plan is made', () => {
  const all = (...words: readonly (string | null)[]) =>
    words.map((status, index) => endpoint(`e${index}`, { status }));

  test.each<[string, ReturnType<typeof all>, string | null | undefined]>([
    ['one word', all('ZOMBIE', 'zombie', 'ZOMBIE'), 'ZOMBIE'],
    ['one word, beside failed and stopped ones', all('UP', 'ERROR', 'STOPPED', 'UP'), 'UP'],
    ['no status at all', all(null, null), null],
    ['no status, but for one', all(null, null, 'ZOMBIE'), undefined],
    ['two words', all('ZOMBIE', 'ZOMBIE', 'PAUSED'), undefined],
    ['a word that is known to serve', all('ACTIVE', 'PAUSED', 'PAUSED'), undefined],
    ['a word that is known to serve, on all', all('ACTIVE', 'ACTIVE'), undefined],
    ['one word, on a single endpoint', all('UP', 'ERROR'), undefined],
    ['nothing', [], undefined],
    [
      'no status on those at rest, and one that moves shows some',
      [...all(null, null), moving('m')],
      undefined,
    ],
    ['one word, and nothing is at rest', [moving('m', { status: 'UPDATING' })], undefined],
  ])('%s', (_, listed, status) => {
    expect(restingStatusOf(listed, statuses)).toBe(status);
  });
});

describe('how many must be left serving', () => {
  test.each<[RolloutPolicy['minServing'], number, number]>([
    [0, 9, 0],
    [3, 9, 3],
    [{ endpoints: 3 }, 9, 3],
    [{ percent: 50 }, 9, 5],
    [{ percent: 50 }, 8, 4],
    [{ percent: 50 }, 1, 1],
    [{ percent: 0 }, 9, 0],
    [{ percent: 100 }, 9, 9],
    // 2.3 % of 3,000 is 69, although binary fractions make a little more of it.
    [{ percent: 2.3 }, 3000, 69],
  ])('%j of %i: %i', (minServing, listed, least) => {
    expect(leastServing({ minServing }, listed)).toBe(least);
  });
});
