import { describe, expect, test } from '@jest/globals';
import { eventIdOf } from '../../../lib/domain/rollout/event.ts';
import type { RolloutRecord, Signal } from '../../../lib/domain/rollout/record.ts';
import { waveAwaitingApproval } from '../../../lib/domain/signals/approval.ts';
import { openedOf } from '../../support/record-at.ts';
import { runScenario, type Stage } from '../../support/run-scenario.ts';
import { scenarioNow } from '../../support/scenario-time.ts';
import { recordOf } from '../examples.ts';

const approval = { timeoutSeconds: 3600, onTimeout: 'reject' } as const;
const policy = { bakeSeconds: 0, verify: { probe: null, alarms: [], metrics: [], approval } };

interface Watched {
  /** About every 5 seconds. */
  readonly records: readonly RolloutRecord[];
  /** Just after an answer. */
  readonly answered: readonly RolloutRecord[];
}

/** A rollout that is approved once and then rejected. */
async function watchRollout(): Promise<Watched> {
  const records: RolloutRecord[] = [];
  const answered: RolloutRecord[] = [];
  const say = async ({ ledger }: Stage, said: Pick<Signal, 'kind' | 'wave'>) => {
    await ledger.signal('rollout-1', { ...said, at: scenarioNow(), by: 'ada', reason: '' });
    answered.push(openedOf(await ledger.read('rollout-1')));
  };
  await runScenario({
    policy,
    async beside(stage) {
      for (let seconds = 5; seconds <= 600; seconds += 5) {
        await stage.until(seconds);
        records.push(openedOf(await stage.ledger.read('rollout-1')));
        if (records.at(-1)?.outcome) return;
        if (seconds === 120) await say(stage, { kind: 'approve', wave: 0 });
        if (seconds === 300) await say(stage, { kind: 'reject', wave: 1 });
      }
    },
  });
  return { records, answered };
}

describe('the wave that waits for approval', () => {
  test('is none, then each wave in its turn until it is answered, then none', async () => {
    const { records, answered } = await watchRollout();
    const waves = records.map(waveAwaitingApproval);
    const changes = waves.filter((wave, index) => index === 0 || wave !== waves[index - 1]);
    expect(changes).toEqual([null, 0, null, 1, null]);
    expect(answered.map(waveAwaitingApproval)).toEqual([null, null]);
  });

  test('is none once the rollout fails, although nobody has answered', async () => {
    const { records } = await watchRollout();
    const waiting = records.find((record) => waveAwaitingApproval(record) === 0) ?? recordOf();
    const failing = {
      ...failingOf(waiting),
      kind: 'failing',
      reason: 'ApprovalTimedOut',
      onFailure: 'hold',
      cause: { outcome: 'Failed', reason: 'ApprovalTimedOut', message: '' },
    } as const;
    expect(waveAwaitingApproval(waiting)).toBe(0);
    const failed = { ...waiting, events: [...waiting.events, failing] };
    expect(waveAwaitingApproval(failed)).toBeNull();
  });
});

function failingOf({ request }: RolloutRecord) {
  const { rolloutId, runtimeId, desiredVersion } = request;
  const eventId = eventIdOf(rolloutId, 'failing');
  return { eventId, rolloutId, runtimeId, desiredVersion, at: 0, message: '' };
}
