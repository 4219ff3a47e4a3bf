import { describe, expect, test } from '@jest/globals';
import { waveToAnswer } from '../../../lib/cli/rollout/named-wave.ts';
import { startClock } from '../../../lib/domain/clock.ts';
import { waveEventIdOf } from '../../../lib/domain/rollout/event.ts';
import type { RolloutRecord } from '../../../lib/domain/rollout/record.ts';
import { beginWave } from '../../../lib/domain/wave/progress.ts';
import { planOf, recordOf } from '../../domain/examples.ts';

const approval = { timeoutSeconds: 3600, onTimeout: 'reject' } as const;
const verify = { probe: null, alarms: [], metrics: [], approval };
const plan = planOf([1, 2, 3]);
const wanted = {
  kind: 'approval-wanted',
  eventId: waveEventIdOf('rollout-1', 'approval-wanted', 'forward', 2),
  rolloutId: 'rollout-1',
  runtimeId: 'shop',
  desiredVersion: 3,
  at: 0,
  message: '',
  direction: 'forward',
  wave: 2,
  waves: 3,
  endpoints: 2,
} as const;

const waiting: RolloutRecord = {
  ...recordOf([], { verify }),
  plan,
  progress: beginWave(plan, 1, startClock(0)),
  events: [wanted],
};

describe('an answer to an approval', () => {
  test.each([undefined, 2])('is for the wave that waits, said as %p', (said) => {
    expect(waveToAnswer(waiting, said)).toBe(1);
  });

  test.each<[string, RolloutRecord, number | undefined, string, RegExp]>([
    ['another wave waits', waiting, 1, 'ApprovalNotWanted', /to wave 2, not to wave 1/],
    [
      'it is not so far',
      { ...waiting, events: [] },
      undefined,
      'ApprovalNotWanted',
      /in wave 2 of 3/,
    ],
    ['it has no plan', { ...recordOf([], { verify }) }, undefined, 'ApprovalNotWanted', /no plan/],
    ['nobody has to', recordOf(), undefined, 'ApprovalNotWanted', /asks for none/],
    [
      'it has ended',
      {
        ...waiting,
        outcome: { outcome: 'Failed', cleanup: 'none', reason: 'Stalled', message: 'Too slow.' },
      },
      undefined,
      'RolloutClosed',
      /as Failed: Too slow\./,
    ],
  ])('is refused where %s', (_, record, said, name, message) => {
    expect(() => waveToAnswer(record, said)).toThrow(
      expect.objectContaining({ name, message: expect.stringMatching(message) }),
    );
  });
});
