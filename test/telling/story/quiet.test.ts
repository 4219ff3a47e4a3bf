import { describe, expect, test } from '@jest/globals';
import type { RolloutRecord } from '../../../lib/domain/rollout/record.ts';
import { quietSince } from '../../../lib/telling/story/quiet.ts';
import { line, planOf, progressOf, recordOf, seen, waitFor } from '../../domain/examples.ts';
import { runScenario } from '../../support/run-scenario.ts';
import { scenarioNow } from '../../support/scenario-time.ts';

const MINUTE = 60_000;
/** It has looked at 0, and looks again after 30 s. */
const waiting: RolloutRecord = {
  ...recordOf(),
  plan: planOf([1, 1]),
  progress: progressOf(0, [seen('progressing')]),
  wait: waitFor('roll', { lookAt: 30_000 }),
};

describe('a rollout that should have spoken', () => {
  test.each<[string, RolloutRecord, number, number | null]>([
    ['is quiet two minutes after its look was due', waiting, 150_001, 0],
    ['is not late before', waiting, 150_000, null],
    [
      'speaks with what it writes, and waits after that',
      { ...waiting, journal: [{ ...line('roll', 'web-1', 'accepted'), at: MINUTE }] },
      210_000,
      null,
    ],
    [
      'and no longer',
      { ...waiting, journal: [{ ...line('roll', 'web-1', 'accepted'), at: MINUTE }] },
      210_001,
      MINUTE,
    ],
    ['that is at work may take two minutes', { ...waiting, wait: null }, 2 * MINUTE, null],
    ['may be reading its first list for two minutes', recordOf(), 2 * MINUTE, null],
    ['and no longer than that', recordOf(), 2 * MINUTE + 1, 0],
    [
      'has nothing to say any more once it has ended',
      {
        ...waiting,
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
