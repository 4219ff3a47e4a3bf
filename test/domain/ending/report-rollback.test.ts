import { describe, expect, test } from '@jest/globals';
import { reportRollback } from '../../../lib/domain/ending/conclude.ts';
import type { Observation } from '../../../lib/domain/endpoint/observation.ts';
import type { Cleanup } from '../../../lib/domain/rollout/outcome.ts';
import type { LeftOutEndpoint, LeftOutReason } from '../../../lib/domain/rollout/plan.ts';
import { planBackOf, plannedBack, progressOf, seen } from '../examples.ts';

const cause = { outcome: 'Failed', reason: 'Stalled', message: 'It stalled.' } as const;
const converged = seen('converged', 2);
const failed = seen('failed', 2);
const superseded = seen('superseded');

const left = (endpointId: string, reason: LeftOutReason): LeftOutEndpoint => ({
  endpointId,
  name: endpointId,
  reason,
});

const report = (observations: readonly Observation[], leftOut: readonly LeftOutEndpoint[] = []) =>
  reportRollback(
    { cause, seen: [], plan: planBackOf(observations.length, { leftOut }) },
    progressOf(0, observations, { direction: 'back' }),
  );

describe('reportRollback', () => {
  test.each<[string, Observation[], LeftOutEndpoint[], Cleanup, string]>([
    ['all are back', [converged, converged], [], 'rolledBack', '2 of 2 on their previous versions'],
    [
      'one is not',
      [converged, failed],
      [],
      'incomplete',
      '1 of 2 on their previous versions, not back: web-2',
    ],
    [
      'one is back on one read only',
      [converged, seen('converged', 1)],
      [],
      'incomplete',
      '1 of 2 on their previous versions, not back: web-2',
    ],
    [
      'somebody else took one on the way back',
      [converged, superseded],
      [],
      'kept',
      '1 of 2 on their previous versions, 1 left alone (elsewhere, stopped or gone)',
    ],
    [
      'somebody else had taken one before',
      [converged],
      [left('db-1', 'moved')],
      'kept',
      '1 of 2 on their previous versions, 1 left alone (elsewhere, stopped or gone)',
    ],
    [
      'one has no version to go back to',
      [converged],
      [left('db-1', 'previous-unknown')],
      'kept',
      '1 of 2 on their previous versions. Kept (no version before): db-1',
    ],
    [
      'incomplete weighs more than kept',
      [converged, failed, superseded],
      [left('db-1', 'previous-unknown'), left('db-2', 'moved')],
      'incomplete',
      '1 of 5 on their previous versions, 2 left alone (elsewhere, stopped or gone), not back: web-2. Kept (no version before): db-1',
    ],
    [
      'three are named, and the rest is counted',
      [failed, failed, failed, failed, failed],
      [],
      'incomplete',
      '0 of 5 on their previous versions, not back: web-1, web-2, web-3 and 2 more',
    ],
  ])('%s', (_, observations, leftOut, cleanup, counts) => {
    expect(report(observations, leftOut)).toEqual({ cleanup, words: ` Rolled back: ${counts}.` });
  });

  test('nothing had been rolled', () => {
    expect(report([])).toEqual({ cleanup: 'none', words: '' });
  });

  test.each([
    ['never begun', null],
    ['of the way forward', progressOf(0, [converged, converged])],
    ['of a part of it', progressOf(0, [], { direction: 'back' })],
  ])('nothing is back when the last progress is one %s', (_, progress) => {
    expect(reportRollback({ cause, seen: [], plan: planBackOf(2) }, progress)).toEqual({
      cleanup: 'incomplete',
      words: ' Rolled back: 0 of 2 on their previous versions, not back: web-1, web-2.',
    });
  });

  test('an endpoint without a name goes by its id', () => {
    const plan = planBackOf(1, { endpoints: [plannedBack('ep-7', { name: null })] });
    expect(reportRollback({ cause, seen: [], plan }, null).words).toContain('not back: ep-7.');
  });
});
