import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { describeDuration } from '../../lib/domain/durations.ts';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import type { RolloutPolicy } from '../../lib/domain/rollout/policy.ts';
import { mortalLedger } from '../../lib/rehearsal/mortal-ledger.ts';
import { type Run, runScenario, type Script } from '../support/run-scenario.ts';
import { secondsSinceStart } from '../support/scenario-time.ts';
import { test, testWithStops } from '../support/test-on-services.ts';

/** So many that not every step of thousands is checked against all that went before it. */
const ENDPOINTS = 21;

/** One endpoint that never gets further, in a wave of its own. */
const stuckFor = (policy: Partial<RolloutPolicy>): Script => ({
  endpoints: ENDPOINTS,
  broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }],
  // What follows the deadline would take its time, too.
  policy: { waves: [{ endpoints: 1 }, { percent: 100 }], onFailure: 'hold', ...policy },
});

/** Seconds from the last read that could show progress, the one that shows its target, to the end. */
function stuckSeconds({ calls, record }: Run): number {
  const seen = calls.find(
    (call) => call.operation === 'list' && call.endpoints?.[0]?.targetVersion === 2,
  );
  return ((record?.endedAt ?? 0) - (seen?.at ?? 0)) / 1000;
}

describe('A07: a deadline rings when it is due', () => {
  test.each<[string, Partial<RolloutPolicy>]>([
    ['a day, with the usual polls', { progressDeadlineSeconds: 86_400 }],
    ['two days, with the usual polls', { progressDeadlineSeconds: 172_800 }],
    ['two polls of an hour', { pollSeconds: 3_600, progressDeadlineSeconds: 7_200 }],
    ['polls from a second on', { pollSeconds: 1, progressDeadlineSeconds: 4_000 }],
    ['less than the longest poll', { maxPollSeconds: 3_600, progressDeadlineSeconds: 45 }],
    ['no multiple of the poll', { pollSeconds: 1_000, progressDeadlineSeconds: 1_500 }],
  ])('%s', async (_, policy) => {
    const run = await runScenario(stuckFor(policy));

    const { progressDeadlineSeconds = 0 } = policy;
    expect(stuckSeconds(run)).toBe(progressDeadlineSeconds);
    expect(run.outcome).toMatchObject({ reason: 'Stalled', cleanup: 'none' });
    expect(run.outcome.message).toContain(
      `made no progress for ${describeDuration(progressDeadlineSeconds * 1000)}: endpoint-01 is not live on version 2.`,
    );
  });

  test('the list is read as often after a thousand looks as before them', async () => {
    const policy = { pollSeconds: 60, maxPollSeconds: 60, progressDeadlineSeconds: 200_000 };
    const { calls } = await runScenario(stuckFor(policy));

    const reads = calls.flatMap(({ operation, at }) => (operation === 'list' ? [at] : []));
    const looks = reads.slice(3, -2);
    expect(looks.length).toBeGreaterThan(3_000);
    const gaps = looks.slice(1).map((at, index) => (at - (looks[index] ?? 0)) / 1000);
    expect(new Set(gaps)).toEqual(new Set([60]));
  });

  test('a list that takes its time, and reads that fail, do not put it off', async () => {
    const policy = { pollSeconds: 1, maxPollSeconds: 1, progressDeadlineSeconds: 600 };
    const run = await runScenario({ ...stuckFor(policy), latencyMs: 9_000 });

    expect(stuckSeconds(run)).toBeGreaterThanOrEqual(600);
    expect(stuckSeconds(run)).toBeLessThan(650);
  });
});

