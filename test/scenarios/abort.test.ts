import { describe, expect, test } from '@jest/globals';
import type { FailurePolicy } from '../../lib/domain/policy.ts';
import { isWrite } from '../support/call-log.ts';
import { runScenario, type Script, type Stage } from '../support/run-scenario.ts';
import { secondsSinceStart } from '../support/virtual-time.ts';

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

  describe('on the way back', () => {
    /** Five of six are rolled when the last of them breaks: four healthy ones go back, two at a time. */
    const onTheWayBack = (onFailure?: FailurePolicy): Script => ({
      endpoints: 6,
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { endpoints: 2 },
        onFailure: 'roll-back',
      },
      broken: [{ endpoint: 'endpoint-05', kind: 'fail' }],
      beside: async (stage) => {
        const isBack = () => stage.calls.some((call) => isWrite(call) && call.version === 1);
        while (!isBack()) await stage.until(secondsSinceStart() + 1);
        await abort(stage, 0, onFailure);
      },
    });

    test.each<FailurePolicy | undefined>([undefined, 'hold', 'stop-old'])(
      'ends it there: %s. Nothing more goes back, and nothing is stopped',
      async (onFailure) => {
        const whole = await runScenario({ ...onTheWayBack(), beside: async () => undefined });
        expect(whole.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });

        const run = await runScenario(onTheWayBack(onFailure));

        expect(run.outcome).toMatchObject({ outcome: 'Aborted', cleanup: 'incomplete' });
        expect(run.outcome.message).toMatch(
          /^Aborted by ada: wrong version. Wave 1 of 1: endpoint-05/,
        );
        expect(run.outcome.message).toContain('not back: ');
        expect(run.rolledBack.length).toBeLessThan(whole.rolledBack.length);
        expect(run.stopped).toEqual([]);
      },
    );

    test('goes on where that is what they ask for', async () => {
      const run = await runScenario(onTheWayBack('roll-back'));

      expect(run.outcome).toMatchObject({ outcome: 'Aborted', cleanup: 'rolledBack' });
    });
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
