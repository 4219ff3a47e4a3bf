import { expect } from '@jest/globals';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import type { Hold } from '../../lib/domain/holds/hold.ts';
import type { RolloutPolicy } from '../../lib/domain/rollout/policy.ts';
import { withdrawn } from '../../lib/domain/signals/signals.ts';
import { isWrite } from '../../lib/rehearsal/calls.ts';
import { type Run, runScenario, type Script } from '../support/run-scenario.ts';
import { scenarioNow } from '../support/scenario-time.ts';
import { test } from '../support/test-on-services.ts';

// A rollout that has found its window open and its runtime free, and has to wait before it begins after all.

/** Every scenario begins on Thursday, 2026-01-01, at midnight in UTC. */
const START = Date.parse('2026-01-01T00:00:00Z');
const HOUR = 3600;
/** Open for a quarter of an hour, and a day later again. */
const AT_MIDNIGHT = {
  windows: [{ days: ['thu', 'fri'], from: '00:00', to: '00:15', timeZone: 'UTC' }],
} as const satisfies Partial<RolloutPolicy>;

/** Somebody freezes everything just after the first rollout has found its runtime free, before it reads the list. */
function frozenOnceFree(seconds: number): NonNullable<Script['ledger']> {
  let isAdded = false;
  return (ledger) => ({
    ...ledger,
    async mayOpen(...args) {
      const free = await ledger.mayOpen(...args);
      const at = scenarioNow();
      const until = at + seconds * 1000;
      const said = { id: 'h1', kind: 'freeze', scope: {}, by: 'ann', reason: 'patching' } as const;
      const hold: Hold = { ...said, at, until };
      if (!isAdded) await ledger.addHold(hold, at);
      isAdded = true;
      return free;
    },
  });
}

function secondsAt(run: Run, kind: string): number {
  const at = run.told.find((event) => event.kind === kind)?.at ?? Number.NaN;
  return (at - START) / 1000;
}

test('what a freeze has kept until its window is closed waits for the next window', async () => {
  const run = await runScenario({ policy: AT_MIDNIGHT, ledger: frozenOnceFree(1500) });

  expect(secondsAt(run, 'started')).toBe(24 * HOUR);
  expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
});

test('what has waited for its list until its window is closed waits for the next window', async () => {
  const isSilent = () => scenarioNow() < START + 1_000_000;
  const run = await runScenario({
    policy: { ...AT_MIDNIGHT, progressDeadlineSeconds: 1800 },
    faults: {
      onList: (read) => {
        if (isSilent()) throw new SteprollError(ErrorName.UpstreamTimeout, 'No answer.');
        return read();
      },
    },
  });

  expect(secondsAt(run, 'started')).toBe(24 * HOUR);
  expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
});

test('an abort ends it at once although the next window is far: it has no lease yet', async () => {
  const ended: unknown[] = [];
  const run = await runScenario({
    policy: AT_MIDNIGHT,
    ledger: frozenOnceFree(1500),
    beside: async ({ ledger, until }) => {
      await until(2 * HOUR);
      // As the command does it for whatever has not begun.
      const outcome = {
        ...withdrawn({ by: 'ada', reason: 'not today' }),
        cleanup: 'none',
      } as const;
      ended.push(await ledger.withdraw('rollout-1', outcome, scenarioNow()));
      ended.push((await ledger.read('rollout-1')).outcome);
    },
  });

  expect(ended).toEqual(Array(2).fill(expect.objectContaining({ outcome: 'Aborted' })));
  expect(run.outcome).toMatchObject({ outcome: 'Aborted' });
  expect(run.calls.filter(isWrite)).toEqual([]);
});

test.each([
  ['a freeze', {}],
  ['a window', AT_MIDNIGHT],
])('of two that wait for the end of %s only the newer one starts', async (_, policy) => {
  const others: Promise<Run>[] = [];
  const older = await runScenario({
    policy,
    ledger: frozenOnceFree(1500),
    beside: async (stage) => {
      await stage.until(HOUR / 3);
      const startedBy = { kind: 'release', name: 'newer', at: scenarioNow() } as const;
      others.push(stage.start('rollout-2', { policy, input: { version: 3, startedBy } }));
      await Promise.all(others);
    },
  });
  const [newer] = await Promise.all(others);

  expect(older.outcome).toMatchObject({ outcome: 'Superseded', reason: 'Overtaken' });
  expect(older.told.map(({ kind }) => kind)).toEqual(['ended']);
  expect(newer?.outcome).toMatchObject({ outcome: 'Succeeded' });
});
