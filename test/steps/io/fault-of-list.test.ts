import { describe, expect, test } from '@jest/globals';
import { faultOfList } from '../../../lib/steps/io/read-list.ts';
import { endpoint, planOf } from '../../domain/examples.ts';

const { ids: _ids, ...plan } = planOf([1, 3]);
const listOf = (...ids: readonly string[]) => ids.map((id) => endpoint(id));

describe('faultOfList', () => {
  test.each([
    [1, 0, false],
    [1, 1, true],
    [2, 0, false],
    [2, 1, true],
    [3, 1, false],
    [3, 2, true],
    [30, 14, false],
    [30, 15, true],
  ])(
    'a list with less than half of the fleet proves nothing: of %i are there %i: %p',
    (all, there, isBelieved) => {
      const { ids, ...fleet } = planOf([all]);
      const fault = faultOfList(listOf(...ids.slice(0, there)), fleet);
      expect(fault === undefined).toBe(isBelieved);
    },
  );

  test('others than those of the plan do not make up for them', () => {
    expect(faultOfList(listOf('web-1', 'new-1', 'new-2', 'new-3'), plan)).toBe(
      'The list holds 1 of the 4 endpoints that there were when the rollout was planned: without most of them it proves nothing.',
    );
  });

  test('what the plan leaves out is a part of the fleet', () => {
    const leftOut = ['db-1', 'db-2', 'db-3', 'db-4'].map((id) => {
      return { endpointId: id, name: id, reason: 'not-selected' as const };
    });
    expect(
      faultOfList(listOf('db-1', 'db-2', 'db-3', 'db-4'), { ...plan, leftOut }),
    ).toBeUndefined();
    expect(faultOfList(listOf('web-1', 'web-2', 'web-3'), { ...plan, leftOut })).toBeDefined();
  });
});
