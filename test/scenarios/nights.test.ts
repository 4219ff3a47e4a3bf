import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from '@jest/globals';
import type { Hold } from '../../lib/domain/holds/hold.ts';
import type { StartedBy } from '../../lib/domain/rollout/request.ts';
import { isSent, isWrite } from '../../lib/rehearsal/calls.ts';
import { mortalLedger } from '../../lib/rehearsal/mortal-ledger.ts';
import { type Grounds, rehearsalGrounds } from '../support/grounds.ts';
import { createJsonLedger } from '../support/json-storage.ts';
import {
  RUNTIME,
  type Run,
  runScenario,
  type Script,
  type Stage,
} from '../support/run-scenario.ts';
import { scenarioNow } from '../support/scenario-time.ts';
import { test } from '../support/test-on-services.ts';

// Nights in which people stop the line while much else goes on.

const HOUR = 3600;
const START = Date.parse('2026-01-01T00:00:00Z');

async function add(stage: Stage, id: string, said: Partial<Hold>): Promise<void> {
  const now = scenarioNow();
  const until = now + 12 * HOUR * 1000;
  const what = { id, kind: 'pause', scope: {}, by: 'ann', reason: 'an incident', at: now, until };
  await stage.ledger.addHold({ ...what, ...said }, now);
}

function lift(stage: Stage, id: string, by: string, scope: Hold['scope'] = {}): Promise<boolean> {
  return stage.ledger.liftHold({ id, scope }, { by, reason: 'done', at: scenarioNow() });
}

const sentAt = (run: Run) =>
  run.calls
    .filter(isWrite)
    .filter(isSent)
    .map(({ at }) => (at - START) / 1000);

const WAVES: Script = {
  endpoints: 4,
  policy: {
    waves: [{ endpoints: 1 }, { percent: 100 }],
    maxUnavailable: { endpoints: 1 },
    bakeSeconds: 60,
    progressDeadlineSeconds: 600,
  },
};

describe('the line is stopped', () => {
  test('while a release, a schedule and a person start at once: nothing is rolled, and then only the newest is', async () => {
    const others: Promise<Run>[] = [];
    const start = (stage: Stage, kind: StartedBy['kind'], version: number) => {
      const startedBy = { kind, name: kind, at: scenarioNow() };
      const script: Script = {
        policy: { onConflict: 'latest' },
        input: { version, startedBy },
      };
      others.push(stage.start(`rollout-of-a-${kind}`, script));
    };
    const run = await runScenario({
      ...WAVES,
      beside: async (stage) => {
        await stage.until(HOUR);
        await add(stage, 'freeze', { kind: 'freeze' });
        await add(stage, 'pause', {});
        for (const [index, kind] of (['release', 'schedule', 'person'] as const).entries()) {
          start(stage, kind, 3 + index);
        }
        await stage.until(5 * HOUR);
        await Promise.all([lift(stage, 'freeze', 'ann'), lift(stage, 'pause', 'ann')]);
        await Promise.all(others);
      },
    });
    const [release, schedule, person] = await Promise.all(others);

    expect(run.outcome.outcome).toBe('Succeeded');
    for (const overtaken of [release, schedule]) {
      expect(overtaken?.outcome).toMatchObject({ outcome: 'Superseded', reason: 'Overtaken' });
      expect(sentAt(overtaken as Run)).toEqual([]);
    }
    expect(person?.outcome.outcome).toBe('Succeeded');
    expect(sentAt(person as Run)[0]).toBeGreaterThanOrEqual(5 * HOUR);
    expect(new Set([...run.endpoints.values()].map(({ liveVersion }) => liveVersion))).toEqual(
      new Set([5]),
    );
  });

  test('in mid-wave for longer than the deadline, and the process is killed and resumed: it goes on after the lift', async () => {
    const run = await runScenario({
      ...WAVES,
      // After a few looks under the pause.
      ledger: (ledger) => mortalLedger(ledger, { error: 'Killed', when: 'before', point: 70 }),
      resumesAfter: HOUR,
      beside: async (stage) => {
        await stage.until(130);
        await add(stage, 'pause', {});
        await stage.until(6 * HOUR);
        await lift(stage, 'pause', 'ann');
      },
    });

    const rolls = sentAt(run);
    expect(run.states.filter((state) => state === 'Open rollout').length).toBeGreaterThan(1);
    expect(rolls.filter((at) => at > 140 && at < 6 * HOUR)).toEqual([]);
    expect(rolls.filter((at) => at >= 6 * HOUR).length).toBeGreaterThan(0);
    expect(run.outcome).toMatchObject({ outcome: 'Succeeded', reason: 'Converged' });
  });

  test('and somebody undoes a rollout that has ended: that passes', async () => {
    const undone: Promise<Run>[] = [];
    await runScenario({
      ...WAVES,
      beside: async (stage) => {
        await stage.until(HOUR);
        await add(stage, 'freeze', { kind: 'freeze' });
        await add(stage, 'pause', {});
        const input = { version: undefined, revert: 'rollout-1' };
        undone.push(stage.start('rollout-2', { ...WAVES, input: input as never }));
        await Promise.all(undone);
      },
    });
    const [run] = await Promise.all(undone);

    expect(run?.outcome.outcome).toBe('Succeeded');
    expect(sentAt(run as Run)).toHaveLength(4);
    expect(run?.seconds).toBeLessThan(HOUR + 900);
  });
});

