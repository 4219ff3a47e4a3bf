import { describe, expect, test } from '@jest/globals';
import { ErrorName, SteprollError } from '../../../lib/domain/errors.ts';
import type { RolloutRecord, WaveProgress } from '../../../lib/domain/rollout/record.ts';
import type { Wait, WaitKind } from '../../../lib/domain/rollout/wait.ts';
import { phaseOf, waveThatBakes } from '../../../lib/telling/story/phase.ts';
import { planBackOf, planOf, progressOf, recordOf, seen, waitFor } from '../../domain/examples.ts';
import { recordAt } from '../../support/record-at.ts';
import type { Script } from '../../support/run-scenario.ts';
import { secondsSinceStart } from '../../support/scenario-time.ts';

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
  const waits = (
    kind: WaitKind,
    said: Partial<Wait> = {},
    more: Partial<WaveProgress> = {},
  ): RolloutRecord => ({
    ...started,
    progress: progressOf(0, [seen('converged', 2)], more),
    wait: waitFor(kind, said),
  });

  test.each<[string, RolloutRecord, object]>([
    ['nothing yet', recordOf(), { phase: 'planning' }],
    ['a plan without a look', started, { phase: 'planning' }],
    [
      'a look that is to decide, and has not yet',
      { ...waits('bake', {}, { bakedMs: 5 }), wait: null },
      { phase: 'verifying' },
    ],
    ['a bake that is over', waits('bake', { until: 0 }), { phase: 'verifying' }],
    ['a bake', waits('bake', { until: 7_000 }), { phase: 'baking', leftMs: 7_000, doubt: null }],
    [
      'a doubt that comes from the list',
      waits('doubt', { until: 500_000 }),
      { phase: 'baking', leftMs: null, doubt: { unanswered: null, deadlineMs: 500_000 } },
    ],
    [
      'a doubt that comes from a gate',
      waits('gate', { of: 'alarm errors: no data', until: 500_000 }),
      {
        ...{ phase: 'baking', leftMs: null },
        doubt: { unanswered: 'alarm errors: no data', deadlineMs: 500_000 },
      },
    ],
    ['a check at work', waits('check'), { phase: 'verifying' }],
    ['a pause', waits('pause'), { phase: 'paused' }],
    [
      'endpoints in mid-roll, under a pause',
      waits('roll'),
      { phase: 'rolling', deadlineMs: null, lockout: null },
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

  test('a bake can be ended until the rollout fails', () => {
    const bakes = { progress: progressOf(0, [seen('converged', 2)], { bakedMs: 0 }) };
    expect(waveThatBakes({ ...started, ...bakes })).toBe(0);
    expect(waveThatBakes({ ...failing('hold'), ...bakes })).toBeNull();
  });

  test('a countdown ends at 0', () => {
    const rolls = waits('roll', { until: 600_000 });
    expect(phaseOf(rolls, 700_000)).toEqual({ phase: 'rolling', deadlineMs: 0, lockout: null });
    expect(phaseOf(rolls, 60_000)).toMatchObject({ deadlineMs: 540_000 });
  });
});
