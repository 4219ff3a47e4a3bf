import { expect, test } from '@jest/globals';
import type { Engine } from '../../lib/cli/engine/engine.ts';
import { lookAtOpen } from '../../lib/console/desk/look.ts';
import { waveEventIdOf } from '../../lib/domain/rollout/event.ts';
import type { RolloutRecord } from '../../lib/domain/rollout/record.ts';
import {
  afterLook,
  planOf,
  policyOf,
  progressOf,
  recordOf,
  seen,
  waitFor,
} from '../domain/examples.ts';

const NOW = 120_000;
const approval = { timeoutSeconds: 86_400, onTimeout: 'reject' } as const;

function childOf(runtimeId: string, said: Partial<RolloutRecord>): RolloutRecord {
  const record = recordOf();
  const policy = policyOf({ verify: { ...policyOf().verify, approval } });
  const request = { ...record.request, policy, runtimeId, rolloutId: runtimeId, parent: 'group-1' };
  return { ...record, plan: planOf([1, 1]), ...said, request };
}

/** Its list has not been readable since the beginning of time. */
const stuck = childOf('eu-1', {
  ...afterLook(
    progressOf(0, [seen('progressing')], {
      ...{ silentMs: NOW, readFault: 'UpstreamTimeout', clock: { at: NOW, watched: NOW } },
    }),
  ),
});
const asking = childOf('eu-2', {
  progress: progressOf(0, [seen('converged', 2)], { bakedMs: 300_000, readAt: NOW }),
  wait: waitFor('approval', { until: NOW + 86_400_000 }),
  events: [
    {
      ...{ kind: 'approval-wanted', direction: 'forward', wave: 1, waves: 2 },
      eventId: waveEventIdOf('eu-2', 'approval-wanted', 'forward', 1),
      ...{ at: NOW, message: '' },
    } as RolloutRecord['events'][number],
  ],
});
const group = recordOf();
const records = [
  {
    ...{ ...group, startedAt: NOW },
    request: { ...group.request, runtimeId: 'group:eu', rolloutId: 'group-1' },
  },
  stuck,
  asking,
];

test('a group tells what waits for somebody before what is stuck, and is not called stuck itself', async () => {
  const ledger = {
    listHeld: async () => records.map(({ request }) => request),
    listWaiting: async () => [],
    listHolds: async () => [],
    list: async () => [],
    read: async (id: string) => records.find(({ request }) => request.rolloutId === id),
  };
  const engine = { ledger, isAbandoned: async () => false } as unknown as Engine;
  const { rollouts } = await lookAtOpen(engine, NOW, '');
  const of = (id: string) => rollouts.find(({ rolloutId }) => rolloutId === id);
  expect([of('eu-1')?.isStuck, of('eu-2')?.isStuck]).toEqual([true, false]);
  expect(of('group-1')?.wants.map(({ says }) => says.slice(0, 5))).toEqual(['eu-2:', 'eu-1:']);
  expect(of('group-1')?.isStuck).toBe(false);
});
