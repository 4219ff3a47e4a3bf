import { describe, expect } from '@jest/globals';
import type { Signal } from '../../lib/domain/rollout/record.ts';
import { createInterpreter } from '../../lib/embedded/interpreter/engine.ts';
import type { GateAnswer } from '../../lib/gates/gate.ts';
import { type Grounds, rehearsalGrounds } from '../support/grounds.ts';
import { type Run, runScenario, type Script, type Stage } from '../support/run-scenario.ts';
import { scenarioNow, secondsSinceStart } from '../support/scenario-time.ts';
import { test } from '../support/test-on-services.ts';

const PASS: GateAnswer = { verdict: 'pass', detail: 'OK' };
const FAIL: GateAnswer = { verdict: 'fail', detail: 'ALARM' };
const UNKNOWN: GateAnswer = { verdict: 'unknown', detail: 'no data' };

const VERIFY = { probe: null, alarms: ['errors'], metrics: [], approval: null };
const BAKE = 12 * 3600;

function listeningGrounds(): Grounds {
  const grounds = rehearsalGrounds();
  const engine = createInterpreter({ clock: grounds.time, random: () => 0.5, listens: true });
  return { ...grounds, engine };
}

async function promote(stage: Stage, seconds: number, more: Partial<Signal> = {}) {
  await stage.until(seconds);
  const said = { kind: 'promote', at: scenarioNow(), wave: 0, by: 'ada', reason: 'hotfix' };
  await stage.ledger.signal('rollout-1', { ...said, ...more });
}

/** Three waves of one endpoint, each of which bakes for half a day. */
function script(more: Script & { verify?: object } = {}): Script {
  const { verify, ...rest } = more;
  return {
    endpoints: 3,
    policy: {
      waves: [{ endpoints: 1 }, { endpoints: 2 }, { percent: 100 }],
      bakeSeconds: BAKE,
      onFailure: 'hold',
      verify: { ...VERIFY, ...verify },
    },
    gates: { alarm: async () => PASS },
    ...rest,
  };
}

/** When each wave began, in seconds since the start. */
function beganAt({ told, record }: Run): number[] {
  const start = record?.startedAt ?? Number.NaN;
  return told.filter(({ kind }) => kind === 'wave-started').map(({ at }) => (at - start) / 1000);
}

function messageOfWave({ told }: Run, wave: number): string | undefined {
  return told.find((event) => event.kind === 'wave-started' && event.wave === wave)?.message;
}

describe('a promotion', () => {
  test('ends the bake of its wave within 60 s, and of no other one', async () => {
    const run = await runScenario(script({ beside: (stage) => promote(stage, 600) }));
    const [, second = 0, third = 0] = beganAt(run);
    expect(second).toBeGreaterThanOrEqual(600);
    expect(second).toBeLessThanOrEqual(661);
    expect(third - second).toBeGreaterThanOrEqual(BAKE);
    expect(run.outcome.outcome).toBe('Succeeded');
  });

  test('is heard within 2 s by a process that waits', async () => {
    const beside = (stage: Stage) => promote(stage, 601.5);
    const run = await runScenario(script({ grounds: listeningGrounds, beside }));
    expect(beganAt(run)[1]).toBeLessThanOrEqual(603.5);
  });

  test('of all that follow ends the bakes of those, too, and each asks its gates once more', async () => {
    const asked: number[] = [];
    const run = await runScenario(
      script({
        gates: {
          alarm: async () => {
            asked.push(secondsSinceStart());
            return PASS;
          },
        },
        beside: (stage) => promote(stage, 600, { isFull: true }),
      }),
    );
    const began = beganAt(run);
    expect(run.seconds).toBeLessThan(1800);
    for (const at of began.slice(1)) {
      expect(asked.some((one) => one <= at && one > at - 5)).toBe(true);
    }
    expect(asked.at(-1)).toBeGreaterThanOrEqual(run.seconds - 5);
  });

  test('does not go on after a no', async () => {
    const run = await runScenario(
      script({
        gates: { alarm: async () => (secondsSinceStart() > 590 ? FAIL : PASS) },
        beside: (stage) => promote(stage, 600, { isFull: true }),
      }),
    );
    expect(run.outcome).toMatchObject({ outcome: 'Failed', reason: 'GateFailed' });
    expect(run.rolled).toEqual(['endpoint-01']);
  });

  test('is not held by silence, and what had not answered is named', async () => {
    const run = await runScenario(
      script({
        gates: { alarm: async () => UNKNOWN },
        beside: (stage) => promote(stage, 600, { isFull: true }),
      }),
    );
    expect(run.outcome.outcome).toBe('Succeeded');
    expect(messageOfWave(run, 2)).toContain('alarm errors: no data');
    expect(run.outcome.message).toContain('alarm errors: no data');
  });

  test('answers no approval, whose time runs although a gate is silent', async () => {
    const approval = { timeoutSeconds: 900, onTimeout: 'reject' };
    const run = await runScenario(
      script({
        verify: { approval },
        gates: { alarm: async () => UNKNOWN },
        beside: (stage) => promote(stage, 600),
      }),
    );
    expect(run.outcome).toMatchObject({ outcome: 'Failed', reason: 'ApprovalTimedOut' });
    expect(run.rolled).toEqual(['endpoint-01']);
    expect(run.seconds).toBeLessThan(600 + 60 + 900 + 120);
  });

  test('waits for the warm-up, in which no no counts', async () => {
    const run = await runScenario(
      script({
        verify: { warmUpSeconds: 1800 },
        beside: (stage) => promote(stage, 600),
      }),
    );
    const second = beganAt(run)[1] ?? 0;
    expect(second).toBeGreaterThanOrEqual(1800);
    expect(second).toBeLessThan(1800 + 400);
  });
});
