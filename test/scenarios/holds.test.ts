import { describe, expect } from '@jest/globals';
import type { Hold } from '../../lib/domain/holds/hold.ts';
import type { AskedRollout } from '../../lib/domain/rollout/record.ts';
import { createInterpreter } from '../../lib/embedded/interpreter/engine.ts';
import { isSent, isWrite } from '../../lib/rehearsal/calls.ts';
import { courseOf } from '../../lib/telling/story/course.ts';
import { listHappenings } from '../../lib/telling/story/happenings.ts';
import { rolloutViewSchema, toRolloutView } from '../../lib/telling/view/rollout-view.ts';
import { describeHappening } from '../../lib/telling/words/happening.ts';
import { type Grounds, rehearsalGrounds } from '../support/grounds.ts';
import {
  RUNTIME,
  type Run,
  runScenario,
  type Script,
  type Stage,
} from '../support/run-scenario.ts';
import { scenarioNow } from '../support/scenario-time.ts';
import { test, testWithStops } from '../support/test-on-services.ts';

const HOUR = 3600;
const START = Date.parse('2026-01-01T00:00:00Z');

async function hold(stage: Stage, at: number, kind: Hold['kind'], said: Partial<Hold> = {}) {
  await stage.until(at);
  const now = scenarioNow();
  const until = now + 24 * HOUR * 1000;
  const what = {
    id: 'h1',
    kind,
    scope: {},
    by: 'ann',
    reason: 'patching',
    at: now,
    until,
    ...said,
  };
  await stage.ledger.addHold(what, now);
}

async function lift(stage: Stage, at: number, scope: Hold['scope'] = {}) {
  await stage.until(at);
  const lifted = { by: 'ann', reason: 'done', at: scenarioNow() };
  await stage.ledger.liftHold({ id: 'h1', scope }, lifted);
}

function heldFrom(
  kind: Hold['kind'],
  [from, to]: readonly [number, number],
  said: Partial<Hold> = {},
): NonNullable<Script['beside']> {
  return async (stage) => {
    await hold(stage, from, kind, said);
    await lift(stage, to, said.scope);
  };
}

/** As a process on one machine runs a rollout: it listens while it waits. */
function listeningGrounds(): Grounds {
  const grounds = rehearsalGrounds();
  const engine = createInterpreter({ clock: grounds.time, random: () => 0.5, listens: true });
  return { ...grounds, engine };
}

const sentAt = (run: Run) =>
  run.calls
    .filter(isWrite)
    .filter(isSent)
    .map(({ at }) => (at - START) / 1000);
const held = ['freeze', [0, HOUR]] as const;

/** Starts a rollout when the hold is there. */
async function startHeld(
  kind: Hold['kind'],
  script: Script,
  said: Partial<Hold> = {},
): Promise<Run> {
  const runs: Promise<Run>[] = [];
  const { input: _, ...first } = script;
  await runScenario({
    ...first,
    beside: async (stage) => {
      await hold(stage, 2 * HOUR, kind, said);
      runs.push(stage.start('rollout-2', { ...script, input: { version: 3, ...script.input } }));
      await lift(stage, 3 * HOUR + 60.5, said.scope);
      await Promise.all(runs);
    },
  });
  return (await Promise.all(runs))[0] as Run;
}

