import { describe, expect } from '@jest/globals';
import { mortalLedger } from '../../lib/rehearsal/mortal-ledger.ts';
import { eventsOf } from '../bench/cost/count-rollout.ts';
import { runScenario, type ScenarioResult, type Script } from '../support/run-scenario.ts';
import { scenarioNow } from '../support/scenario-time.ts';
import { test, testWithStops } from '../support/test-on-services.ts';

/** After every few looks. */
const OFTEN = { executionLimits: { events: 60, seconds: 1_000_000 } };
/** After every single one, and before the first. */
const ALWAYS = { executionLimits: { events: 0, seconds: 1_000_000 } };
/** By its time: each bake takes longer than that. */
const SOON = { executionLimits: { events: 10_000, seconds: 100 } };

/** So many that the invariants are checked at the end alone: the simulation checks them at every step. */
const LARGE = { endpoints: 21 };

const STUCK: Script = { broken: [{ endpoint: 'endpoint-02', kind: 'stuck' }] };

function handOversOf({ states }: ScenarioResult): number {
  return states.filter((state) => state === 'Handed over').length;
}

const FREEZE = {
  ...{ id: 'h1', kind: 'freeze', scope: {}, by: 'ann', reason: 'patching', at: 0 },
  until: Date.parse('2026-01-07T12:00:00Z'),
};

/** All that the world can see of a rollout. */
function seenOf({ outcome, calls, told, endpoints, seconds }: ScenarioResult) {
  return { outcome, calls, told, endpoints, seconds };
}

describe.each<[string, Script]>([
  ['a success', {}],
  ['a slow success', { rollSeconds: 500, policy: { progressDeadlineSeconds: 3_600 } }],
  ['a long bake', { policy: { bakeSeconds: 4_000 } }],
  ['a stalled wave', STUCK],
  ['a rollback', { ...STUCK, policy: { onFailure: 'roll-back' } }],
  [
    'a regress in the bake',
    { broken: [{ endpoint: 'endpoint-01', kind: 'regress', afterSeconds: 120 }] },
  ],
  [
    'an approval',
    {
      policy: {
        verify: {
          probe: null,
          alarms: [],
          metrics: [],
          approval: { timeoutSeconds: 5_000, onTimeout: 'approve' },
        },
      },
    },
  ],
  [
    'an abort',
    {
      beside: async (stage) => {
        await stage.until(400);
        const said = { at: scenarioNow(), wave: null, by: 'ada', reason: 'enough' } as const;
        await stage.ledger.signal('rollout-1', { kind: 'abort', onFailure: 'roll-back', ...said });
      },
    },
  ],
  [
    'a start that is held, with a policy of its own',
    {
      input: { policy: { bakeSeconds: 77 } },
      beside: async (stage) => {
        await stage.ledger.addHold(FREEZE, scenarioNow());
        await stage.until(9_000);
        await stage.ledger.liftHold(FREEZE, { by: 'ann', reason: 'done', at: scenarioNow() });
      },
    },
  ],
])('A06: %s', (_, script) => {
  test.each<[string, Script]>([
    ['every few looks', OFTEN],
    ['every look', ALWAYS],
    ['when its time is up', SOON],
  ])('is the same for the world where an execution hands over %s', async (_often, limits) => {
    const plain = await runScenario({ ...LARGE, ...script });
    const handedOver = await runScenario({ ...LARGE, ...script, ...limits });

    expect(handOversOf(plain)).toBe(0);
    expect(handOversOf(handedOver)).toBeGreaterThan(0);
    expect(seenOf(handedOver)).toEqual(seenOf(plain));
  });
});

test('X03: one that is killed goes on where it was, through its next executions', async () => {
  const run = await runScenario({
    ...OFTEN,
    ledger: (ledger) => mortalLedger(ledger, { point: 60, error: 'Killed', when: 'after' }),
    resumesAfter: 200,
  });

  expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
  expect(handOversOf(run)).toBeGreaterThan(1);
});

test('invariant 16: a start is held for two weeks, and no execution comes near its limits', async () => {
  const run = await runScenario({
    beside: async (stage) => {
      await stage.ledger.addHold(FREEZE, scenarioNow());
      for (const days of [6, 12]) {
        await stage.until(days * 86_400);
        const longer = { id: `h${days}`, until: FREEZE.until + days * 86_400_000 };
        await stage.ledger.addHold({ ...FREEZE, ...longer }, scenarioNow());
      }
    },
  });

  expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
  expect(run.seconds).toBeGreaterThan(14 * 86_400);
  const histories = run.states
    .join('\n')
    .split(/(?<=Handed over)\n/)
    .map((states) => states.split('\n').reduce((sum, state) => sum + eventsOf(state), 1));
  expect(histories.length).toBeGreaterThan(3);
  for (const events of histories) expect(events).toBeLessThan(10_100);
});

testWithStops(
  'invariant 16: a deadline of days is kept through many executions, none of them near its limits',
  async () => {
    const run = await runScenario({
      endpoints: 21,
      broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }],
      policy: { pollSeconds: 60, maxPollSeconds: 60, progressDeadlineSeconds: 172_800 },
    });

    expect(handOversOf(run)).toBe(2);
    expect(run.outcome).toMatchObject({ reason: 'Stalled', cleanup: 'stopped' });
    expect(run.outcome.message).toContain('made no progress for 2 days');

    const histories = run.states
      .join('\n')
      .split(/(?<=Handed over)\n/)
      .map((states) => states.split('\n').reduce((sum, state) => sum + eventsOf(state), 1));
    expect(histories).toHaveLength(3);
    for (const events of histories) expect(events).toBeLessThan(10_100);
    // Three for each look and four for each hand-over, and what comes before and after.
    const looks = run.states.filter((state) => state === 'Look').length;
    expect(looks).toBeGreaterThan(2_800);
    expect(run.states.length).toBeLessThanOrEqual(3 * looks + 4 * 2 + 20);
  },
);