describe('a version is put in quarantine', () => {
  test('while a rollout waits for the end of a freeze that has found it as the latest one: it is refused', async () => {
    const versions = [{ version: 1 }, { version: 2 }, { version: 3 }];
    const latest: Promise<Run>[] = [];
    await runScenario({
      versions,
      input: { version: 1 },
      beside: async (stage) => {
        await stage.until(HOUR);
        await add(stage, 'freeze', { kind: 'freeze' });
        latest.push(stage.start('rollout-2', { input: { version: 'latest' } }));
        await stage.until(HOUR + 450);
        const scope = { runtimeId: RUNTIME, version: 3 };
        await add(stage, 'bad', { kind: 'quarantine', scope });
        await stage.until(2 * HOUR);
        await lift(stage, 'freeze', 'ann');
        await Promise.all(latest);
      },
    });
    const [run] = await Promise.all(latest);

    expect(run?.outcome).toMatchObject({ outcome: 'Refused', reason: 'Quarantined' });
    expect(run?.outcome.message).toContain('bad');
    expect(sentAt(run as Run)).toEqual([]);
  });
});

describe('two people', () => {
  test('lift each other’s holds at once: the rollout goes on, and each hold says who has lifted it', async () => {
    let holds: readonly Hold[] = [];
    const run = await runScenario({
      ...WAVES,
      beside: async (stage) => {
        await stage.until(130);
        await Promise.all([add(stage, 'anns', {}), add(stage, 'bobs', { by: 'bob' })]);
        await stage.until(HOUR);
        const answers = await Promise.all([
          lift(stage, 'anns', 'bob'),
          lift(stage, 'bobs', 'ann'),
          lift(stage, 'bobs', 'cid'),
        ]);
        expect(answers.filter(Boolean)).toHaveLength(2);
        holds = await stage.ledger.listHolds();
      },
    });

    expect(holds.map(({ id, lifted }) => `${id} by ${lifted?.by}`).toSorted()).toEqual([
      'anns by bob',
      'bobs by ann',
    ]);
    expect(sentAt(run).filter((at) => at > 140 && at < HOUR)).toEqual([]);
    expect(run.outcome.outcome).toBe('Succeeded');
  });

  test('hold the same thing: it goes on only after the second lift', async () => {
    const run = await runScenario({
      ...WAVES,
      beside: async (stage) => {
        await stage.until(130);
        await Promise.all([add(stage, 'anns', {}), add(stage, 'bobs', { by: 'bob' })]);
        await stage.until(HOUR);
        await lift(stage, 'bobs', 'ann');
        await stage.until(2 * HOUR);
        await lift(stage, 'anns', 'bob');
      },
    });

    expect(sentAt(run).filter((at) => at > 140 && at < 2 * HOUR)).toEqual([]);
    expect(sentAt(run).some((at) => at >= 2 * HOUR)).toBe(true);
  });
});

test('a ledger in a JSON file keeps a rollout and its holds through a night', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steproll-night-'));
  const grounds = (): Grounds => ({
    ...rehearsalGrounds(),
    ledger: createJsonLedger(join(folder, 'ledger.json')),
  });
  const script = (more: Script): Script => ({
    ...WAVES,
    ...more,
    beside: async (stage) => {
      await stage.until(130);
      await add(stage, 'pause', {});
      await stage.until(HOUR);
      await lift(stage, 'pause', 'ann');
    },
  });
  try {
    const run = await runScenario(script({ grounds }));
    expect(run.outcome.outcome).toBe('Succeeded');
    expect(sentAt(run)).toEqual(sentAt(await runScenario(script({}))));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
