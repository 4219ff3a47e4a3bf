import { describe, expect } from '@jest/globals';
import type { RolloutPolicy } from '../../lib/domain/rollout/policy.ts';
import { isOpeningState } from '../../lib/domain/rollout/wait.ts';
import type { GateAnswer } from '../../lib/gates/gate.ts';
import { type Run, runScenario } from '../support/run-scenario.ts';
import { secondsSinceStart } from '../support/scenario-time.ts';
import { test } from '../support/test-on-services.ts';

// An alarm that is red before anything is rolled.

/** Every scenario begins on Thursday, 2026-01-01, at midnight in UTC. */
const START = Date.parse('2026-01-01T00:00:00Z');
const RELEASE = { kind: 'release', name: 'shop-2', at: START } as const;
const RED: GateAnswer = { verdict: 'fail', detail: 'ALARM' };
const GREEN: GateAnswer = { verdict: 'pass', detail: 'OK' };
const UNKNOWN: GateAnswer = { verdict: 'unknown', detail: 'INSUFFICIENT_DATA' };

function policyWith(redAtStart?: 'ignore'): Partial<RolloutPolicy> {
  const verify = { probe: null, alarms: ['shop-5xx'], metrics: [], approval: null };
  return { verify: { ...verify, ...(redAtStart && { redAtStart }) } };
}

/** An alarm that says the first thing at the first look, the second at the second, and then the last for ever. */
function saying(...answers: readonly GateAnswer[]) {
  let looks = 0;
  const alarm = async () => answers[Math.min(looks++, answers.length - 1)] as GateAnswer;
  return { gates: { alarm }, looks: () => looks };
}

/** Seconds from the start of the rollout to its failure. */
function failedAfter({ record }: Run): number {
  const failing = record?.events.find(({ kind }) => kind === 'failing');
  return ((failing?.at ?? Number.NaN) - START) / 1000;
}