test.each([5, 40])(
  'a healthy fleet is rolled one by one, though its deadline is no longer than its polls of %i s',
  async (seconds) => {
    const run = await runScenario({
      endpoints: 3,
      rollSeconds: 3,
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { endpoints: 1 },
        pollSeconds: seconds,
        maxPollSeconds: seconds,
        progressDeadlineSeconds: seconds,
        bakeSeconds: 0,
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
  },
);

test.each([
  [95, { outcome: 'Succeeded' }],
  [96, { outcome: 'Failed', reason: 'Stalled' }],
])(
  'H07: a wave that is live again at %d s, with its deadline at 95 s, ends so: %p',
  async (from, outcome) => {
    const run = await runScenario({
      endpoints: 1,
      rollSeconds: 5,
      policy: { progressDeadlineSeconds: 90, bakeSeconds: 0, onFailure: 'roll-back' },
      faults: {
        // It was live at 5 s, and after that for too long without replicas.
        onList: (read) => {
          const isDark = secondsSinceStart() > 5 && secondsSinceStart() < from;
          return read().map((one) => (isDark ? { ...one, replicas: 0 } : one));
        },
      },
    });

    expect(run.outcome).toMatchObject(outcome);
  },
);

test('an endpoint that is lost takes nothing from the deadline of the others', async () => {
  const run = await runScenario({
    endpoints: 3,
    rollSeconds: 60,
    broken: [{ endpoint: 'endpoint-01', kind: 'vanish', afterSeconds: 26 }],
    policy: {
      waves: [{ percent: 100 }],
      maxUnavailable: { endpoints: 1 },
      failureThreshold: { endpoints: 1 },
      progressDeadlineSeconds: 90,
      bakeSeconds: 0,
    },
  });

  expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
  expect(run.stopped).toEqual([]);
});

describe('H26: what could not be known is not known when the deadline is due', () => {
  const policy = { pollSeconds: 100, progressDeadlineSeconds: 250 };

  test('a list that cannot be read, however long each try takes', async () => {
    const { outcome, seconds } = await runScenario({
      endpoints: 2,
      policy: { ...policy, pollSeconds: 1 },
      latencyMs: 9_000,
      faults: {
        onList(read, nth) {
          if (nth > 4) throw named('UpstreamTimeout');
          return read();
        },
      },
    });

    expect(outcome).toMatchObject({ outcome: 'Errored', reason: 'UpstreamTimeout' });
    // Two reads for the plan, two of the rolls, and the deadline.
    expect(seconds).toBeLessThan(60 + 250 + 20);
  });

  test('a gate that gives no answer', async () => {
    const { outcome, calls } = await runScenario({
      endpoints: 2,
      policy: {
        ...policy,
        bakeSeconds: 0,
        verify: { probe: null, alarms: ['errors'], metrics: [], approval: null },
      },
      gates: { alarm: async () => ({ verdict: 'unknown', detail: '' }) },
    });

    expect(outcome).toMatchObject({ outcome: 'Errored', reason: 'GateUnknown' });
    const [firstAsked = 0, ...asked] = calls
      .flatMap(({ operation, at }) => (operation === 'list' ? [at] : []))
      .slice(-4);
    expect(asked.map((at) => (at - firstAsked) / 1000)).toEqual([100, 200, 250]);
  });
});

describe('A05: a roll that may never have been sent is made again, and that minute is no lack of progress', () => {
  /** The function dies between the journal and the PUT, so many times. */
  const dying = (times: number, policy: Partial<RolloutPolicy>): Script => {
    let deaths = 0;
    return {
      endpoints: 3,
      policy: { bakeSeconds: 0, ...policy },
      ledger: (ledger) => ({
        ...ledger,
        async append(lease, entries) {
          await ledger.append(lease, entries);
          const isMeant = entries.some(({ result }) => result === 'intended');
          if (isMeant && ++deaths <= times) throw named('Sandbox.Timedout');
        },
      }),
    };
  };

  test.each<[string, Partial<RolloutPolicy>]>([
    ['10 s', { progressDeadlineSeconds: 10 }],
    ['30 s', { progressDeadlineSeconds: 30 }],
    ['60 s', { progressDeadlineSeconds: 60 }],
    ['50 s, and 40 s between two reads', { progressDeadlineSeconds: 50, pollSeconds: 40 }],
    ['the default', {}],
  ])('a healthy fleet is rolled within a deadline of %s', async (_, policy) => {
    const run = await runScenario({ ...dying(1, policy), rollSeconds: 3 });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(run.rolled.toSorted()).toEqual(['endpoint-01', 'endpoint-02', 'endpoint-03']);
  });

  test('a roll without an answer whose endpoint is live before the first look, with a deadline of 10 s', async () => {
    const run = await runScenario({
      endpoints: 3,
      rollSeconds: 3,
      policy: { bakeSeconds: 0, progressDeadlineSeconds: 10 },
      faults: {
        onRoll(carryOut) {
          carryOut();
          throw new SteprollError(ErrorName.OutcomeUnknown, 'reset');
        },
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
  });

  testWithStops('once: what gets lost again is judged by the deadline', async () => {
    const run = await runScenario(dying(2, { progressDeadlineSeconds: 30 }));

    expect(run.outcome).toMatchObject({ outcome: 'Failed', reason: 'Stalled' });
    expect(run.rolled).toEqual([]);
    expect(run.seconds).toBeGreaterThan(60 + 30);
    expect(run.seconds).toBeLessThan(60 + 30 + 30);
  });

  test('an accepted roll that does not show is judged by the deadline alone', async () => {
    const run = await runScenario({
      endpoints: 3,
      policy: { progressDeadlineSeconds: 30, onFailure: 'hold' },
      faults: { onRoll: () => null },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', reason: 'Stalled' });
    expect(run.seconds).toBeLessThan(50);
  });
});

describe('X03: time in which no process ran is not watched', () => {
  const policy = { progressDeadlineSeconds: 60, onFailure: 'roll-back' } as const;
  const killed = (point: number, resumesAfter: number, script: Script = {}): Script => ({
    endpoints: 3,
    rollSeconds: 40,
    ...script,
    policy: { ...policy, bakeSeconds: 0, ...script.policy },
    ledger: (ledger) => mortalLedger(ledger, { point, error: 'Killed', when: 'after' }),
    resumesAfter,
  });

  test.each([3, 5, 8, 11, 14, 17, 20, 23, 26, 29, 32, 35])(
    'a healthy rollout that is killed at its call %i and resumed after 70 s succeeds',
    async (point) => {
      const run = await runScenario(killed(point, 70));

      expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
      expect(run.rolledBack).toEqual([]);
    },
  );

  test.each([1, 20, 70, 100_000])(
    'one that is stuck is given the rest of its deadline after %i s',
    async (away) => {
      const broken = [{ endpoint: 'endpoint-01', kind: 'stuck' }];
      const run = await runScenario(killed(30, away, { broken }));

      expect(run.outcome).toMatchObject({ outcome: 'Failed', reason: 'Stalled' });
      expect(run.outcome.message).toContain('made no progress for 1 min: endpoint-01 is not live');
      expect(stuckSeconds(run)).toBeGreaterThanOrEqual(60 + away - 5);
    },
  );
});

test('invariant 14: whatever the policy, a stuck wave is judged when its deadline is due', async () => {
  const seconds = (max: number) => fc.integer({ min: 1, max });
  const policies = fc
    .record({
      pollSeconds: seconds(400),
      maxPollSeconds: seconds(3_600),
      progressDeadlineSeconds: seconds(20_000),
      bakeSeconds: fc.integer({ min: 0, max: 90_000 }),
    })
    .filter(
      ({ pollSeconds, progressDeadlineSeconds }) =>
        pollSeconds <= progressDeadlineSeconds && progressDeadlineSeconds <= 200 * pollSeconds,
    );
  await fc.assert(
    fc.asyncProperty(policies, async (policy) => {
      const stuck = await runScenario({
        ...stuckFor(policy),
        broken: [{ endpoint: 'endpoint-21', kind: 'stuck' }],
      });
      const { outcome } = stuck;
      expect(outcome.reason).toBe('Stalled');
      expect(outcome.message).toContain(
        `no progress for ${describeDuration(policy.progressDeadlineSeconds * 1000)}:`,
      );
    }),
    { numRuns: 25 },
  );
});

function named(name: string): Error {
  return Object.assign(new Error('no answer'), { name });
}
