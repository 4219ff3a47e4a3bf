import { describe, expect, test } from '@jest/globals';
import { createMemoryLedger } from '../../../lib/adapters/ledger/memory/ledger.ts';
import { endedEvent, startedEvent } from '../../../lib/domain/events/events.ts';
import { TOLD_EVENTS, toldEventOf } from '../../../lib/domain/events/told-events.ts';
import { HOLD_NEWS, type HoldEvent, untoldOf } from '../../../lib/domain/holds/news.ts';
import { DEFAULT_POLICY } from '../../../lib/domain/rollout/default-policy.ts';
import type { RolloutEvent } from '../../../lib/domain/rollout/event.ts';
import type { Outcome } from '../../../lib/domain/rollout/outcome.ts';
import type { RolloutPolicy } from '../../../lib/domain/rollout/policy.ts';
import { createInterpreter } from '../../../lib/embedded/interpreter/engine.ts';
import { createRolloutHost } from '../../../lib/embedded/rollout-host.ts';
import { createVirtualTime } from '../../../lib/rehearsal/virtual-time.ts';
import { AT, everyEvent, OUTCOME } from '../../domain/events/examples.ts';
import { planOf, recordOf } from '../../domain/examples.ts';
import { gatePortsOf } from '../../support/gate-ports.ts';
import { START } from '../../support/scenario-time.ts';
import { startSlowService } from '../../support/slow-service.ts';
import { tellOnAws } from './told.ts';

const HOUR = 3_600_000;

/** Added, about to end, standing for another week, and lifted. */
function everyHoldEvent(reason: string): readonly HoldEvent[] {
  const hold = {
    ...({ id: '4f1f9a52', kind: 'freeze', scope: {}, by: 'ann', reason } as const),
    ...{ at: AT, until: AT + 24 * HOUR },
  };
  const lifted = { by: 'bob', reason, at: AT + 5_000 };
  return [
    ...untoldOf(hold, hold.until - 1),
    ...untoldOf({ ...hold, kind: 'pin', until: null }, AT + 8 * 24 * HOUR),
    ...untoldOf({ ...hold, lifted }, AT + 6_000).slice(-1),
  ];
}

function endedFor(reason: string, said: Partial<Outcome> = {}): RolloutEvent {
  const outcome = { ...OUTCOME, cleanup: 'none', reason, ...said } as const;
  return endedEvent({ ...recordOf(), plan: null, journal: [] }, outcome, AT);
}

const REFUSED = { outcome: 'Refused' } as const;
const NOTHING: readonly RolloutEvent[] = [
  startedEvent(recordOf().request, { ...planOf([]), waves: [] }, AT),
  endedFor('NothingToDo', { outcome: 'Succeeded' }),
];

const ALL = [
  ...everyEvent(),
  endedFor('LeaseHeld', REFUSED),
  endedFor('Held', REFUSED),
  endedFor('EmptyScope', REFUSED),
  endedFor('EmptyScope', { ...REFUSED, tell: true }),
  endedFor('Overtaken', { outcome: 'Superseded' }),
  ...NOTHING,
  ...everyHoldEvent('patching'),
];
const sentencesOf = (kinds: readonly string[]) =>
  ALL.filter((event) => kinds.includes(toldEventOf(event))).map(({ message }) => message);

test('by default what a person may have to act on is told, and not what another rollout kept out', async () => {
  const { sentences, chat } = await tellOnAws({ chat: true }, ALL);
  const told = ['started', 'approval-wanted', 'failing', 'ended'];
  expect(sentences).toEqual(sentencesOf([...told, ...HOLD_NEWS]));
  expect(chat).toHaveLength(sentences.length);
});

test.each(TOLD_EVENTS)('who wants only %s gets nothing else', async (kind) => {
  const { sentences } = await tellOnAws({ events: [kind] }, ALL);
  expect(sentences).toEqual(sentencesOf([kind]));
  expect(sentences.length).toBeGreaterThan(0);
});

test('who wants every end names both kinds', async () => {
  const { sentences } = await tellOnAws({ events: ['ended', 'kept-out'] }, ALL);
  expect(sentences).toEqual(sentencesOf(['ended', 'kept-out']));
});

test('a refusal that nobody has to mend, and a rollout with nothing to do, are told to nobody', async () => {
  const { sentences } = await tellOnAws({ chat: true }, [
    ...['LeaseHeld', 'DowngradeRefused', 'GateRed'].map((reason) => endedFor(reason, REFUSED)),
    ...NOTHING,
  ]);
  expect(sentences).toEqual([]);
});

test('a hold is told, whatever a person writes as its reason', async () => {
  const { sentences } = await tellOnAws({}, everyHoldEvent('Overtaken'));
  expect(sentences).toHaveLength(HOLD_NEWS.length);
});

describe('of 100 releases at once, only those that begin are told', () => {
  test.each<RolloutPolicy['onConflict']>(['refuse', 'latest'])(
    'onConflict: %s',
    async (onConflict) => {
      const { events, begun } = await releaseAtOnce(100, { onConflict });
      const { sentences } = await tellOnAws({ chat: true }, events);

      const ends = events.filter(({ kind }) => kind === 'ended');
      expect(ends).toHaveLength(100);
      expect(begun).toBeGreaterThan(0);
      expect(begun).toBeLessThan(10);
      // Each one that begins has a start and an end.
      expect(sentences).toHaveLength(2 * begun);
    },
  );
});

/** Runs releases of one runtime that all come in the same moment. */
async function releaseAtOnce(releases: number, policy: Partial<RolloutPolicy>) {
  const time = createVirtualTime(START);
  const service = startSlowService({ runtimes: ['shop'], time, answersAfterMs: 1_000 });
  const ledger = createMemoryLedger();
  const events: RolloutEvent[] = [];
  const host = createRolloutHost({
    log: () => undefined,
    engine: createInterpreter({ clock: time, random: () => 0.5 }),
    context: {
      service: service.client,
      ledger,
      clock: time,
      gates: gatePortsOf({}),
      events: {
        async publish(event) {
          events.push(event);
        },
      },
      policyOf: () => ({ ...DEFAULT_POLICY, bakeSeconds: 0, ...policy }),
    },
  });
  const ids = Array.from({ length: releases }, (_, index) => `release-${index + 1}`);
  await time.run(async () => {
    for (const [index, rolloutId] of ids.entries()) {
      await host.start(rolloutId, {
        schemaVersion: 1,
        ...{ runtimeId: 'shop', version: 1_001 + index },
        startedBy: { kind: 'release', name: rolloutId, at: START },
      });
    }
    while (ids.some(host.isRunning)) await time.sleep(1_000);
  });
  return { events, begun: events.filter(({ kind }) => kind === 'started').length };
}
