import { expect, test } from '@jest/globals';
import { decideInterruption } from '../../../lib/domain/decision/interruption.ts';
import { type RolloutEvent, waveEventIdOf } from '../../../lib/domain/rollout/event.ts';
import type { Signal } from '../../../lib/domain/rollout/record.ts';
import { decideWithdrawn, SIGNAL_KINDS } from '../../../lib/domain/signals/signals.ts';
import { planOf, progressOf, recordOf, seen, signal } from '../examples.ts';

const ABORT = signal('abort');
const GIVE_WAY = signal('give-way');
const REJECT = signal('reject', { wave: 0 });
const APPROVE = signal('approve', { wave: 0 });

const asked: RolloutEvent = {
  kind: 'approval-wanted',
  eventId: waveEventIdOf('rollout-1', 'approval-wanted', 'forward', 1),
  ...{ rolloutId: 'rollout-1', runtimeId: 'shop', desiredVersion: 3, at: 0, message: '' },
  ...{ direction: 'forward', wave: 1, waves: 2, endpoints: 1 },
};

function reasonOf(signals: readonly Signal[], readFault?: string) {
  const record = { ...recordOf(), signals, events: [asked] };
  const progress = {
    ...progressOf(0, [seen('converged', 2)]),
    ...(readFault !== undefined && { readFault }),
  };
  const decision = decideInterruption({ record, plan: planOf([1, 2]), progress });
  return decision !== undefined && 'ending' in decision ? decision.ending.reason : undefined;
}

test.each<[string, readonly Signal[], string | undefined]>([
  ['nothing', [], undefined],
  ['yes', [APPROVE], undefined],
  ['yes and no', [APPROVE, REJECT], 'Rejected'],
  ['no, and that a newer rollout waits', [REJECT, GIVE_WAY], 'GaveWay'],
  ['everything at once', [APPROVE, REJECT, GIVE_WAY, ABORT], 'Aborted'],
])('a rollout that was told %s ends for the strongest reason: %j', (_, signals, reason) => {
  expect(reasonOf(signals)).toBe(reason);
});

test.each<[string, Signal, string | undefined]>([
  ['an abort is followed', ABORT, 'Aborted'],
  ['a newer rollout gets the runtime', GIVE_WAY, 'GaveWay'],
  ['a rejection waits for the list', REJECT, undefined],
])('while no list can be read, %s', (_, said, reason) => {
  expect(reasonOf([said], 'UpstreamTimeout')).toBe(reason);
});

test('before there is a plan only an abort ends it: a newer rollout goes before it once that begins', () => {
  expect(decideWithdrawn([GIVE_WAY, ABORT])).toMatchObject({ reason: 'Aborted' });
  expect(decideWithdrawn([GIVE_WAY, APPROVE, REJECT])).toBeNull();
});

test('no two kinds of signals have the same name', () => {
  expect(new Set(SIGNAL_KINDS).size).toBe(SIGNAL_KINDS.length);
});
