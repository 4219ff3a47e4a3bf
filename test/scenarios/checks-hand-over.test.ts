import { describe, expect } from '@jest/globals';
import type { CheckAnswer } from '../../lib/gates/check-answer.ts';
import { type CheckQuestion, checks as gate } from '../../lib/gates/checks.ts';
import { isWrite } from '../../lib/rehearsal/calls.ts';
import { type Run, runScenario, type Script, type Stage } from '../support/run-scenario.ts';
import { scenarioNow, secondsSinceStart } from '../support/scenario-time.ts';
import { test } from '../support/test-on-services.ts';

// A rollout that waits for a check before it begins goes through several executions on AWS.

const YES: CheckAnswer = { verdict: 'pass', detail: 'SUCCEEDED' };
const AT_WORK: CheckAnswer = { verdict: 'unknown', detail: 'IN_PROGRESS', askAgainIn: 300 };

/** Its check is at work for three hours, and may be for four. */
const RELEASED_AT = 3 * 3600;
const DEADLINE_SECONDS = 4 * 3600;

/** After each look, after every few, and by the time of an execution. */
const LIMITS: readonly (readonly [string, NonNullable<Script['executionLimits']>])[] = [
  ['every look', { events: 0, seconds: 1_000_000 }],
  ['every few looks', { events: 60, seconds: 1_000_000 }],
  ['when its time is up', { events: 10_000, seconds: 2_000 }],
];

/** Waits for two checks, and rolls two endpoints: the first one says yes at once, the second one works. */
async function roll(script: Partial<Script>, releasedAt = RELEASED_AT) {
  const asked: (CheckQuestion & { readonly at: number })[] = [];
  const checks = gate.schema.parse(
    ['quick', 'slow'].map((name) => ({
      ...{ name, url: 'https://checks.example.com', when: 'before-rollout' },
      deadlineSeconds: DEADLINE_SECONDS,
    })),
  );
  const run = await runScenario({
    endpoints: 2,
    ...script,
    policy: {
      ...{ waves: [{ percent: 100 }], bakeSeconds: 0, progressDeadlineSeconds: 600 },
      verify: { approval: null, checks, alarms: [], metrics: [], probe: null },
    },
    gates: {
      async check(_, question) {
        asked.push({ ...question, at: secondsSinceStart() });
        return question.check === 'quick' || secondsSinceStart() >= releasedAt ? YES : AT_WORK;
      },
    },
  });
  return { ...run, asked };
}

/** Executions that ended while the rollout was waiting to begin. */
function handedOverToOpen({ states }: Run): number {
  const begun = states.indexOf('Roll batch');
  const opening = states.slice(0, begun < 0 ? states.length : begun);
  return opening.filter((state) => state === 'Handed over').length;
}

describe.each(LIMITS)('where an execution hands over %s', (_, executionLimits) => {
  test('the answers, the attempts and the deadline go on', async () => {
    const plain = await roll({});
    const run = await roll({ executionLimits });

    expect(handedOverToOpen(plain)).toBe(0);
    expect(handedOverToOpen(run)).toBeGreaterThan(1);
    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(run.asked).toEqual(plain.asked);
    expect(run.calls).toEqual(plain.calls);
    // The yes of the first one stands.
    expect(run.asked.filter(({ check }) => check === 'quick')).toHaveLength(1);
    expect(new Set(run.asked.map(({ deadline }) => deadline)).size).toBe(1);
  });

  test('the deadline ends it', async () => {
    const never = Number.POSITIVE_INFINITY;
    const plain = await roll({}, never);
    const run = await roll({ executionLimits }, never);

    expect(handedOverToOpen(run)).toBeGreaterThan(1);
    expect(run.outcome).toEqual(plain.outcome);
    expect(run.outcome).toMatchObject({ outcome: 'Errored', reason: 'GateUnknown' });
    expect(run.seconds).toBe(plain.seconds);
    expect(run.seconds).toBeGreaterThanOrEqual(DEADLINE_SECONDS + 600);
  });

  test('it holds no lease until there is a yes, and a newer rollout goes first', async () => {
    const held: string[] = [];
    const others: Promise<Run>[] = [];
    const beside = async ({ ledger, until, start }: Stage) => {
      for (let at = 97; at < RELEASED_AT / 2; at += 97) {
        await until(at);
        held.push(...(await ledger.listHeld()).map(({ rolloutId }) => rolloutId));
      }
      const startedBy = { kind: 'release', name: 'newer', at: scenarioNow() } as const;
      others.push(start('rollout-2', { input: { version: 3, startedBy } }));
      await Promise.all(others);
    };
    const run = await roll({ executionLimits, beside });
    const [newer] = await Promise.all(others);

    expect(handedOverToOpen(run)).toBeGreaterThan(0);
    expect(held).toEqual([]);
    expect(newer?.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(run.outcome).toMatchObject({ outcome: 'Superseded', reason: 'Overtaken' });
    expect(run.calls.filter(isWrite).filter((call) => call.rolloutId === 'rollout-1')).toEqual([]);
  });

  test('an older one that comes meanwhile does not begin before it', async () => {
    const others: Promise<Run>[] = [];
    const beside = async ({ until, start }: Stage) => {
      await until(RELEASED_AT / 2);
      const startedBy = { kind: 'release', name: 'older', at: 0 } as const;
      others.push(start('rollout-2', { input: { version: 3, startedBy } }));
      await Promise.all(others);
    };
    const run = await roll({ executionLimits, beside });
    const [older] = await Promise.all(others);

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(older?.outcome).toMatchObject({ outcome: 'Superseded', reason: 'Overtaken' });
    expect(run.calls.filter(isWrite).filter((call) => call.rolloutId === 'rollout-2')).toEqual([]);
  });
});
