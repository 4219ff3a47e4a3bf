import { describe, expect, test } from '@jest/globals';
import { describeOutcome } from '../../../lib/cli/view/describe-outcome.ts';
import { describePlan } from '../../../lib/cli/view/describe-plan.ts';
import { createLogLines } from '../../../lib/cli/view/log-lines.ts';
import { createRolloutModel } from '../../../lib/cli/view/rollout-model.ts';
import { DEFAULT_POLICY } from '../../../lib/domain/defaults.ts';
import type { JournalEntry, RolloutPlan } from '../../../lib/domain/rollout.ts';
import { fakeScreen } from './fake-screen.ts';

const plan: RolloutPlan = {
  endpoints: ['a', 'b'].map((endpointId) => ({
    endpointId,
    name: `web-${endpointId}`,
    previousVersion: 1,
    previousTarget: 1,
    failedBefore: false,
  })),
  waves: [
    { from: 0, to: 1 },
    { from: 1, to: 2 },
  ],
  leftOut: [
    { endpointId: 'c', name: null, reason: 'stopped' },
    { endpointId: 'd', name: 'web-d', reason: 'at-version' },
  ],
  maxUnavailable: 1,
};

describe('lines for a log', () => {
  test('the plan says what is rolled, what is left alone, and how', () => {
    expect(describePlan(plan, 'shop', 2, DEFAULT_POLICY)).toEqual([
      'Plan: shop to version 2, 2 of 4 endpoints in 2 waves',
      '  Wave 1: 1 (web-a)',
      '  Wave 2: 1 (web-b)',
      '  At the version already: 1 (web-d)',
      '  Stopped, left alone: 1 (c)',
      '  At most 1 in mid-roll at once, bake 5 min, progress deadline 10 min, on failure: stop-old',
    ]);
    expect(describePlan({ ...plan, endpoints: [], waves: [] }, 'shop', 2, DEFAULT_POLICY)[0]).toBe(
      'Plan: nothing to do for version 2',
    );
  });

  test('an answered write is a line, an intention is not', () => {
    const model = createRolloutModel('shop', 2);
    model.onPlan(plan);
    const log = createLogLines(model, 60);
    const entry = (rest: Partial<JournalEntry>): JournalEntry => ({
      at: 0,
      operation: 'roll',
      endpointId: 'a',
      result: 'accepted',
      ...rest,
    });
    const cases: [Partial<JournalEntry>, string[]][] = [
      [{ result: 'intended' }, []],
      [{ result: 'not-sent' }, []],
      [{}, ['Wave 1 of 2: web-a rolls to version 2']],
      [
        { result: 'rejected', reason: 'UpstreamConflict' },
        ['Wave 1 of 2: web-a was asked to roll, rejected: UpstreamConflict'],
      ],
      [{ operation: 'stop' }, ['Wave 1 of 2: web-a was stopped']],
      [
        { operation: 'stop', result: 'kept', reason: 'went-live' },
        ['Wave 1 of 2: web-a was not stopped: went-live'],
      ],
    ];
    for (const [rest, lines] of cases) expect(log.ofWrites([entry(rest)])).toEqual(lines);
  });

  test('a check is a line only when it saw something new', () => {
    const model = createRolloutModel('shop', 2);
    model.onPlan(plan);
    const log = createLogLines(model, 60);
    const check = (state: 'progressing' | 'converged', reads: number) => {
      model.onProgress({
        wave: 0,
        progressedAt: 0,
        readAt: 0,
        furthest: 0,
        observations: [{ state, reads }],
      });
      return log.ofProgress();
    };
    expect(check('progressing', 1)).toEqual(['Wave 1 of 2: 1 progressing']);
    expect(check('progressing', 2)).toEqual([]);
    expect(check('converged', 1)).toEqual(['Wave 1 of 2: 1 converged']);
    expect(log.ofState('Bake')).toEqual(['Wave 1 of 2: converged, baking for 1 min']);
    expect(log.ofState('Wait to poll')).toEqual([]);
  });

  test('a check counts the endpoints of its own wave, not those of the waves before', () => {
    const model = createRolloutModel('shop', 2);
    model.onPlan(plan);
    model.onProgress({
      wave: 1,
      progressedAt: 0,
      readAt: 0,
      furthest: 5,
      observations: [
        { state: 'converged', reads: 3 },
        { state: 'progressing', reads: 1 },
      ],
    });
    expect(createLogLines(model, 60).ofProgress()).toEqual(['Wave 2 of 2: 1 progressing']);
  });

  test('the outcome says kind, reason, duration, cleanup and the sentence', () => {
    const outcome = {
      outcome: 'Failed',
      reason: 'Stalled',
      cleanup: 'kept',
      message: 'Nothing moved.\u001b',
    } as const;
    expect(describeOutcome(outcome, 65_000, fakeScreen(80))).toEqual([
      '✘ Failed (Stalled) in 1 min 5 s, cleanup: kept',
      '  Nothing moved.\uFFFD',
    ]);
  });
});
