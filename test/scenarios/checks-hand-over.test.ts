import { describe, expect } from '@jest/globals';
import type { CheckAnswer } from '../../lib/gates/check-answer.ts';
import { type CheckQuestion, checks as gate } from '../../lib/gates/checks.ts';
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

  test('the lease is kept all the time, so nobody else gets the runtime', async () => {
    const leftMs: number[] = [];
    const look = async ({ ledger, until }: Stage) => {
      for (let at = 97; at < RELEASED_AT; at += 97) {
        await until(at);
        const own = (await ledger.listHeld()).find(({ rolloutId }) => rolloutId === 'rollout-1');
        leftMs.push((own?.leaseUntil ?? 0) - scenarioNow());
      }
    };
    const run = await roll({ executionLimits, beside: look });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(leftMs.length).toBeGreaterThan(100);
    expect(Math.min(...leftMs)).toBeGreaterThan(0);
  });
});
