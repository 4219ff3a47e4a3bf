import { describe, expect } from '@jest/globals';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import type { StartedBy } from '../../lib/domain/rollout/request.ts';
import { isOpeningState } from '../../lib/domain/rollout/wait.ts';
import { withdrawn } from '../../lib/domain/signals/signals.ts';
import { isSent, isWrite } from '../../lib/rehearsal/calls.ts';
import { type Run, runScenario, type Script } from '../support/run-scenario.ts';
import { scenarioNow, secondsSinceStart } from '../support/scenario-time.ts';
import { test, testWithStops } from '../support/test-on-services.ts';

/** All scenarios begin at the same time. */
const START = Date.parse('2026-01-01T00:00:00Z');
const LATEST = { onConflict: 'latest' } as const;

/** A release of this version, so many seconds after the start. */
function release(version: number, seconds: number, policy: Script['policy'] = LATEST): Script {
  const startedBy: StartedBy = {
    kind: 'release',
    name: `release-${version}`,
    at: START + seconds * 1000,
  };
  return { input: { version, startedBy }, policy };
}

/** The first release, to version 2, and then others while it is under way. */
async function runWith(
  others: readonly (readonly [seconds: number, script: Script])[],
  first = release(2, 0),
): Promise<readonly Run[]> {
  const runs: Promise<Run>[] = [];
  const run = await runScenario({
    ...first,
    beside: async (stage) => {
      for (const [index, [seconds, script]] of others.entries()) {
        await stage.until(seconds);
        runs.push(stage.start(`rollout-${index + 2}`, script));
      }
      await Promise.all(runs);
    },
  });
  return [run, ...(await Promise.all(runs))];
}

