import { describe, expect, test } from '@jest/globals';
import { ErrorName, SteprollError } from '../../../lib/domain/errors.ts';
import type { RolloutRecord } from '../../../lib/domain/rollout/record.ts';
import { phaseOf, waveThatBakes } from '../../../lib/domain/story/phase.ts';
import { recordAt } from '../../support/record-at.ts';
import type { Script } from '../../support/run-scenario.ts';
import { secondsSinceStart } from '../../support/scenario-time.ts';
import { planBackOf, planOf, progressOf, recordOf, seen } from '../examples.ts';

const approval = { timeoutSeconds: 600, onTimeout: 'reject' } as const;
const stuck = [{ endpoint: 'endpoint-03', kind: 'stuck' }];

/** The first reads make the plan. */
const unreadable = <T>(read: () => T, nth: number): T => {
  if (nth > 3) throw new SteprollError(ErrorName.UpstreamTransient, 'The service is away.');
  return read();
};

describe('what a rollout is at', () => {
  test.each<[string, number, Script, object]>([
    ['rolls its first wave', 12, {}, { phase: 'rolling', deadlineMs: 593_000 }],
    ['bakes', 60, {}, { phase: 'baking', leftMs: 265_000, doubt: null }],
    [
      'waits for a person',
      500,
      { policy: { verify: { probe: null, alarms: [], metrics: [], approval } } },
      {
        phase: 'approval',
        leftMs: 425_000,
        until: Date.UTC(2026, 0, 1, 0, 15, 25),
        onTimeout: 'reject',
      },
    ],
    [
      'waits for a list that cannot be read',
      20,
      { faults: { onList: unreadable } },
      // The deadline runs since the first read that failed.
      { phase: 'unreadable', forMs: 20_000, deadlineMs: 585_000 },
    ],
    [
      'bakes, and its list cannot be read any more',
      200,
      { faults: { onList: (read) => unreadable(read, secondsSinceStart() > 60 ? Infinity : 0) } },
      { phase: 'unreadable' },
    ],
    ['goes back', 950, { broken: stuck, policy: { onFailure: 'roll-back' } }, { phase: 'rolling' }],
  ])('%s', async (_, seconds, script, phase) => {
    const { record, now } = await recordAt(seconds, script);
    expect(phaseOf(record, now)).toMatchObject(phase);
  });
});

describe('what a record says', () => {
  const started: RolloutRecord = { ...recordOf(), plan: planOf([1, 1]) };
  const failing = (onFailure: 'stop-old' | 'roll-back' | 'hold'): RolloutRecord => ({
    ...started,
    progress: progressOf(0, [seen('failed', 2)]),
    events: [
      {
        kind: 'failing',
        eventId: 'e',
        rolloutId: 'rollout-1',
        runtimeId: 'shop',
        desiredVersion: 3,
        at: 0,
        message: '',
        reason: 'EndpointFailed',
        cause: { outcome: 'Failed', reason: 'EndpointFailed', message: '' },
        onFailure,
      },
    ],
  });
  const outcome = { outcome: 'Failed', cleanup: 'none', reason: 'r', message: 'm' } as const;
  const cause = { outcome: 'Failed', reason: 'r', message: 'm' } as const;
  const baked = (bakedMs: number, doubtMs: number | null = null): RolloutRecord => ({
    ...started,
    progress: progressOf(0, [seen('converged', 2)], { bakedMs, doubtMs }),
  });

  test.each<[string, RolloutRecord, object]>([
    ['nothing yet', recordOf(), { phase: 'planning' }],
    ['a plan without a look', started, { phase: 'planning' }],
    ['a bake that is over', baked(300_000), { phase: 'verifying' }],
    [
      'a doubt',
      baked(300_000, 100_000),
      { phase: 'baking', leftMs: 0, doubt: { unanswered: null, deadlineMs: 500_000 } },
    ],
    [
      'a wave that bakes, and has to converge once more',
      {
        ...started,
        progress: progressOf(0, [seen('progressing')], {
          ...{ bakedMs: 300_000, doubtMs: 0, isCheckedAgain: true },
        }),
      },
      { phase: 'rolling', deadlineMs: 600_000, lockout: null },
    ],
    ['a failure and stop-old', failing('stop-old'), { phase: 'stopping' }],
    ['a failure and roll-back', failing('roll-back'), { phase: 'turning-around' }],
    ['a failure and hold', failing('hold'), { phase: 'holding' }],
    [
      'a way back that has not begun',
      { ...failing('roll-back'), rollback: { cause, seen: [], plan: planBackOf(1) } },
      { phase: 'turning-around' },
    ],
    ['an outcome', { ...failing('hold'), outcome }, { phase: 'ended', outcome }],
  ])('%s', (_, record, phase) => {
    expect(phaseOf(record, 0)).toEqual(phase);
  });

  test('a doubt that comes from the list says nothing of a gate that was silent before', () => {
    const silent = {
      kind: 'alarm',
      name: 'errors',
      verdict: 'unknown',
      detail: 'no data',
    } as const;
    const unansweredAt = (readAt: number) => {
      const gates = { wave: 1, at: 0, answers: [silent] };
      const doubt = { bakedMs: 300_000, doubtMs: 100_000, readAt, gates };
      return phaseOf({ ...started, progress: progressOf(0, [seen('converged', 2)], doubt) }, 5_000);
    };
    expect(unansweredAt(0)).toMatchObject({ doubt: { unanswered: 'alarm errors: no data' } });
    expect(unansweredAt(5_000)).toMatchObject({ doubt: { unanswered: null } });
  });

  test('a bake can be ended until the rollout fails', () => {
    const bakes = { progress: progressOf(0, [seen('converged', 2)], { bakedMs: 0 }) };
    expect(waveThatBakes({ ...started, ...bakes })).toBe(0);
    expect(waveThatBakes({ ...failing('hold'), ...bakes })).toBeNull();
  });

  test('a countdown ends at 0, and one whose clock is ahead does not grow', () => {
    const record = { ...started, progress: progressOf(0, [seen('progressing')]) };
    expect(phaseOf(record, 700_000)).toEqual({ phase: 'rolling', deadlineMs: 0, lockout: null });
    expect(phaseOf(baked(0), 60_000)).toMatchObject({ leftMs: 240_000 });
    expect(phaseOf(baked(0), -60_000)).toMatchObject({ leftMs: 300_000 });
  });
});
