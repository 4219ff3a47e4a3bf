import { describe, expect, test } from '@jest/globals';
import { countWaves } from '../../../lib/telling/story/standing.ts';
import { planBackOf, planOf, progressOf, recordOf, seen } from '../../domain/examples.ts';
import { recordAt, recordOfEnd } from '../../support/record-at.ts';

describe('waves as bars', () => {
  test('those before the current one are done, those after it wait', async () => {
    const { record } = await recordAt(350);
    expect(countWaves(record)).toMatchObject([
      { wave: 1, waves: 3, state: 'done', total: 1, converged: 1, inMidRoll: 0, lost: 0 },
      { wave: 2, state: 'current', total: 2, converged: 0, inMidRoll: 2, lost: 0 },
      { wave: 3, state: 'waiting', total: 9, converged: 0, inMidRoll: 0, lost: 0 },
    ]);
  });

  test('all of them are done when the rollout has succeeded', async () => {
    const record = await recordOfEnd();
    expect(countWaves(record).map(({ state }) => state)).toEqual(['done', 'done', 'done']);
  });

  test('one that was passed with a tolerated loss is done, and shows it', () => {
    const observations = [seen('failed', 9), seen('converged', 9), seen('progressing')];
    const progress = progressOf(1, observations);
    expect(countWaves({ ...recordOf(), plan: planOf([2, 1]), progress })).toMatchObject([
      { state: 'done', converged: 1, lost: 1 },
      { state: 'current', inMidRoll: 1 },
    ]);
  });

  test('the way back has nothing of the way forward', () => {
    const cause = { outcome: 'Failed', reason: 'r', message: 'm' } as const;
    const record = {
      ...recordOf(),
      plan: planOf([1, 1]),
      rollback: { cause, seen: [], plan: planBackOf(2) },
      progress: progressOf(1, [seen('converged', 2), seen('failed', 2)]),
    };
    expect(countWaves(record)).toMatchObject([
      { direction: 'back', state: 'current', total: 2, converged: 0, lost: 0 },
    ]);
  });

  test('there are none before there is a plan', () => {
    expect(countWaves(recordOf())).toEqual([]);
  });
});
