import { expect, test } from '@jest/globals';
import { waveEventIdOf } from '../../../lib/domain/rollout/event.ts';
import type { RolloutRecord, WaveProgress } from '../../../lib/domain/rollout/record.ts';
import { heardBy } from '../../../lib/domain/story/quiet.ts';
import { line, planOf, policyOf, progressOf, recordOf, seen } from '../examples.ts';

const BAKE = 12 * 3600;
const approval = { timeoutSeconds: 86_400, onTimeout: 'reject' } as const;

function at(said: Partial<WaveProgress>, more: Partial<RolloutRecord> = {}): RolloutRecord {
  const { request } = recordOf();
  const plan = planOf([1, 1], {
    waves: [
      { from: 0, to: 1, bakeSeconds: BAKE },
      { from: 1, to: 2, bakeSeconds: 0 },
    ],
  });
  const policy = policyOf({ verify: { ...policyOf().verify, approval } });
  const progress = progressOf(0, [seen('converged', 2)], said);
  return { ...recordOf(), request: { ...request, policy }, plan, progress, ...more };
}

function waitsForApproval(askedSeconds: number): RolloutRecord {
  const record = at({ bakedMs: BAKE * 1000, askedMs: askedSeconds * 1000 });
  const { rolloutId } = record.request;
  const eventId = waveEventIdOf(rolloutId, 'approval-wanted', 'forward', 1);
  return { ...record, events: [{ eventId, at: 0 } as RolloutRecord['events'][number]] };
}

test.each<[string, RolloutRecord, number]>([
  ['rolls', at({ bakedMs: null }), 60],
  ['waits for an approval', waitsForApproval(0), 60],
  ['has waited for one for almost an hour', waitsForApproval(3599), 60],
  ['has waited for one for an hour', waitsForApproval(3600), 300],
  ['cannot read the list', at({ bakedMs: null, unreadableMs: 0 }), 300],
  ['has no plan yet', recordOf(), 300],
  [
    'was asked by the service to wait',
    at({ bakedMs: null }, { journal: [{ ...line('roll', 'web-1', 'rejected'), retryAt: 90_000 }] }),
    90,
  ],
])(
  'a rollout on AWS that %s hears by its next look, and one here within 2 s',
  (_, record, most) => {
    const hears = (listens: boolean) => heardBy(record, 1_000, { listens, isAbandoned: false });
    expect([hears(false), hears(true)]).toEqual([1_000 + most * 1000, 3_000]);
  },
);

test('nobody hears when the process is dead, or was not heard of for too long', () => {
  const record = at({ bakedMs: null });
  expect(heardBy(record, 1_000, { listens: true, isAbandoned: true })).toBeNull();
  expect(heardBy(record, 3_600_000, { listens: true, isAbandoned: false })).toBeNull();
});