describe('a gate that is red before anything is rolled', () => {
  test('refuses what a person asks for at once: nothing is sent', async () => {
    const run = await runScenario({ policy: policyWith(), ...saying(RED) });

    expect(run.outcome).toMatchObject({
      ...{ outcome: 'Refused', reason: 'GateRed', cleanup: 'none' },
      message: expect.stringContaining('alarm shop-5xx: ALARM'),
    });
    expect(run.rolled).toEqual([]);
    expect(run.states.some(isOpeningState)).toBe(false);
  });

  test('may be a query of Prometheus, unless it is about each endpoint', async () => {
    const url = 'https://prometheus.example.com';
    const policyOf = (query: string): Partial<RolloutPolicy> => {
      const said = { name: 'errors', url, query, above: 1, noData: 'wait', timeoutSeconds: 10 };
      return { verify: { probe: null, approval: null, prometheus: [said] } };
    };
    const gates = { prometheus: async () => (secondsSinceStart() < 10 ? RED : GREEN) };
    const ofAll = await runScenario({ policy: policyOf('sum(errors)'), gates });
    const ofEach = await runScenario({ policy: policyOf('errors{name="{endpoint}"}'), gates });

    expect(ofAll.outcome).toMatchObject({
      ...{ outcome: 'Refused', reason: 'GateRed', cleanup: 'none' },
      message: expect.stringContaining('query errors'),
    });
    expect(ofAll.rolled).toEqual([]);
    expect(ofEach.outcome).toMatchObject({ outcome: 'Succeeded' });
  });

  test('lets what a trigger asks for wait until it is green, and looks every 60 s', async () => {
    const { gates } = saying(RED, RED, GREEN);
    const run = await runScenario({ policy: policyWith(), input: { startedBy: RELEASE }, gates });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(run.states.filter(isOpeningState)).toHaveLength(2);
    expect(run.calls.find(({ operation }) => operation === 'roll')?.at).toBe(START + 120_000);
  });

  test('holds a trigger up for a day at most', async () => {
    const run = await runScenario({
      ...{ policy: policyWith(), input: { startedBy: RELEASE }, ...saying(RED) },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Refused', reason: 'GateRed' });
    expect(run.rolled).toEqual([]);
    // 60 looks in the first hour, and then one every 5 minutes.
    expect(run.states.filter(isOpeningState)).toHaveLength(60 + 23 * 12);
  });

  test('refuses a trigger, too, where the policy lets none wait', async () => {
    const policy = { ...policyWith(), outsideWindow: 'refuse' } as const;
    const run = await runScenario({ policy, input: { startedBy: RELEASE }, ...saying(RED) });

    expect(run.outcome).toMatchObject({ outcome: 'Refused', reason: 'GateRed' });
    expect(run.states.some(isOpeningState)).toBe(false);
  });

  test('is in nobody’s way where nothing is to be rolled', async () => {
    const endpoints = [{ name: 'web', version: 2 }];
    const run = await runScenario({ policy: policyWith(), endpoints, ...saying(RED) });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
  });
});

test('a gate that does not answer is not red: the wave is rolled, and waits for its yes', async () => {
  const run = await runScenario({
    ...{ policy: policyWith(), endpoints: 1, ...saying(UNKNOWN, UNKNOWN, GREEN) },
  });

  expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
  expect(run.rolled).toHaveLength(1);
});

describe('with redAtStart: ignore', () => {
  test('a rollout that is the fix is rolled, and succeeds when the gate is green', async () => {
    const run = await runScenario({ policy: policyWith('ignore'), ...saying(RED, GREEN) });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
  });

  test('the record says in the bake which gates were red at the start', async () => {
    const alarms = ['shop-5xx', 'latency'];
    const policy = { verify: { ...policyWith('ignore').verify, approval: null, alarms } };
    let kept: readonly string[] | undefined;
    const run = await runScenario({
      policy,
      gates: { alarm: async (name) => (name === 'latency' ? GREEN : RED) },
      beside: async (stage) => {
        await stage.until(120);
        kept = (await stage.ledger.read('rollout-1')).progress?.redAtStart;
      },
    });

    expect(run.outcome).toMatchObject({ reason: 'GateFailed' });
    expect(kept).toEqual(['alarm shop-5xx']);
  });

  test('a gate that is still red at the end of the bake is a no', async () => {
    const run = await runScenario({ policy: policyWith('ignore'), ...saying(RED) });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', failure: 'bad', reason: 'GateFailed' });
    expect(run.rolled).toEqual(['endpoint-01']);
    // Not before: the wave bakes for 5 minutes.
    expect(failedAfter(run)).toBeGreaterThan(300);
    expect(failedAfter(run)).toBeLessThan(400);
  });

  test('a gate that was green once and is red again counts within the bake', async () => {
    const alarm = async () => {
      const now = secondsSinceStart();
      return now > 60 && now < 120 ? GREEN : RED;
    };
    const run = await runScenario({ policy: policyWith('ignore'), gates: { alarm } });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', failure: 'bad', reason: 'GateFailed' });
    expect(failedAfter(run)).toBeGreaterThan(120);
    expect(failedAfter(run)).toBeLessThan(240);
  });

  test('one that was green is as any other in the bake, whatever another one was', async () => {
    const policy = policyWith('ignore');
    const verify = { ...policy.verify, approval: null, alarms: ['shop-5xx', 'latency'] };
    const alarm = async (name: string) => {
      return name === 'shop-5xx' || secondsSinceStart() > 60 ? RED : GREEN;
    };
    const run = await runScenario({ policy: { verify }, gates: { alarm } });

    expect(run.outcome).toMatchObject({ reason: 'GateFailed' });
    expect(run.outcome.message).toContain('alarm latency');
    expect(run.outcome.message).not.toContain('alarm shop-5xx');
    expect(failedAfter(run)).toBeLessThan(180);
  });
});
