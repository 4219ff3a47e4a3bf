import { describe, expect, test } from '@jest/globals';
import { describeOutcome } from '../../../lib/cli/view/describe-outcome.ts';
import { createLogLines } from '../../../lib/cli/view/log-lines.ts';
import { createRolloutModel } from '../../../lib/cli/view/rollout-model.ts';
import type { JournalEntry } from '../../../lib/domain/rollout.ts';
import { planBackOf, planOf, progressOf, seen } from '../../domain/examples.ts';
import { fakeScreen } from './fake-screen.ts';

const plan = planOf([1, 1]);

describe('lines for a log', () => {
  test('an answered write is a line, an intention is not', () => {
    const model = createRolloutModel('shop', 3);
    model.onPlan(plan);
    const log = createLogLines(model);
    const entry = (rest: Partial<JournalEntry>): JournalEntry => ({
      at: 0,
      operation: 'roll',
      endpointId: 'web-1',
      result: 'accepted',
      ...rest,
    });
    const cases: [Partial<JournalEntry>, string[]][] = [
      [{ result: 'intended' }, []],
      [{ result: 'not-sent' }, []],
      [{}, ['Wave 1 of 2: web-1 rolls to version 3']],
      [
        { result: 'rejected', reason: 'UpstreamConflict' },
        ['Wave 1 of 2: web-1 was asked to roll, rejected: UpstreamConflict'],
      ],
      [{ operation: 'stop' }, ['Wave 1 of 2: web-1 was stopped']],
      [
        { operation: 'stop', result: 'kept', reason: 'went-live' },
        ['Wave 1 of 2: web-1 was not stopped: went-live'],
      ],
    ];
    for (const [rest, lines] of cases) expect(log.ofWrites([entry(rest)])).toEqual(lines);
  });

  test('a check is a line only when it saw something new', () => {
    const model = createRolloutModel('shop', 3);
    model.onPlan(plan);
    const log = createLogLines(model);
    const check = (state: 'progressing' | 'converged', reads: number) => {
      model.onProgress(progressOf(0, [seen(state, reads)]));
      return log.ofProgress();
    };
    expect(check('progressing', 1)).toEqual(['Wave 1 of 2: 1 progressing']);
    expect(check('progressing', 2)).toEqual([]);
    expect(check('converged', 1)).toEqual(['Wave 1 of 2: 1 converged']);
    expect(log.ofState('Bake')).toEqual(['Wave 1 of 2: converged, baking for 5 min']);
    expect(log.ofState('Wait to poll')).toEqual([]);
  });

  test('a check counts the endpoints of its own wave, not those of the waves before', () => {
    const model = createRolloutModel('shop', 3);
    model.onPlan(plan);
    model.onProgress(progressOf(1, [seen('converged', 3), seen('progressing')]));
    expect(createLogLines(model).ofProgress()).toEqual(['Wave 2 of 2: 1 progressing']);
  });

  test('a long bake is told once in each wave, however often it is looked at', () => {
    const model = createRolloutModel('shop', 3);
    const [one, two] = plan.waves.map((wave, index) => ({ ...wave, bakeSeconds: 60 + index }));
    model.onPlan({ ...plan, waves: [one, two].flatMap((wave) => wave ?? []) });
    const log = createLogLines(model);
    const bake = () => ['Bake', 'Verify wave', 'Bake'].flatMap((state) => log.ofState(state));
    model.onProgress(progressOf(0, [seen('converged', 2)]));
    expect(bake()).toEqual(['Wave 1 of 2: converged, baking for 1 min']);
    model.onProgress(progressOf(1, [seen('converged', 9), seen('converged', 2)]));
    expect(bake()).toEqual(['Wave 2 of 2: converged, baking for 1 min 1 s']);
  });

  test('a wave that does not bake is told to have converged, and no more', () => {
    const model = createRolloutModel('shop', 3);
    const waves = plan.waves.map((wave) => ({ ...wave, bakeSeconds: 0 }));
    model.onPlan({ ...plan, waves });
    model.onProgress(progressOf(0, [seen('converged', 2)]));
    expect(createLogLines(model).ofState('Bake')).toEqual(['Wave 1 of 2: converged']);
  });

  test('the way back is told as what it is', () => {
    const model = createRolloutModel('shop', 3);
    model.onPlan(plan);
    model.onProgress(progressOf(1, [seen('converged', 3), seen('failed', 2)]));
    const log = createLogLines(model);
    expect(log.ofProgress()).toEqual(['Wave 2 of 2: 1 failed']);

    model.onPlan(planBackOf(2));
    expect(log.ofProgress()).toEqual([]);
    const entry = { at: 0, operation: 'roll-back', endpointId: 'web-1' } as const;
    expect(log.ofWrites([{ ...entry, result: 'accepted' }])).toEqual([
      'Rollback: web-1 rolls back to version 2',
    ]);
    expect(log.ofWrites([{ ...entry, result: 'rejected', reason: 'UpstreamConflict' }])).toEqual([
      'Rollback: web-1 was asked to roll, rejected: UpstreamConflict',
    ]);
    model.onProgress(progressOf(0, [seen('progressing'), seen('pending')], { direction: 'back' }));
    expect(log.ofProgress()).toEqual(['Rollback: 1 progressing, 1 pending']);
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
