import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openSqliteLedger } from '../../../lib/adapters/ledger/sqlite/ledger.ts';
import {
  type Estimate,
  estimateRollout,
  likelyRollSeconds,
} from '../../../lib/domain/planning/estimate.ts';
import { DEFAULT_POLICY } from '../../../lib/domain/rollout/default-policy.ts';
import type { RolloutRecord } from '../../../lib/domain/rollout/record.ts';
import { checks } from '../../../lib/gates/checks.ts';
import { IN_BAKE } from '../../../lib/gates/gate.ts';
import { askedAt, needEndpoints } from '../../../lib/gates/gates.ts';
import { courseAhead, courseOf } from '../../../lib/telling/story/course.ts';
import { simulateRollout } from '../../bench/cost/simulate-rollout.ts';
import { type Run, runScenario, type Script } from '../../support/run-scenario.ts';
import { planOf } from '../examples.ts';

/** A rollout in which every roll takes as long as said, and what it was estimated to take. */
async function compare(script: Script & { readonly rollSeconds: number }) {
  const run = await runScenario(script);
  expect(run.outcome.outcome).toBe('Succeeded');
  const record = run.record as RolloutRecord;
  const { plan, request } = record;
  const whole = estimateRollout(
    plan as NonNullable<typeof plan>,
    request.policy,
    script.rollSeconds,
    {
      areAsked: askedAt(request.policy.verify, IN_BAKE).length > 0,
      needEndpoints: needEndpoints(request.policy.verify),
    },
    null,
    record.startedAt,
  );
  const { bakeSeconds: _, rounds: __, waves: ___, waits: _____, ...estimate } = whole;
  // What is planned is drawn as what happens.
  const { beganAt: ____, ...drawn } = courseOf(record, 0);
  expect(courseAhead(whole, null, 0)).toEqual(drawn);
  return { run, estimate };
}

/** What was counted, without what each hand-over to a next execution adds: 4 transitions and a call. */
function countsOf({
  states,
  calls,
  rolled,
  seconds,
}: Run): Omit<Estimate, 'bakeSeconds' | 'rounds' | 'waves' | 'waits'> {
  const count = (pattern: RegExp) => states.filter((state) => pattern.test(state)).length;
  const handOvers = count(/^Handed over$/);
  return {
    seconds,
    rolls: rolled.length,
    listReads: calls.filter(({ operation }) => operation === 'list').length,
    transitions: states.length - 4 * handOvers,
    lambdaCalls: count(/^(Open rollout|Roll batch|Look|Close rollout)$/) - handOvers,
  };
}

