import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { executionNameOf, rolloutOfExecution } from '../../../lib/steps/io/names.ts';

const handedOver = (rolloutId: string, number: number) => ({
  schemaVersion: 1,
  position: { rolloutId, execution: { number } },
});

test('the first execution is named after its rollout, the next ones have names of their own', () => {
  expect(executionNameOf('release-4', 1)).toBe('release-4');
  expect(executionNameOf('release-4', 2)).toMatch(/^release-4-2-[0-9a-f]{12}$/);
  expect(executionNameOf('release-4', 2)).toBe(executionNameOf('release-4', 2));
});

test('A06: every name is one that Step Functions takes, and no two are the same', () => {
  const id = fc.stringMatching(/^[\w-]{1,80}$/);
  fc.assert(
    fc.property(id, id, fc.integer({ min: 2, max: 99_999 }), (one, other, number) => {
      const name = executionNameOf(one, number);
      expect(name).toMatch(/^[\w-]{1,80}$/);
      expect(name).not.toBe(executionNameOf(one, number + 1));
      if (one !== other) expect(name).not.toBe(executionNameOf(other, number));
    }),
  );
});

test('an execution is about the rollout that was handed over to it', () => {
  const name = executionNameOf('release-4', 3);
  expect(rolloutOfExecution(name, handedOver('release-4', 2))).toBe('release-4');
});

test.each<[string, unknown]>([
  ['of a release', { schemaVersion: 1, runtimeId: 'shop', version: 2 }],
  ['that no event told', null],
  ['of another rollout than its name says', handedOver('release-5', 2)],
  ['of another number than its name says', handedOver('release-4', 3)],
  ['of nothing', { position: null }],
])('an input %s hands nothing over', (_, input) => {
  const name = executionNameOf('release-4', 3);
  expect(rolloutOfExecution(name, input)).toBe(name);
});
