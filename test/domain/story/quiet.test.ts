import { describe, expect, test } from '@jest/globals';
import type { RolloutRecord } from '../../../lib/domain/rollout/record.ts';
import { quietSince } from '../../../lib/domain/story/quiet.ts';
import { runScenario } from '../../support/run-scenario.ts';
import { scenarioNow } from '../../support/scenario-time.ts';
import { line, planOf, progressOf, recordOf, seen } from '../examples.ts';

const MINUTE = 60_000;
const rolling: RolloutRecord = {
  ...recordOf(),
  plan: planOf([1, 1]),
  progress: progressOf(0, [seen('progressing')]),
};
const baking: RolloutRecord = {
  ...rolling,
  progress: progressOf(0, [seen('converged', 2)], { bakedMs: 0 }),
};

describe('a rollout that should have spoken', () => {
  test.each<[string, RolloutRecord, number, number | null]>([
    ['is quiet after the longest poll and a minute', rolling, 91_000, 0],
    ['is not late before', rolling, 90_000, null],
    ['may wait for its next look at a bake', baking, 2 * MINUTE, null],
    ['and no longer', baking, 2 * MINUTE + 1, 0],
    [
      'speaks with each look, also at a list that cannot be read',
      {
        ...rolling,
        progress: {
          ...rolling.progress,
          ...{ unreadableMs: MINUTE, clock: { at: MINUTE, watched: MINUTE } },
        } as never,
      },
      2 * MINUTE,
      null,
    ],
    [
      'speaks with what it writes',
      { ...rolling, journal: [{ ...line('roll', 'web-1', 'accepted'), at: MINUTE }] },
      2 * MINUTE,
      null,
    ],
    [
      'waits as long as the service has asked for',
      {
        ...rolling,
        journal: [{ ...line('roll', 'web-1', 'rejected'), retryAt: 4 * MINUTE }],
      },
      5 * MINUTE,
      null,
    ],
    ['may be reading its first list for a minute', recordOf(), MINUTE, null],
    ['and no longer than that', recordOf(), MINUTE + 1, 0],
    [
      'has nothing to say any more once it has ended',
      {
        ...rolling,
        outcome: { outcome: 'Failed', cleanup: 'none', reason: 'r', message: 'm' },
      },
      90 * MINUTE,
      null,
    ],
  ])('%s', (_, record, now, since) => {
    expect(quietSince(record, now)).toBe(since);
  });

  test('one that does what it should is never called quiet', async () => {
    const approval = { timeoutSeconds: 3_600, onTimeout: 'approve' } as const;
    const quiet: (number | null)[] = [];
    const { outcome } = await runScenario({
      policy: { bakeSeconds: 3_600, verify: { probe: null, alarms: [], metrics: [], approval } },
      async beside(stage) {
        for (let seconds = 20; ; seconds += 20) {
          await stage.until(seconds);
          const record = await stage.ledger.read('rollout-1');
          if (record.outcome !== null) return;
          quiet.push(quietSince(record, scenarioNow()));
        }
      },
    });
    expect(outcome.outcome).toBe('Succeeded');
    expect(quiet.length).toBeGreaterThan(500);
    expect(quiet.filter((since) => since !== null)).toEqual([]);
  });
});
