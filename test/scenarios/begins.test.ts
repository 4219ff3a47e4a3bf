import { describe, expect } from '@jest/globals';
import type { StartedBy } from '../../lib/domain/rollout/request.ts';
import { createInterpreter } from '../../lib/embedded/interpreter/engine.ts';
import { checks as gate } from '../../lib/gates/checks.ts';
import { isList, isWrite } from '../../lib/rehearsal/calls.ts';
import { type Grounds, rehearsalGrounds } from '../support/grounds.ts';
import {
  RUNTIME,
  type Run,
  runScenario,
  type Script,
  type Stage,
} from '../support/run-scenario.ts';
import { START, scenarioNow, scenarioTime, secondsSinceStart } from '../support/scenario-time.ts';
import { test } from '../support/test-on-services.ts';

// A rollout ends another one only by beginning: by freezing a plan that rolls something.

const LATEST = { onConflict: 'latest' } as const;
const NOBODY = { names: ['nobody'], ids: [], exclude: [] };

/** A release of this version, so many seconds after the start. */
function release(version: number, seconds: number, policy: Script['policy'] = {}): Script {
  const startedBy: StartedBy = {
    ...{ kind: 'release', name: `release-${version}`, at: START + seconds * 1000 },
  };
  return { input: { version, startedBy }, policy: { ...LATEST, ...policy } };
}

/** As a process on one machine runs a rollout: it listens while it waits. */
function listeningGrounds(): Grounds {
  const grounds = rehearsalGrounds();
  const engine = createInterpreter({ clock: grounds.time, random: () => 0.5, listens: true });
  return { ...grounds, engine };
}

type Later = readonly [seconds: number, script: Script];

/** The first rollout, and the others beside it: `rollout-2` and so on. */
async function roll(first: Script, later: readonly Later[]): Promise<readonly Run[]> {
  const runs: Promise<Run>[] = [];
  const run = await runScenario({
    ...first,
    async beside(stage) {
      await first.beside?.(stage);
      for (const [index, [seconds, script]] of later.entries()) {
        await stage.until(seconds);
        runs.push(stage.start(`rollout-${index + 2}`, script));
      }
      await Promise.all(runs);
    },
  });
  return [run, ...(await Promise.all(runs))];
}

const endsOf = (runs: readonly Run[]) => runs.map(({ outcome }) => outcome.reason);

async function freeze(stage: Stage, seconds: number) {
  const at = scenarioNow();
  const said = { by: 'ann', reason: 'audit', at, until: at + seconds * 1000 };
  await stage.ledger.addHold({ id: 'h1', kind: 'freeze', scope: {}, ...said }, at);
}