describe('a freeze', () => {
  test.each([
    ['of everything', {}],
    ['of the runtime', { scope: { runtimeId: RUNTIME } }],
  ])(
    '%s lets what starts wait, which writes nothing and begins within 300 s of its end',
    async (_, said) => {
      const run = await startHeld('freeze', {}, said);

      expect(run.outcome.outcome).toBe('Succeeded');
      const [first = 0] = sentAt(run);
      expect(first).toBeGreaterThan(3 * HOUR + 60);
      expect(first).toBeLessThan(3 * HOUR + 60 + 310);
    },
  );

  test('is told as what the wait before the begin was for', async () => {
    const run = await startHeld('freeze', {});
    const record = run.record as AskedRollout;

    expect(listHappenings(record).map(describeHappening)[0]).toContain('Held by the freeze h1');
    expect(courseOf(record, START).stages[0]?.spans.map(({ kind }) => kind)).toContain('held');
  });

  test('is over at its end, and nobody has to lift it', async () => {
    const run = await startHeld('freeze', {}, { until: START + 2.5 * HOUR * 1000 });

    expect(sentAt(run)[0]).toBeGreaterThanOrEqual(2.5 * HOUR);
    expect(sentAt(run)[0]).toBeLessThan(2.5 * HOUR + 10);
  });

  test('refuses what may not wait, and names the hold, its owner, its end and the way out', async () => {
    const run = await startHeld('freeze', { policy: { outsideWindow: 'refuse' } });

    expect(run.outcome).toMatchObject({ outcome: 'Refused', reason: 'Held' });
    for (const word of ['ann', 'patching', '2026-01-02 02:00Z', 'h1']) {
      expect(run.outcome.message).toContain(word);
    }
    expect(sentAt(run)).toEqual([]);
  });

  test('that lasts for longer than 7 days refuses who would wait for its end, and names it', async () => {
    const scope = { runtimeId: RUNTIME };
    const run = await startHeld('freeze', {}, { scope, until: START + 80 * 24 * HOUR * 1000 });

    expect(run.outcome).toMatchObject({ outcome: 'Refused', reason: 'Held' });
    expect(run.outcome.message).toMatch(/^Held by the freeze h1 of runtime shop until 2026-03-22/);
    expect(sentAt(run)).toEqual([]);
  });

  test('lets what runs go on', async () => {
    const script: Script = { policy: { bakeSeconds: 600 } };
    const free = await runScenario(script);
    const run = await runScenario({ ...script, beside: (stage) => hold(stage, 30, 'freeze') });

    expect(sentAt(run)).toEqual(sentAt(free));
  });

  test('of another runtime holds nothing here', async () => {
    const beside = heldFrom(...held, { scope: { runtimeId: 'another' } });
    expect(sentAt(await runScenario({ beside }))).toEqual(sentAt(await runScenario()));
  });

  test('lets the newest of those that wait begin', async () => {
    const others: Promise<Run>[] = [];
    await runScenario({
      beside: async (stage) => {
        await hold(stage, 2 * HOUR, 'freeze');
        others.push(stage.start('rollout-2', { input: { version: 3 } }));
        await stage.until(2 * HOUR + 400);
        others.push(stage.start('rollout-3', { input: { version: 4 } }));
        await lift(stage, 3 * HOUR);
        await Promise.all(others);
      },
    });
    const [older, newer] = await Promise.all(others);

    expect(older?.outcome).toMatchObject({ outcome: 'Superseded', reason: 'Overtaken' });
    expect(sentAt(older as Run)).toEqual([]);
    expect(newer?.outcome).toMatchObject({ outcome: 'Succeeded' });
  });

  test('that comes while a rollout makes its plan is found before the first roll', async () => {
    let isAdded = false;
    const run = await runScenario({
      beside: (stage) => lift(stage, HOUR),
      ledger: (ledger, stage) => ({
        ...ledger,
        async mayOpen(...args) {
          const free = await ledger.mayOpen(...args);
          if (!isAdded) await hold(stage, 0, 'freeze');
          isAdded = true;
          return free;
        },
      }),
    });

    expect(run.outcome.outcome).toBe('Succeeded');
    expect(sentAt(run)[0]).toBeGreaterThanOrEqual(HOUR);
  });

  test('does not hold a revert', async () => {
    const runs: Promise<Run>[] = [];
    await runScenario({
      beside: async (stage) => {
        await hold(stage, 2 * HOUR, 'freeze');
        const input = { version: undefined, revert: 'rollout-1' };
        runs.push(stage.start('rollout-2', { input: input as never }));
        await Promise.all(runs);
      },
    });
    const [run] = await Promise.all(runs);

    expect(run?.outcome.outcome).toBe('Succeeded');
    expect(sentAt(run as Run)[0]).toBeLessThan(2 * HOUR + 60);
  });

  test('that is lifted is heard within 2 s by a process that waits', async () => {
    const run = await startHeld('freeze', { grounds: listeningGrounds });

    expect(sentAt(run)[0]).toBeLessThan(3 * HOUR + 60.5 + 3);
  });
});