describe('what a rollout will take', () => {
  test('is written down as a formula', () => {
    // 5 rounds in 5 batches, 13 + 4 x 3 polls, 3 x 5 looks.
    const plan = planOf([1, 24, 75], { maxUnavailable: 33 });
    expect(estimateRollout(plan, DEFAULT_POLICY, 60)).toMatchObject({
      bakeSeconds: 900,
      rounds: 5,
      rolls: 100,
      listReads: 2 + 25 + 15 + 5,
      transitions: 2 + 5 + 5 + 3 * 25 + 3 * 15 + 3,
      lambdaCalls: 1 + 5 + 25 + 15 + 1,
    });
  });

  test.each([1, 10, 100, 1_000])(
    'is what a rollout of %i endpoints takes, to the last call, where every roll takes as long as said',
    async (endpoints) => {
      const { ledger, end } = openSqliteLedger(':memory:');
      const { states, payloads, sweeps, writes } = await simulateRollout(endpoints, 60, ledger);
      const { plan } = await ledger.read('rollout-1');
      end();
      expect(plan && estimateRollout(plan, DEFAULT_POLICY, 60)).toMatchObject({
        rolls: writes,
        listReads: sweeps,
        transitions: states.length,
        lambdaCalls: payloads.length,
      });
    },
  );

  test.each<Script & { readonly rollSeconds: number }>([
    { rollSeconds: 3 },
    { rollSeconds: 20, policy: { bakeSeconds: 0 } },
    { rollSeconds: 45, policy: { bakeSeconds: 3600, maxUnavailable: { endpoints: 2 } } },
    { rollSeconds: 45, policy: { bakeSeconds: 20_001, waves: [{ percent: 100 }] } },
    { rollSeconds: 240, policy: { pollSeconds: 10, maxPollSeconds: 10 } },
    { rollSeconds: 500, policy: { maxUnavailable: { percent: 100 } } },
    { rollSeconds: 60, policy: { pollSeconds: 900, progressDeadlineSeconds: 7_200 } },
    { rollSeconds: 1, policy: { waves: [{ percent: 100 }], maxUnavailable: { endpoints: 1 } } },
    { rollSeconds: 150, policy: { waves: [{ percent: 100 }], maxUnavailable: { endpoints: 5 } } },
    { rollSeconds: 90, policy: { maxPollSeconds: 3_600 } },
    {
      // Its list takes eleven pages.
      endpoints: 1_001,
      rollSeconds: 60,
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { percent: 100 },
        bakeSeconds: 10_800,
      },
    },
    {
      rollSeconds: 100,
      policy: { verify: { alarms: ['errors'], everySeconds: 35, approval: null } },
    },
    {
      // A check that is asked before the rollout alone is asked in no bake.
      rollSeconds: 100,
      gates: { check: async () => ({ verdict: 'pass', detail: '' }) },
      policy: {
        verify: {
          checks: checks.schema.parse([
            { name: 'tests', url: 'https://checks.example.com', when: 'before-rollout' },
          ]),
          everySeconds: 35,
          approval: null,
        },
      },
    },
    {
      // The second wave waits for its window, and the last one has to wait in its midst.
      rollSeconds: 60,
      policy: {
        windowsBind: 'rolls',
        windows: [
          { days: ['thu'], from: '00:00', to: '00:15', timeZone: 'UTC' },
          { days: ['thu'], from: '08:00', to: '08:45', timeZone: 'UTC' },
          { days: ['fri'], from: '10:00', to: '11:00', timeZone: 'UTC' },
        ],
        bakeSeconds: 1000,
        maxUnavailable: { endpoints: 1 },
      },
    },
    {
      rollSeconds: 20,
      policy: {
        waves: [
          { endpoints: 1 },
          {
            percent: 100,
            windows: [{ days: ['thu'], from: '08:00', to: '08:45', timeZone: 'UTC' }],
          },
        ],
        verify: { alarms: ['errors'], everySeconds: 35, approval: null },
      },
    },
    // Groups have this limit, too.
    { rollSeconds: 90, policy: { maxAtRisk: 1 } },
    { rollSeconds: 90, policy: { maxAtRisk: 2, maxUnavailable: { percent: 100 } } },
    { rollSeconds: 90, policy: { maxAtRisk: 20 } },
    {
      endpoints: 30,
      rollSeconds: 90,
      policy: {
        waves: [{ endpoints: 1 }, { percent: 100 }],
        maxAtRisk: 20,
        maxUnavailable: { percent: 100 },
      },
    },
    {
      // More looks than one execution has room for.
      endpoints: 1,
      rollSeconds: 1_150,
      policy: { bakeSeconds: 0, pollSeconds: 1, maxPollSeconds: 1, progressDeadlineSeconds: 3_600 },
    },
  ])('is what a scenario takes, to the second and to the last call: %p', async (script) => {
    const { run, estimate } = await compare(script);
    expect(estimate).toEqual(countsOf(run));
  });

  test('whatever the policy', async () => {
    const scripts = fc.record({
      endpoints: fc.integer({ min: 1, max: 20 }),
      rollSeconds: fc.integer({ min: 1, max: 300 }),
      policy: fc.record({
        waves: fc.constantFrom(
          [{ percent: 100 }],
          [{ endpoints: 1 }, { percent: 100 }],
          [{ percent: 10 }, { percent: 50 }, { percent: 100 }],
        ),
        maxUnavailable: fc.integer({ min: 1, max: 20 }).map((endpoints) => ({ endpoints })),
        maxAtRisk: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
        bakeSeconds: fc.integer({ min: 0, max: 1_000 }),
        // Shorter polls make thousands of looks, and what a look costs does not depend on how many went before.
        pollSeconds: fc.integer({ min: 5, max: 60 }),
        maxPollSeconds: fc.integer({ min: 5, max: 120 }),
        verify: fc.record({
          alarms: fc.constantFrom([], ['errors']),
          everySeconds: fc.integer({ min: 15, max: 3_600 }),
          warmUpSeconds: fc.constantFrom(0, 1),
          approval: fc.constant(null),
        }),
      }),
    });
    await fc.assert(
      fc.asyncProperty(scripts, async ({ policy, ...rest }) => {
        const warmUpSeconds = Math.min(policy.verify.warmUpSeconds, policy.bakeSeconds);
        const verify = { ...policy.verify, warmUpSeconds };
        const script = { ...rest, policy: { ...policy, verify } };
        const { run, estimate } = await compare(script);
        expect(estimate).toEqual(countsOf(run));
      }),
      { numRuns: 40 },
    );
  });

  test('of nothing to do is nothing', () => {
    expect(estimateRollout(planOf([]), DEFAULT_POLICY, 90)).toMatchObject({
      seconds: 0,
      rounds: 0,
    });
  });
});

describe('how long a roll is likely to take', () => {
  test.each<[string, number[], number | null]>([
    ['the one that there is', [90_000], 90],
    ['the one in the middle', [20_000, 300_000, 90_000], 90],
    ['between the two in the middle', [20_000, 100_000, 80_000, 4_000_000], 90],
    ['without a past, nobody knows', [], null],
  ])('is the median of the past: %s', (_, past, seconds) => {
    expect(likelyRollSeconds(past)).toBe(seconds);
  });

  test.each([8, 60, 200])('a rollout of rolls of %i s teaches just that', async (rollSeconds) => {
    const policy = { bakeSeconds: 120, maxUnavailable: { endpoints: 2 } };
    const { outcome } = await runScenario({ rollSeconds, policy });
    const learned = (outcome.rollMs ?? 0) / 1000;

    // As long as the look that noticed it, and no more than a look longer.
    expect(learned).toBeGreaterThanOrEqual(rollSeconds - 1);
    expect(learned).toBeLessThanOrEqual(Math.max(rollSeconds + 5, rollSeconds * 1.1));
  });

  test.each<[string, Script]>([
    ['it failed', { policy: { progressDeadlineSeconds: 30 }, rollSeconds: 60 }],
    ['it had nothing to roll', { input: { version: 1 } }],
  ])('a rollout teaches nothing where %s', async (_, script) => {
    expect((await runScenario(script)).outcome.rollMs).toBeUndefined();
  });
});
