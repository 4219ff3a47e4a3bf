import { describe, expect } from '@jest/globals';
import { DEFAULT_POLICY } from '../../lib/domain/rollout/default-policy.ts';
import type { RolloutPolicy } from '../../lib/domain/rollout/policy.ts';
import { isWrite } from '../../lib/rehearsal/calls.ts';
import { type Run, runScenario } from '../support/run-scenario.ts';
import { scenarioNow } from '../support/scenario-time.ts';
import { test } from '../support/test-on-services.ts';

/** Two reads must agree: one to see the last endpoint live, one to confirm it. */
const TWO_POLLS_SECONDS = 2 * DEFAULT_POLICY.pollSeconds;
/** Shares of a wave's duration: while nothing is known about the rolls, and later. */
const FIRST_WAVE_SHARE = 0.25;
const SHARE = 0.1;

const FIXED_INTERVAL = { pollSeconds: 15, maxPollSeconds: 15 };

describe.each([20, 60, 150, 400])('a poll wastes little: rolls of %i s', (rollSeconds) => {
  test('a wave bakes soon after its last endpoint is live', async () => {
    const { waves } = await watchRollout(rollSeconds);
    expect(waves).toHaveLength(3);
    waves.forEach(({ firstRoll, lastLive, bake }, wave) => {
      const share = wave === 0 ? FIRST_WAVE_SHARE : SHARE;
      const longest = Math.max(TWO_POLLS_SECONDS, share * (bake - firstRoll));
      expect(bake - lastLive).toBeLessThanOrEqual(longest);
    });
  });

  test('polls are no more than a fixed interval of 15 s would make', async () => {
    const own = await watchRollout(rollSeconds);
    const fixed = await watchRollout(rollSeconds, FIXED_INTERVAL);
    expect(pollsOf(own.run)).toBeLessThanOrEqual(pollsOf(fixed.run));
  });
});

/** In seconds since the Unix epoch. */
interface WaveTimes {
  readonly firstRoll: number;
  readonly lastLive: number;
  /** The workflow knows that the wave has converged. */
  readonly bake: number;
}

async function watchRollout(
  rollSeconds: number,
  policy: Partial<RolloutPolicy> = {},
): Promise<{ readonly run: Run; readonly waves: readonly WaveTimes[] }> {
  const bakes: number[] = [];
  const run = await runScenario({
    rollSeconds,
    policy,
    ledger: (ledger) => ({
      ...ledger,
      async saveProgress(lease, progress) {
        await ledger.saveProgress(lease, progress);
        if (progress.bakedMs !== null) bakes[progress.wave] ??= scenarioNow() / 1000;
      },
    }),
  });
  expect(run.outcome.outcome).toBe('Succeeded');
  const { endpoints = [], waves = [] } = run.record?.plan ?? {};
  return {
    run,
    waves: waves.map(({ from, to }, wave) => {
      const ids = new Set(endpoints.slice(from, to).map(({ endpointId }) => endpointId));
      const rolls = run.calls.flatMap((call) =>
        isWrite(call) && ids.has(call.endpointId) ? [call.at / 1000] : [],
      );
      const lastLive = Math.max(...rolls) + rollSeconds;
      return { firstRoll: Math.min(...rolls), lastLive, bake: bakes[wave] ?? Number.NaN };
    }),
  };
}

function pollsOf({ states }: Run): number {
  return states.filter((state, place) => state === 'Look' && states[place - 1] !== 'Bake').length;
}