describe('a pause', () => {
  const WAVES: Script = {
    endpoints: 4,
    policy: {
      waves: [{ endpoints: 1 }, { percent: 100 }],
      bakeSeconds: 60,
      maxUnavailable: { endpoints: 1 },
    },
  };

  test.each([
    ['in a wave', 30],
    ['between two waves', 90],
    ['in the midst of a wave of many', 115],
  ])('%s: no roll begins a look after it, and after its end the rollout goes on', async (_, at) => {
    const run = await runScenario({ ...WAVES, beside: heldFrom('pause', [at, 3 * HOUR]) });

    expect(run.outcome.outcome).toBe('Succeeded');
    const rolls = sentAt(run);
    expect(rolls.filter((second) => second > at + 60 && second < 3 * HOUR)).toEqual([]);
    expect(rolls.filter((second) => second >= 3 * HOUR).length).toBeGreaterThan(0);
  });

  test('holds no roll that was asked for before it for longer than 10 s', async () => {
    const run = await runScenario({ ...WAVES, beside: heldFrom('pause', [1, HOUR]) });
    expect(sentAt(run).filter((second) => second > 11 && second < HOUR)).toEqual([]);
  });

  test('is heard by what begins under it: it has its lease and its plan, and rolls nothing', async () => {
    const seen: unknown[] = [];
    const run = await startHeld('pause', {
      ...WAVES,
      ledger: (ledger) => ({
        ...ledger,
        async open(...args) {
          const lease = await ledger.open(...args);
          seen.push(`${lease.rolloutId}: ${args[3]?.plan.endpoints.length}`);
          return lease;
        },
      }),
    });

    expect(seen).toContain('rollout-2: 4');
    expect(run.record?.startedAt).toBeLessThan(START + (2 * HOUR + 60) * 1000);
    expect(sentAt(run)[0]).toBeGreaterThanOrEqual(3 * HOUR);
    expect(run.outcome.outcome).toBe('Succeeded');
  });

  test('is told with who held it, when and why, in the story, the JSON and the picture', async () => {
    const run = await runScenario({ ...WAVES, beside: heldFrom('pause', [90, 3 * HOUR]) });
    const record = run.record as AskedRollout;
    const told = listHappenings(record).map(describeHappening);
    const { log } = rolloutViewSchema.parse(toRolloutView(record, START));
    const held = log.find((line) => line.kind === 'held');
    const free = log.find((line) => line.kind === 'free');
    const spans = courseOf(record, START).stages.flatMap((stage) => stage.spans);
    const secondsHeld = spans
      .filter(({ kind }) => kind === 'held')
      .reduce((sum, { fromMs, toMs }) => sum + (toMs - fromMs) / 1000, 0);

    const by = { holdId: 'h1', holdKind: 'pause', scope: 'everything', by: 'ann' };
    expect(held).toMatchObject({ holds: [{ ...by, reason: 'patching' }] });
    expect(free).toMatchObject({ lifted: [{ holdId: 'h1', by: 'ann', reason: 'done' }] });
    expect(told.join('\n')).toMatch(
      /^Held by the pause h1 of everything until 2026-01-02 00:01Z, from ann: patching\.$.*^Held no longer: ann has lifted it: done\.$/ms,
    );
    expect(secondsHeld).toBeGreaterThan(3 * HOUR - 90 - 60);
    expect(secondsHeld).toBeLessThan(3 * HOUR);
  });

  test('lets a deadline stand still, however long it lasts', async () => {
    // The endpoint never gets there, and the deadline is 600 s.
    const broken = [{ kind: 'stuck', endpoint: 'endpoint-01' }] as never;
    const script: Script = { endpoints: 2, broken, policy: { onFailure: 'hold' } };
    const free = await runScenario(script);
    const run = await runScenario({ ...script, beside: heldFrom('pause', [120, 5 * HOUR]) });

    expect(free.outcome.reason).toBe(run.outcome.reason);
    expect(run.seconds).toBeGreaterThan(5 * HOUR + 300);
    expect(run.seconds).toBeLessThan(5 * HOUR + 700);
  });

  test('lets the time of an approval stand still', async () => {
    const approval = { timeoutSeconds: 1800, onTimeout: 'reject' } as const;
    const verify = { probe: null, alarms: [], metrics: [], approval };
    const run = await runScenario({
      ...WAVES,
      policy: { ...WAVES.policy, verify, onFailure: 'hold' },
      beside: heldFrom('pause', [600, 4 * HOUR]),
    });

    expect(run.outcome.outcome).toBe('Failed');
    expect(run.seconds).toBeGreaterThan(4 * HOUR + 900);
  });

  testWithStops('lets bakes and gates go on, and a no is followed', async () => {
    const run = await runScenario({
      ...WAVES,
      policy: {
        ...WAVES.policy,
        onFailure: 'roll-back',
        verify: { probe: null, alarms: ['errors'], metrics: [], approval: null },
      },
      gates: {
        alarm: async () => ({
          verdict: scenarioNow() > START + HOUR * 1000 ? 'fail' : 'pass',
          detail: '',
        }),
      },
      beside: (stage) => hold(stage, 70, 'pause'),
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
    expect(run.rolledBack.length).toBeGreaterThan(0);
    expect(run.seconds).toBeLessThan(2 * HOUR);
  });

  test('gives way to nobody, and does so when it is over', async () => {
    const newer: Promise<Run>[] = [];
    const run = await runScenario({
      ...WAVES,
      beside: async (stage) => {
        await hold(stage, 90, 'pause');
        await stage.until(HOUR);
        const script: Script = { policy: { onConflict: 'latest' }, input: { version: 3 } };
        newer.push(stage.start('rollout-2', script));
        await stage.until(2 * HOUR);
        expect((await stage.ledger.read('rollout-1')).outcome).toBeNull();
        await lift(stage, 2 * HOUR);
        await Promise.all(newer);
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Superseded', reason: 'GaveWay' });
    expect((await newer[0])?.outcome.outcome).toBe('Succeeded');
  });

  test('never holds an abort', async () => {
    const run = await runScenario({
      ...WAVES,
      beside: async (stage) => {
        await hold(stage, 90, 'pause');
        await stage.until(HOUR);
        const said = {
          kind: 'abort',
          wave: null,
          onFailure: 'roll-back',
          by: 'ada',
          reason: '',
        } as const;
        await stage.ledger.signal('rollout-1', { ...said, at: scenarioNow() });
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Aborted', cleanup: 'rolledBack' });
    expect(run.seconds).toBeLessThan(HOUR + 300);
  });

  test('does not hold a rollout that has nothing more to roll', async () => {
    const run = await runScenario({ endpoints: 1, beside: (stage) => hold(stage, 10, 'pause') });
    expect(run.outcome.outcome).toBe('Succeeded');
  });

  test('that is over is heard within 2 s by a process that waits', async () => {
    const run = await runScenario({
      ...WAVES,
      grounds: listeningGrounds,
      beside: heldFrom('pause', [30, HOUR + 10.5]),
    });
    const next = sentAt(run).find((second) => second > 100);
    expect(next).toBeGreaterThan(HOUR + 10);
    expect(next).toBeLessThan(HOUR + 14);
  });
});

describe('a quarantine', () => {
  const OF_3 = { scope: { runtimeId: RUNTIME, version: 3 } };

  test('refuses what would go to the version, and writes nothing', async () => {
    const run = await startHeld('quarantine', {}, OF_3);

    expect(run.outcome).toMatchObject({ outcome: 'Refused', reason: 'Quarantined' });
    for (const word of ['ann', 'version 3', 'h1']) {
      expect(run.outcome.message).toContain(word);
    }
    expect(sentAt(run)).toEqual([]);
  });

  test('lets a person start it again', async () => {
    const run = await startHeld('quarantine', { input: { version: 3, again: true } }, OF_3);

    expect(run.outcome.outcome).toBe('Succeeded');
    expect(sentAt(run)[0]).toBeLessThan(2 * HOUR + 60);
  });

  test('of another version holds nothing', async () => {
    const of4 = { scope: { runtimeId: RUNTIME, version: 4 } };
    expect((await startHeld('quarantine', {}, of4)).outcome.outcome).toBe('Succeeded');
  });

  test('ends no older rollout for a newer one that is refused', async () => {
    const newer: Promise<Run>[] = [];
    const run = await runScenario({
      policy: { bakeSeconds: 900 },
      beside: async (stage) => {
        await hold(stage, 30, 'quarantine', OF_3);
        newer.push(
          stage.start('rollout-2', { policy: { onConflict: 'latest' }, input: { version: 3 } }),
        );
        await Promise.all(newer);
      },
    });

    expect(run.outcome.outcome).toBe('Succeeded');
    expect((await newer[0])?.outcome.reason).toBe('Quarantined');
  });

  test('lets what is under way to the version roll nothing more until it is lifted', async () => {
    const scope = { runtimeId: RUNTIME, version: 2 };
    const run = await runScenario({
      endpoints: 4,
      policy: { waves: [{ endpoints: 1 }, { percent: 100 }] },
      beside: heldFrom('quarantine', [30, 3 * HOUR], { scope }),
    });

    expect(run.outcome.outcome).toBe('Succeeded');
    expect(sentAt(run).filter((second) => second > 90 && second < 3 * HOUR)).toEqual([]);
  });

  test('does not keep a rollout from going back to a version in quarantine', async () => {
    const scope = { runtimeId: RUNTIME, version: 1 };
    const run = await runScenario({
      endpoints: 2,
      broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }],
      policy: { onFailure: 'roll-back' },
      beside: (stage) => hold(stage, 30, 'quarantine', { scope }),
    });

    expect(run.rolledBack.length).toBeGreaterThan(0);
  });

  test('is left out by latest, which goes to the next version below', async () => {
    const versions = [{ version: 1 }, { version: 2 }, { version: 3 }];
    const runs: Promise<Run>[] = [];
    await runScenario({
      versions,
      input: { version: 1 },
      beside: async (stage) => {
        await hold(stage, HOUR, 'quarantine', OF_3);
        runs.push(stage.start('rollout-2', { input: { version: 'latest' } }));
        await Promise.all(runs);
      },
    });

    const [run] = await Promise.all(runs);
    expect(run?.outcome.outcome).toBe('Succeeded');
    expect(run?.record?.request.desiredVersion).toBe(2);
  });

  test('refuses a revert to the version', async () => {
    const runs: Promise<Run>[] = [];
    await runScenario({
      beside: async (stage) => {
        await hold(stage, 2 * HOUR, 'quarantine', { scope: { runtimeId: RUNTIME, version: 1 } });
        const input = { version: undefined, revert: 'rollout-1' };
        runs.push(stage.start('rollout-2', { input: input as never }));
        await Promise.all(runs);
      },
    });

    expect((await runs[0])?.outcome.reason).toBe('Quarantined');
  });

  test('lets a person revert to the version again', async () => {
    const runs: Promise<Run>[] = [];
    await runScenario({
      beside: async (stage) => {
        await hold(stage, 2 * HOUR, 'quarantine', { scope: { runtimeId: RUNTIME, version: 1 } });
        const input = { version: undefined, revert: 'rollout-1', again: true };
        runs.push(stage.start('rollout-2', { input: input as never }));
        await Promise.all(runs);
      },
    });

    expect((await runs[0])?.outcome.outcome).toBe('Succeeded');
  });
});
