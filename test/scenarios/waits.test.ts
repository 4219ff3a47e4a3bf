import { describe, expect, test } from '@jest/globals';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import { WAITS, type Wait, type WaitKind } from '../../lib/domain/rollout/wait.ts';
import type { GateAnswer } from '../../lib/gates/gate.ts';
import { runScenario, type Script, type Stage } from '../support/run-scenario.ts';
import { scenarioNow, secondsSinceStart } from '../support/scenario-time.ts';

const NONE = { probe: null, alarms: [], metrics: [], approval: null };
const YES: GateAnswer = { verdict: 'pass', detail: '' };
const SILENT: GateAnswer = { verdict: 'unknown', detail: 'no data' };

async function pause(stage: Stage, from: number, to: number): Promise<void> {
  const ann = { by: 'ann', reason: 'patching' };
  await stage.until(from);
  const at = scenarioNow();
  const until = at + 24 * 3_600_000;
  await stage.ledger.addHold({ id: 'h1', kind: 'pause', scope: {}, ...ann, at, until }, at);
  await stage.until(to);
  await stage.ledger.liftHold({ id: 'h1', scope: {} }, { ...ann, at: scenarioNow() });
}

/** What the record said that it waits for, and what a list said, every second from the start to the end. */
async function waitsOf(script: Script) {
  const seen: { readonly now: number; readonly wait: Wait | null; readonly listed: Wait | null }[] =
    [];
  const run = await runScenario({
    ...script,
    async beside(stage) {
      const other = script.beside?.(stage);
      for (let second = 0.5; ; second += 1) {
        await stage.until(second);
        const record = await stage.ledger.read('rollout-1');
        const [listed] = await stage.ledger.list({ limit: 1 });
        if (record.outcome !== null) break;
        seen.push({ now: scenarioNow(), wait: record.wait, listed: listed?.wait ?? null });
      }
      await other;
    },
  });
  return { run, seen };
}

describe('whoever asks a rollout that is open what it waits for', () => {
  const approval = { timeoutSeconds: 600, onTimeout: 'approve' } as const;
  test.each<[string, Script, readonly WaitKind[]]>([
    ['one that goes well', {}, ['roll', 'second-look', 'bake']],
    [
      'one that waits for a person',
      { policy: { verify: { ...NONE, approval } } },
      ['roll', 'second-look', 'bake', 'approval'],
    ],
    [
      'one that is paused while it waits for a person',
      {
        policy: { verify: { ...NONE, approval } },
        beside: (stage) => pause(stage, 400, 900),
      },
      ['roll', 'second-look', 'bake', 'approval'],
    ],
    [
      'one that is paused',
      { beside: (stage) => pause(stage, 90, 600) },
      ['roll', 'second-look', 'bake', 'pause'],
    ],
    [
      'one whose list cannot be read for two minutes',
      {
        faults: {
          onList(read) {
            const now = secondsSinceStart();
            if (now < 30 || now > 150) return read();
            throw new SteprollError(ErrorName.UpstreamTransient, 'The service is away.');
          },
        },
      },
      ['roll', 'list', 'second-look', 'bake'],
    ],
    [
      'one whose gate is silent after the first bake',
      {
        policy: { verify: { ...NONE, alarms: ['errors'] } },
        gates: { alarm: async () => (secondsSinceStart() < 400 ? SILENT : YES) },
      },
      ['roll', 'second-look', 'bake', 'gate'],
    ],
    [
      'one whose service has asked to wait before the next roll',
      {
        faults: {
          onRoll(roll) {
            if (secondsSinceStart() > 400) return roll();
            throw new SteprollError(ErrorName.UpstreamThrottled, 'Slow down.', {
              retryAfterSeconds: 120,
            });
          },
        },
      },
      ['roll', 'service', 'second-look', 'bake'],
    ],
  ])('hears it of %s: for what, since when, and when it looks again', async (_, script, kinds) => {
    const { run, seen } = await waitsOf(script);

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(seen.length).toBeGreaterThan(300);
    expect(new Set(seen.map(({ wait }) => wait?.for))).toEqual(new Set(kinds));
    for (const { now, wait, listed } of seen) {
      expect(wait?.since).toBeLessThanOrEqual(now);
      // Its look is to come: nothing is late, and nothing was looked at before its time.
      expect(wait?.lookAt).toBeGreaterThanOrEqual(now - 500);
      expect(wait?.until ?? Number.POSITIVE_INFINITY).toBeGreaterThanOrEqual(now - 500);
      const { for: kind, wave, since, until } = wait as Wait;
      expect(listed).toMatchObject({ wave, since });
      expect(WAITS[listed?.for ?? 'start'].says).toBe(WAITS[kind].says);
      if (kind === 'approval') expect(listed).toMatchObject({ for: kind, until });
    }
  });
});