describe('a newer release while a rollout is under way', () => {
  test('E08: nobody gives way to one that would be refused as soon as it has the lease', async () => {
    const probe = {
      ...{ path: '/', status: 200, tries: 1, timeoutSeconds: 5, privateNetwork: false },
      hosts: ['*.example.com'],
    };
    const verify = { probe, alarms: [], metrics: [], approval: null };
    const selection = { names: ['nobody'], ids: [], exclude: [] };
    const [first, second, third] = await runWith([
      [30, release(3, 30, { ...LATEST, verify })],
      [40, release(4, 40, { ...LATEST, selection })],
    ]);

    expect(second?.outcome).toMatchObject({ outcome: 'Refused', reason: 'GateUnanswerable' });
    expect(third?.outcome).toMatchObject({ outcome: 'Refused', reason: 'EmptyScope' });
    expect(first?.outcome.outcome).toBe('Succeeded');
  });

  test('E08, H24: nobody gives way to one that cannot read yet whether it would be refused', async () => {
    const onList = <T>(read: () => T): T => {
      if (secondsSinceStart() >= 100) return read();
      throw new SteprollError(ErrorName.UpstreamTransient, 'not now');
    };
    const [first, second] = await runWith([[30, { ...release(3, 30), faults: { onList } }]]);

    expect(first?.outcome).toMatchObject({ outcome: 'Superseded', reason: 'GaveWay' });
    expect(first?.record?.signals.map(({ at }) => at >= START + 100_000)).toEqual([true]);
    expect(second?.outcome.outcome).toBe('Succeeded');
  });

  test('E08: the one that is under way gives way at its next check, and the newer one takes its endpoints on', async () => {
    const [first, second] = await runWith([[30, release(3, 30)]]);

    expect(first?.outcome).toEqual({
      outcome: 'Superseded',
      cleanup: 'none',
      reason: 'GaveWay',
      message:
        'Gave way to the newer rollout "rollout-2", to version 3. At its end, 1 of 12 endpoints was on version 2, 11 on version 1.',
    });
    expect(first?.record?.signals).toMatchObject([{ kind: 'give-way', by: 'rollout-2' }]);
    expect(second?.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(second?.states.slice(0, 4)).toEqual([
      'Open rollout',
      'What now?',
      'Wait for its turn',
      'Open rollout',
    ]);
    expect(second?.rolled).toHaveLength(12);
  });

  test('E08: during a long bake it gives way at the next look, not at the end', async () => {
    const policy = { ...LATEST, bakeSeconds: 12 * 3600 };
    const [first, second] = await runWith([[600, release(3, 600)]], release(2, 0, policy));

    expect(first?.outcome).toMatchObject({ reason: 'GaveWay' });
    const endedAt = (first?.record?.endedAt ?? 0) - START;
    expect(endedAt).toBeLessThan(3 * 3600 * 1000);
    expect(second?.outcome).toMatchObject({ outcome: 'Succeeded' });
  });

  test('E10: of many that come, the newest alone is rolled, and the others write nothing', async () => {
    const releases = [3, 4, 5, 6, 7].map(
      (version, index) => [30 + index, release(version, 30 + index)] as const,
    );
    const [first, ...others] = await runWith(releases);
    const newest = others.at(-1);

    expect(first?.outcome).toMatchObject({ reason: 'GaveWay' });
    expect(newest?.outcome).toMatchObject({ outcome: 'Succeeded' });
    for (const overtaken of others.slice(0, -1)) {
      expect(overtaken.outcome).toMatchObject({ outcome: 'Superseded', reason: 'Overtaken' });
      expect(overtaken.calls.filter(isWrite)).toEqual([]);
      expect(overtaken.record?.outcome).toEqual(overtaken.outcome);
      expect(overtaken.told.map(({ kind }) => kind)).toEqual(['ended']);
      // It waits until the newest one has begun, and reads nothing of the service meanwhile.
      expect(overtaken.states.filter((state) => state === 'Open rollout').length).toBeLessThan(8);
    }
  });

  test('E03: an older release that comes late does not overtake', async () => {
    const [first, late] = await runWith([[30, release(1, -60)]]);

    expect(first?.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(late?.outcome).toMatchObject({ outcome: 'Superseded', reason: 'Overtaken' });
    expect(late?.calls.filter(isSent)).toEqual([]);
  });

  test('E03: a newer request for an older version does not overtake where the policy forbids to go back', async () => {
    const [first, second] = await runWith([[30, release(1, 30)]]);

    expect(first?.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(second?.outcome).toMatchObject({ outcome: 'Refused', reason: 'DowngradeRefused' });
    expect(second?.calls.filter(isSent)).toEqual([]);
  });

  test('E02: another event for the same version lets the one that is under way go on, and has nothing to do then', async () => {
    const [first, second] = await runWith([[30, release(2, 30)]]);

    expect(first?.outcome).toMatchObject({ outcome: 'Succeeded', reason: 'Converged' });
    expect(first?.record?.signals).toEqual([]);
    expect(second?.outcome).toMatchObject({ outcome: 'Succeeded', reason: 'NothingToDo' });
    expect(second?.rolled).toEqual([]);
  });

  test('E03: one that is refused ends nobody: whoever waits goes on waiting, and is rolled', async () => {
    const [first, second, refused] = await runWith([
      [30, release(3, 30)],
      [31, release(1, 31)],
    ]);

    expect(first?.outcome).toMatchObject({ reason: 'GaveWay' });
    expect(refused?.outcome).toMatchObject({ reason: 'DowngradeRefused' });
    expect(second?.outcome).toMatchObject({ outcome: 'Succeeded', reason: 'Converged' });
  });

  test('E08: the wait for a window is another one than that for the turn: after a day in a freeze it asks, and is rolled', async () => {
    const friday = { days: ['fri' as const], from: '04:00', to: '20:00', timeZone: 'UTC' };
    const bakes = { ...LATEST, bakeSeconds: 3 * 24 * 3600 };
    const [first, second] = await runWith(
      [[600, release(3, 600, { ...LATEST, windows: [friday] })]],
      release(2, 0, bakes),
    );

    expect(first?.outcome).toMatchObject({ outcome: 'Superseded', reason: 'GaveWay' });
    expect(second?.outcome).toMatchObject({ outcome: 'Succeeded', reason: 'Converged' });
  });

  test('E08: it goes on where the newer one was taken back before it had looked', async () => {
    const runs: Promise<Run>[] = [];
    const first = await runScenario({
      ...release(2, 0, { ...LATEST, bakeSeconds: 3600 }),
      beside: async (stage) => {
        await stage.until(600);
        runs.push(stage.start('rollout-2', release(3, 600)));
        await stage.until(601);
        const outcome = { ...withdrawn({ by: 'ann', reason: '' }), cleanup: 'none' } as const;
        await stage.ledger.withdraw('rollout-2', outcome, scenarioNow());
        await Promise.all(runs);
      },
    });
    const [second] = await Promise.all(runs);

    expect(first.record?.signals).toMatchObject([{ kind: 'give-way', by: 'rollout-2' }]);
    expect(first.outcome).toMatchObject({ outcome: 'Succeeded', reason: 'Converged' });
    expect(second?.outcome).toMatchObject({ outcome: 'Aborted' });
    expect(second?.calls.filter(isWrite)).toEqual([]);
  });

  test('E08: a way back is gone to its end, and then it is the turn of the newer one', async () => {
    const runs: Promise<Run>[] = [];
    const policy = { ...LATEST, onFailure: 'roll-back' } as const;
    const first = await runScenario({
      ...release(2, 0, policy),
      rollSeconds: 60,
      broken: [{ endpoint: 'endpoint-12', kind: 'fail' }],
      beside: async (stage) => {
        while (!stage.told.some(({ kind }) => kind === 'failing')) {
          await stage.until(secondsSinceStart() + 1);
        }
        runs.push(stage.start('rollout-2', release(3, secondsSinceStart())));
        await Promise.all(runs);
      },
    });
    const [second] = await Promise.all(runs);

    expect(first.record?.signals).toMatchObject([{ kind: 'give-way' }]);
    expect(first.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
    expect(second?.outcome).toMatchObject({ outcome: 'Succeeded' });
  });

  test('E08: with the policy refuse it is refused, and nothing is lined up', async () => {
    const [first, second] = await runWith([[30, release(3, 30, {})]]);

    expect(first?.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(second?.outcome).toMatchObject({ outcome: 'Refused', reason: 'LeaseHeld' });
    expect(second?.states.some(isOpeningState)).toBe(false);
  });

  test('X03: it waits for a rollout that died, until its lease has run out', async () => {
    const runs: Promise<Run>[] = [];
    const dies = { ...release(2, 0), resumesAfter: 3600 };
    const first = await runScenario({
      ...dies,
      ledger: (ledger) => ({
        ...ledger,
        async saveProgress(lease, progress) {
          await ledger.saveProgress(lease, progress);
          if (progress.looks === 2) throw new Error('The machine is gone.');
        },
        close: () => Promise.reject(new Error('The machine is gone.')),
      }),
      beside: async (stage) => {
        await stage.until(60);
        runs.push(stage.start('rollout-2', release(3, 60)));
        await Promise.all(runs);
      },
    });
    const [second] = await Promise.all(runs);

    expect(second?.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(first.outcome).toMatchObject({ outcome: 'Errored', reason: 'LeaseLost' });
  });
});

describe('a release of a version that nobody can mean', () => {
  const FAR = Number.MAX_SAFE_INTEGER;
  const REFUSED = { outcome: 'Refused', reason: 'VersionStepRefused', cleanup: 'none' };

  testWithStops(
    'is refused before any write, and the releases after it go on as if it had never been',
    async () => {
      const [first, far, next] = await runWith([
        [0, release(FAR, 2)],
        [1500, release(3, 1500)],
      ]);

      expect(far?.outcome).toMatchObject(REFUSED);
      expect(far?.calls.filter(isWrite)).toEqual([]);
      expect(first?.outcome).toMatchObject({ outcome: 'Succeeded' });
      expect(next?.outcome).toMatchObject({ outcome: 'Succeeded' });
    },
  );

  testWithStops('makes nobody give way, and overtakes nobody who waits', async () => {
    const [first, waiting, far] = await runWith([
      [30, release(2, 30)],
      [60, release(FAR, 60)],
    ]);

    expect(far?.outcome).toMatchObject(REFUSED);
    expect(first?.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(waiting?.outcome).toMatchObject({ outcome: 'Succeeded' });
  });

  testWithStops('is rolled where the policy allows it', async () => {
    const policy = { ...LATEST, maxVersionStep: FAR };
    const run = await runScenario({ endpoints: 1, ...release(FAR, 0, policy) });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
  });
});
