import { expect, test } from '@jest/globals';
import type { FailurePolicy } from '../../../lib/domain/rollout/policy.ts';
import { leftAfter, nextStepsAfter } from '../../../lib/telling/story/next-steps.ts';
import { line, planOf, progressOf, recordOf, seen, signal } from '../../domain/examples.ts';
import { recordOfEnd } from '../../support/record-at.ts';
import { scenarioNow } from '../../support/scenario-time.ts';

/** Aborted while the first wave bakes, or while its endpoint rolls. */
async function stepsAfterAbort(second: number, onFailure: FailurePolicy) {
  const record = await recordOfEnd({
    async beside({ until, ledger }) {
      await until(second);
      await ledger.signal('rollout-1', signal('abort', { onFailure, at: scenarioNow() }));
    },
  });
  if (record.outcome === null) throw new Error('It has not ended.');
  return nextStepsAfter(record.outcome, leftAfter(record));
}

test.each([
  ['with everything back', 100, 'roll-back', ['start-afresh']],
  ['with one live on the version', 100, 'hold', ['take-back', 'roll-rest']],
  ['with one stopped', 10, 'stop-old', ['roll-rest']],
] as const)('after an abort %s', async (_, second, onFailure, steps) => {
  expect(await stepsAfterAbort(second, onFailure)).toEqual(steps);
});

test('what somebody else has moved is nothing that the rollout has left behind', () => {
  const ending = {
    outcome: 'Aborted',
    reason: 'Aborted',
    message: '',
    cleanup: 'stopped',
  } as const;
  const steps = (stop: readonly ReturnType<typeof line>[]) => {
    const journal = [line('roll', 'web-1', 'accepted'), ...stop];
    const progress = progressOf(0, [seen('superseded', 2), seen('pending')]);
    const record = { ...recordOf(journal), plan: planOf([1, 1]), progress, outcome: ending };
    return nextStepsAfter(ending, leftAfter(record));
  };
  expect(steps([])).toEqual(['start-afresh']);
  // Its stop was kept back for that.
  expect(steps([line('stop', 'web-1', 'kept', 'moved')])).not.toContain('take-back');
});
