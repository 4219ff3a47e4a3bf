import { describe, expect, test } from '@jest/globals';
import type { FailurePolicy } from '../../lib/domain/policy.ts';
import { runScenario, type Stage } from '../support/run-scenario.ts';

describe('a rollout that a person aborts', () => {
  test('ends at the next look, and leaves what was rolled as it is', async () => {
    const run = await runScenario({
      rollSeconds: 300,
      beside: (stage) => abort(stage, 100),
    });

    expect(run.outcome).toEqual({
      outcome: 'Aborted',
      reason: 'Aborted',
      cleanup: 'none',
      message: 'Aborted by ada: wrong version.',
    });
    expect(run.rolled).toEqual(['endpoint-01']);
    expect(run.stopped).toEqual([]);
    expect(run.seconds).toBeLessThan(135);
  });

  test('ends in the midst of a long bake too', async () => {
    const run = await runScenario({
      policy: { bakeSeconds: 12 * 3600 },
      beside: (stage) => abort(stage, 3600),
    });

    expect(run.outcome).toMatchObject({ outcome: 'Aborted', cleanup: 'none' });
    expect(run.seconds).toBeLessThan(3600 + 500);
  });

  test('rolls back when they ask for it, whatever the policy', async () => {
    const run = await runScenario({
      policy: { onFailure: 'hold' },
      beside: (stage) => abort(stage, 100, 'roll-back'),
    });

    expect(run.outcome).toMatchObject({ outcome: 'Aborted', cleanup: 'rolledBack' });
    expect(run.rolledBack).toEqual(['endpoint-01']);
  });

  test('a rollback that is under way is not aborted half-way', async () => {
    const run = await runScenario({
      policy: { onFailure: 'roll-back' },
      broken: [{ endpoint: 'endpoint-03', kind: 'fail' }],
      beside: async (stage) => {
        await stage.untilSent('roll', 4);
        await abort(stage, 0);
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
  });
});

async function abort(stage: Stage, seconds: number, onFailure?: FailurePolicy): Promise<void> {
  await stage.until(seconds);
  await stage.ledger.signal('rollout-1', {
    kind: 'abort',
    at: Date.now(),
    wave: null,
    ...(onFailure && { onFailure }),
    by: 'ada',
    reason: 'wrong version',
  });
}
