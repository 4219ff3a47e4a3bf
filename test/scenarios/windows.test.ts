import { describe, expect } from '@jest/globals';
import type { RolloutPolicy } from '../../lib/domain/rollout/policy.ts';
import type { AskedRollout } from '../../lib/domain/rollout/record.ts';
import { isOpeningState } from '../../lib/domain/rollout/wait.ts';
import { withdrawn } from '../../lib/domain/signals/signals.ts';
import { isSent } from '../../lib/rehearsal/calls.ts';
import { RUNTIME, type Run, runScenario } from '../support/run-scenario.ts';
import { scenarioNow } from '../support/scenario-time.ts';
import { test } from '../support/test-on-services.ts';

/** Every scenario begins on Thursday, 2026-01-01, at midnight in UTC. */
const START = Date.parse('2026-01-01T00:00:00Z');
const HOUR = 3600;
const MORNING = {
  windows: [{ days: ['thu', 'fri'], from: '09:00', to: '16:00', timeZone: 'Europe/Berlin' }],
} as const satisfies Partial<RolloutPolicy>;

function startedBy(name: string, seconds: number) {
  return { kind: 'release', name, at: START + seconds * 1000 } as const;
}

describe('outside of the deployment windows', () => {
  test('a rollout waits for the next opening, and calls nobody until then', async () => {
    const run = await runScenario({ policy: MORNING });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    // 09:00 in Berlin is 08:00 in UTC.
    expect(run.calls[0]?.at).toBe(START + 8 * HOUR * 1000);
    expect(run.states.filter(isOpeningState)).toHaveLength(1);
  });

  test('a rollout that was told to is refused, and says when it may start', async () => {
    const run = await runScenario({ policy: { ...MORNING, outsideWindow: 'refuse' } });

    expect(run.outcome).toMatchObject({
      outcome: 'Refused',
      reason: 'OutsideWindow',
      message: expect.stringContaining('2026-01-01 08:00Z'),
    });
    expect(run.calls.filter(isSent)).toEqual([]);
    expect(run.record?.outcome).toEqual(run.outcome);
    expect(run.told.map(({ kind }) => kind)).toEqual(['ended']);
  });

  test('a freeze holds a rollout back although a window is open', async () => {
    const freezes = [{ from: '2025-12-18T18:00', to: '2026-01-02T10:00', timeZone: 'UTC' }];
    const run = await runScenario({ policy: { ...MORNING, freezes } });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(run.calls[0]?.at).toBe(START + 34 * HOUR * 1000);
  });

  test('of two that wait for the same opening the newer one is rolled, whatever the policy on conflicts', async () => {
    const others: Promise<Run>[] = [];
    const first = await runScenario({
      policy: MORNING,
      input: { startedBy: startedBy('older', 0) },
      beside: async (stage) => {
        await stage.until(HOUR);
        const input = { version: 3, startedBy: startedBy('newer', HOUR) };
        others.push(stage.start('rollout-2', { policy: MORNING, input }));
        await Promise.all(others);
      },
    });
    const [second] = await Promise.all(others);

    expect(first.outcome).toMatchObject({ outcome: 'Superseded', reason: 'Overtaken' });
    expect(first.calls.filter(isSent)).toEqual([]);
    expect(second?.outcome).toMatchObject({ outcome: 'Succeeded' });
  });

  test('an older one that waits is not rolled over a newer one that was opened meanwhile', async () => {
    const others: Promise<Run>[] = [];
    const first = await runScenario({
      policy: MORNING,
      input: { startedBy: startedBy('older', 0) },
      beside: async (stage) => {
        await stage.until(HOUR);
        others.push(stage.start('rollout-2', { input: { version: 3 } }));
        await Promise.all(others);
      },
    });
    const [second] = await Promise.all(others);

    expect(second?.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(first.outcome).toMatchObject({ outcome: 'Superseded', reason: 'Overtaken' });
    expect(first.calls.filter(isSent)).toEqual([]);
  });

  test('one that is refused after its wait is closed, and its runtime is free', async () => {
    const run = await runScenario({ policy: MORNING, endpoints: [{ name: 'a', version: 3 }] });

    expect(run.outcome).toMatchObject({ outcome: 'Refused', reason: 'DowngradeRefused' });
    expect(run.record?.outcome).toEqual(run.outcome);
    expect(run.told.map(({ kind }) => kind)).toEqual(['ended']);
  });

  test('one that is taken back while it waits has ended at once, and rolls nothing when the window opens', async () => {
    const outcome = { ...withdrawn({ by: 'ann', reason: 'wrong' }), cleanup: 'none' } as const;
    const seen: (AskedRollout | null)[] = [];
    const run = await runScenario({
      policy: MORNING,
      beside: async ({ until, ledger }) => {
        await until(HOUR);
        seen.push(await ledger.read('rollout-1'));
        await ledger.withdraw('rollout-1', outcome, scenarioNow());
        seen.push(await ledger.read('rollout-1'));
      },
    });

    expect(seen[0]?.wait).toMatchObject({ for: 'window', until: START + 8 * HOUR * 1000 });
    expect(seen[1]).toMatchObject({
      outcome,
      wait: null,
      opening: null,
      endedAt: START + HOUR * 1000,
    });
    expect(run.outcome).toEqual(outcome);
    expect(run.calls.filter(isSent)).toEqual([]);
    expect(run.told.map(({ kind }) => kind)).toEqual(['ended']);
  });

  test('X04: a process that is killed while it waits has lost nothing: the next one waits on', async () => {
    let isDead = false;
    const run = await runScenario({
      policy: MORNING,
      resumesAfter: HOUR,
      ledger: (ledger) => ({
        ...ledger,
        async saveWaiting(...args) {
          await ledger.saveWaiting(...args);
          isDead = true;
          throw new Error('The machine is gone.');
        },
        close: (...args) =>
          isDead ? Promise.reject(new Error('The machine is gone.')) : ledger.close(...args),
      }),
    });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(run.calls[0]?.at).toBe(START + 8 * HOUR * 1000);
  });

  test('a rollout of a runtime of the same id at another service overtakes nobody who waits', async () => {
    const run = await runScenario({
      policy: MORNING,
      beside: async ({ until, ledger }) => {
        await until(HOUR);
        const at = START + HOUR * 1000;
        const request = { runtimeId: RUNTIME, rolloutId: 'elsewhere', desiredVersion: 9, at };
        const endpointUrl = 'https://staging.example.com';
        await ledger.recordLatestRequest({ ...request, endpointUrl, wakesAt: null }, at);
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
  });

  test('a rollout that has begun goes on when the window closes', async () => {
    const windows = [{ days: ['thu' as const], from: '00:00', to: '00:15', timeZone: 'UTC' }];
    const run = await runScenario({ policy: { windows } });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(run.seconds).toBeGreaterThan(900);
  });
});