describe('one that is refused', () => {
  test('E03: with the lease that became free, leaves the one that waits for it, which is rolled', async () => {
    const runs = await roll(release(2, 0), [
      [30, release(3, 30)],
      [40, release(1, 40)],
    ]);
    expect(endsOf(runs)).toEqual(['GaveWay', 'Converged', 'DowngradeRefused']);
  });

  test.each([
    ['an older version', release(1, 20), 'DowngradeRefused'],
    ['nobody', release(3, 20, { selection: NOBODY }), 'EmptyScope'],
  ])(
    'E03: of %s, leaves those that waited for the same freeze, of which the newest is rolled',
    async (_, refused, reason) => {
      const runs = await roll(
        { ...release(2, 0), endpoints: 3, beside: (stage) => freeze(stage, 600) },
        [
          [10, release(3, 10)],
          [20, refused],
        ],
      );
      // On a fleet on version 1, version 1 is nothing to do, and ends nobody either.
      const end = reason === 'DowngradeRefused' ? 'NothingToDo' : reason;
      expect(endsOf(runs)).toEqual(['Overtaken', 'Converged', end]);
    },
  );

  test('E08: by its check before the rollout: the one under way goes on meanwhile, and to its end', async () => {
    const asked: number[] = [];
    const [check = {}] = gate.schema.parse([
      { name: 'tests', url: 'https://checks.example.com', when: 'before-rollout' },
    ]);
    const verify = { approval: null, checks: [check as never] };
    const newer: Script = {
      ...release(3, 30, { verify }),
      gates: {
        async check() {
          asked.push(secondsSinceStart());
          return asked.length < 3
            ? { verdict: 'unknown', detail: 'IN_PROGRESS', askAgainIn: 30 }
            : { verdict: 'fail', detail: 'FAILED' };
        },
      },
    };
    const [first, second] = await roll(release(2, 0), [[30, newer]]);
    expect(asked).toHaveLength(3);
    expect(first?.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(first?.record?.signals).toEqual([]);
    expect(second?.outcome.reason).toBe('GateFailed');
    expect(second?.calls.filter(isWrite)).toEqual([]);
  });

  test('E08: its yes is asked for before the one under way gives way, and once', async () => {
    const asked: number[] = [];
    const checks = gate.schema.parse([
      {
        name: 'tests',
        url: 'https://checks.example.com',
        when: 'before-rollout',
        everySeconds: 15,
      },
    ]);
    const newer: Script = {
      ...release(3, 30, { verify: { approval: null, checks } }),
      gates: {
        async check() {
          asked.push(secondsSinceStart());
          return { verdict: 'pass', detail: 'SUCCEEDED' };
        },
      },
    };
    const [first, second] = await roll(release(2, 0), [[30, newer]]);
    expect(first?.outcome.reason).toBe('GaveWay');
    const signalled = Number(first?.record?.signals[0]?.at) - START;
    expect(asked).toHaveLength(1);
    expect(Number(asked[0]) * 1000).toBeLessThanOrEqual(signalled);
    expect(second?.outcome).toMatchObject({ outcome: 'Succeeded' });
  });

  test('E08: because others roll its endpoints, asks nobody to give way', async () => {
    const first = {
      ...release(2, 0, { selection: { names: ['endpoint-01'], ids: [], exclude: [] } }),
    };
    const [older, newer] = await roll(
      {
        ...first,
        endpoints: 3,
        rollSeconds: 120,
        async beside(stage) {
          await stage.until(20);
          await stage.service().roll(RUNTIME, stage.idOf('endpoint-02'), 3);
        },
      },
      [[30, release(4, 30)]],
    );
    expect(newer?.outcome.reason).toBe('InOtherHands');
    expect(older?.record?.signals).toEqual([]);
    expect(older?.outcome.outcome).toBe('Succeeded');
  });
});

test('one that has nothing to do asks nobody to give way', async () => {
  const only = (name: string) => ({ selection: { names: [name], ids: [], exclude: [] } });
  const [first, second] = await roll(release(2, 0, only('endpoint-01')), [
    [30, release(1, 30, { ...only('endpoint-12'), allowDowngrade: true })],
  ]);
  expect(first?.outcome.outcome).toBe('Succeeded');
  expect(first?.record?.signals).toEqual([]);
  expect(second?.outcome.reason).toBe('NothingToDo');
});

describe('a newer one that comes while an older one is about to begin', () => {
  /** A release whose check before the rollout takes 20 s to say yes. @param asked When it was asked. */
  function slow(version: number, seconds: number, asked: number[] = []): Script {
    const checks = gate.schema.parse([
      { name: 'tests', url: 'https://checks.example.com', when: 'before-rollout' },
    ]);
    return {
      ...release(version, seconds, { verify: { approval: null, checks } }),
      gates: {
        async check() {
          asked.push(secondsSinceStart());
          await scenarioTime().sleep(20_000);
          return { verdict: 'pass', detail: 'SUCCEEDED' };
        },
      },
    };
  }

  test('overtakes it, although that one was the newest when it asked its checks', async () => {
    const [older, newer] = await roll(slow(2, 0), [[10, slow(3, 10)]]);
    expect(older?.outcome.reason).toBe('Overtaken');
    expect(older?.calls.filter(isWrite)).toEqual([]);
    expect(newer?.outcome.outcome).toBe('Succeeded');
  });

  test('asks it to give way, although the runtime was free when it looked', async () => {
    const asked: number[] = [];
    const older: Script = {
      ...release(2, 0),
      ledger: (ledger) => ({
        ...ledger,
        async open(...args) {
          await scenarioTime().sleep(20_000);
          return ledger.open(...args);
        },
      }),
    };
    const [first, second] = await roll(older, [[10, slow(3, 10, asked)]]);
    expect(first?.outcome.reason).toBe('GaveWay');
    expect(second?.outcome.outcome).toBe('Succeeded');
    expect(asked).toEqual([10]);
  });
});

describe('of three requests at once', () => {
  const CLOSED = {
    freezes: [{ from: '2025-12-31T00:00', to: '2026-01-01T01:00', timeZone: 'UTC' }],
  };
  const WAITS = { outsideWindow: 'wait', ...CLOSED } as const;

  test('E03: the oldest does not undo what a newer one has rolled, though the newest had nothing to do', async () => {
    const runs = await roll(release(2, 0, WAITS), [
      [20, release(4, 20)],
      [21, release(4, 21)],
    ]);
    expect(endsOf(runs)).toEqual(['Overtaken', 'Converged', 'NothingToDo']);
    expect(runs[0]?.rolled).toEqual([]);
  });

  test('E03: the same if the newest was refused before the window of the oldest opens', async () => {
    const refuses = { freezes: CLOSED.freezes, outsideWindow: 'refuse' } as const;
    const runs = await roll(release(2, 0, WAITS), [
      [20, release(4, 20)],
      [1_800, release(5, 1_800, refuses)],
    ]);
    expect(endsOf(runs)).toEqual(['Overtaken', 'Converged', 'OutsideWindow']);
  });

  test('E10: the oldest waits behind the one in the middle, though the newest was refused', async () => {
    const refuses = { freezes: CLOSED.freezes, outsideWindow: 'refuse' } as const;
    const runs = await roll(release(2, 0, WAITS), [
      [1, release(4, 1_000_000, refuses)],
      [2, release(3, -1_000)],
    ]);
    expect(endsOf(runs)).toEqual(['Converged', 'OutsideWindow', 'Overtaken']);
  });
});

test('after five refused starts and an abort, the next good one is in nobody’s hands', async () => {
  const refused = release(3, 0, { selection: NOBODY });
  await runScenario({
    ...release(2, 0, { bakeSeconds: 3600 }),
    endpoints: 3,
    rollSeconds: 300,
    async beside(stage) {
      await stage.until(20);
      const at = scenarioNow();
      await stage.ledger.signal('rollout-1', {
        ...{ kind: 'abort', at, wave: null, by: 'ann', reason: '', onFailure: 'hold' },
      });
      await stage.until(60);
      for (const n of [1, 2, 3, 4, 5]) await stage.start(`refused-${n}`, refused);
      const good = await stage.start('good', { input: { version: 4 } });
      expect(good.outcome).toMatchObject({ outcome: 'Succeeded' });
    },
  });
});

describe('those that wait, on one machine', () => {
  const listening = { grounds: listeningGrounds };

  test('look within 2 s once the newer one ahead of them is taken back', async () => {
    const good: Script = { ...release(3, 10), ...listening };
    const [, second] = await roll(
      {
        ...release(2, 0),
        ...listening,
        endpoints: 3,
        async beside(stage) {
          await freeze(stage, 300);
          void stage.until(200).then(async () => {
            const outcome = { outcome: 'Aborted', reason: 'Aborted', message: '', cleanup: 'none' };
            await stage.ledger.withdraw('rollout-3', outcome as never, scenarioNow());
            await stage.ledger.liftHold(
              { id: 'h1', scope: {} },
              { by: 'ann', reason: '', at: scenarioNow() },
            );
          });
        },
      },
      [
        [10, good],
        [20, { ...release(4, 20), ...listening }],
      ],
    );
    const began = second?.record?.events.find(({ kind }) => kind === 'started')?.at;
    expect(second?.outcome.outcome).toBe('Succeeded');
    // It reads the list once the rollout that looked before it has had its five seconds.
    expect(Number(began) - START).toBeLessThan(208_000);
  });

  test('look within 2 s once the one under way has given way', async () => {
    const [first, second] = await roll({ ...release(2, 0), ...listening }, [
      [30, { ...release(3, 30), ...listening }],
    ]);
    const began = second?.record?.events.find(({ kind }) => kind === 'started')?.at;
    expect(Number(began) - Number(first?.record?.endedAt)).toBeLessThanOrEqual(2_000);
  });
});

test('E10: many that wait read one list in 5 s, and the newest that is not refused is rolled', async () => {
  // Only the oldest of them is not refused.
  const bad = Array.from({ length: 20 }, (_, index): Later => {
    const seconds = 11 + index / 10;
    return [seconds, release(3, seconds, { selection: NOBODY })];
  });
  const runs = await roll(
    {
      ...release(2, 0),
      endpoints: 3,
      grounds: listeningGrounds,
      beside: (stage) => freeze(stage, 60),
    },
    [[10, release(3, 10)], ...bad],
  );
  const [first, good, ...others] = runs;
  expect(first?.outcome.reason).toBe('Overtaken');
  expect(good?.outcome.outcome).toBe('Succeeded');
  expect(new Set(endsOf(others))).toEqual(new Set(['EmptyScope']));
  const looks = others.map(({ calls }) => Number(calls.find(isList)?.at)).toSorted((a, b) => a - b);
  for (const [nth, at] of looks.entries()) {
    if (nth > 0) expect(at - Number(looks[nth - 1])).toBeGreaterThanOrEqual(4_900);
  }
});

/** Longer than any look, and no look is at that second. */
const ABORTED_AT = 1_000.5;

test.each<[string, Script, readonly Later[], number]>([
  [
    'a window',
    { policy: { windows: [{ days: ['thu'], from: '12:00', to: '13:00', timeZone: 'UTC' }] } },
    [],
    2,
  ],
  ['the end of a freeze', { beside: (stage) => freeze(stage, 50_000) }, [], 2],
  [
    'what becomes of a newer one',
    { beside: (stage) => freeze(stage, 50_000) },
    [[1, release(8, 1)]],
    32,
  ],
])(
  'what is aborted before it begins, by a signal, ends within a look while it waits for %s',
  async (_, first, later, longest) => {
    const script = release(7, 0, first.policy);
    let endedAt: unknown;
    const [run] = await roll(
      {
        ...script,
        grounds: listeningGrounds,
        async beside(stage) {
          await first.beside?.(stage);
          const others = later.map(([, other], index) =>
            stage.start(`rollout-${index + 2}`, { ...other, grounds: listeningGrounds }),
          );
          const said = { kind: 'abort', wave: null, by: 'ada', reason: 'no' } as const;
          await stage.until(ABORTED_AT);
          await stage.ledger.signal('rollout-1', { ...said, at: scenarioNow() });
          await stage.until(ABORTED_AT + longest);
          ({ endedAt } = await stage.ledger.read('rollout-1'));
          for (const index of later.keys()) {
            await stage.ledger.signal(`rollout-${index + 2}`, { ...said, at: scenarioNow() });
          }
          await Promise.all(others);
        },
      },
      [],
    );
    expect(endedAt).not.toBeNull();
    expect(run?.outcome).toMatchObject({ outcome: 'Aborted', cleanup: 'none' });
    expect(run?.outcome.message).toContain('Nothing was rolled.');
    expect(run?.record?.plan).toBeNull();
    expect(run?.calls.filter(isWrite)).toEqual([]);
  },
);
