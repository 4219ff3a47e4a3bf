import { describe, expect } from '@jest/globals';
import { eventIdOf } from '../../lib/domain/rollout/event.ts';
import { FAILURE_POLICIES, type FailurePolicy } from '../../lib/domain/rollout/policy.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import {
  type Death,
  mortalLedger,
  named,
  watchedLedger,
} from '../../lib/rehearsal/mortal-ledger.ts';
import { endpointNames } from '../support/endpoint-names.ts';
import {
  RUNTIME,
  runScenario,
  type ScenarioResult,
  type Script,
  type Stage,
} from '../support/run-scenario.ts';
import { scenarioNow } from '../support/scenario-time.ts';
import { stallingLedger } from '../support/stalling-ledger.ts';
import { test, testWithStops } from '../support/test-on-services.ts';

/** Two waves of one: small enough to die at every single point of it. */
const SMALL: Script = {
  endpoints: 2,
  rollSeconds: 20,
  policy: {
    waves: [{ endpoints: 1 }, { percent: 100 }],
    pollSeconds: 30,
    progressDeadlineSeconds: 150,
  },
};
const STUCK: Script = { ...SMALL, broken: [{ endpoint: 'endpoint-02', kind: 'stuck' }] };
const REGRESS: Script = {
  ...SMALL,
  broken: [{ endpoint: 'endpoint-01', kind: 'regress', afterSeconds: 120 }],
};

const ROLL_BACK: Script = { ...STUCK, policy: { ...SMALL.policy, onFailure: 'roll-back' } };

describe.each([
  ['a success', SMALL],
  ['a stalled wave', STUCK],
  ['a regress', REGRESS],
  ['a rollback', ROLL_BACK],
])('X04, X05: %s', (_what, script) => {
  test.each(['before', 'after'] as const)(
    'a step dies %s each of its calls of the ledger and runs again: the end is the same',
    async (when) => {
      const plain = await runScenario(script);
      const deaths = await everyDeath(script, when, 'Lambda.ServiceException');

      expect(deaths.length).toBeGreaterThan(20);
      const ends = deaths.map(({ death, run }) => ({ death, ...endOf(run) }));
      expect(ends).toEqual(ends.map(({ death }) => ({ death, ...endOf(plain) })));
    },
  );

  // The workflow does not run a step again that writes and was killed.
  test.each(['before', 'after'] as const)(
    'a step is killed %s each of its calls of the ledger: the end is as good, or says that it is not',
    async (when) => {
      const plain = await runScenario(script);
      const deaths = await everyDeath(script, when, 'Lambda.Unknown');

      const ends = deaths.map(({ death, run }) => ({ death, ...toldOf(run), message: '' }));
      expect(ends).toEqual(
        deaths.map(({ death, run }) => ({
          death,
          ...toldOf(plain),
          cleanup: cleanupOf(run, plain),
          message: '',
        })),
      );
    },
  );
});

/** The same rollout once for each call of its ledger, dying at that one. */
async function everyDeath(script: Script, when: Death['when'], error: string) {
  const deaths: { death: Death; run: ScenarioResult }[] = [];
  for (const [index, call] of (await callsOfLedger(script)).entries()) {
    // To die after a read is to die before it: it has changed nothing.
    if (when === 'after' && READS.includes(call)) continue;
    const point = index + 1;
    const death = { point, when, error };
    const run = await runScenario({ ...script, ledger: (ledger) => mortalLedger(ledger, death) });
    deaths.push({ death, run });
  }
  return deaths;
}

/**
 * The outcome, and what became of the endpoints. A roll in doubt may be sent a second time, and a step that
 * runs again comes a second later.
 */
function endOf(run: ScenarioResult) {
  const { rolled, stopped, endpoints } = run;
  const said = toldOf(run);
  const outcome = {
    ...said,
    message: said.message.replace(/ for 2 min 3\d s:/, ' for 2 min 30 s:'),
  };
  const lives = endpointNames(1, 2).map((name) => {
    const { targetVersion, liveVersion, status } = endpoints.get(name) ?? {};
    return { targetVersion, liveVersion, status };
  });
  return { outcome, rolled: new Set(rolled), stopped, lives };
}

/** Nothing is claimed that the journal does not know of. */
function cleanupOf({ record }: ScenarioResult, plain: ScenarioResult): string {
  if (plain.outcome.cleanup !== 'stopped') return plain.outcome.cleanup;
  const isKnown = record?.journal.some(
    ({ operation, result }) => operation === 'stop' && result === 'accepted',
  );
  return isKnown ? 'stopped' : 'incomplete';
}

const READS: readonly (keyof Ledger)[] = ['read', 'hear', 'findLatestRequest'];

/** Every call that a rollout makes of its ledger, in order. */
async function callsOfLedger(script: Script): Promise<readonly (keyof Ledger)[]> {
  const calls: (keyof Ledger)[] = [];
  await runScenario({
    ...script,
    ledger: (ledger) =>
      watchedLedger(ledger, async (call, name) => {
        calls.push(name);
        return call();
      }),
  });
  return calls;
}

describe('a process that is killed', () => {
  const killedAt = (point: number, script: Script): Script => ({
    ...script,
    ledger: (ledger) => mortalLedger(ledger, { point, error: 'Killed', when: 'after' }),
  });

  test.each([3, 7, 12, 20, 40, 60])(
    'X04: at its call %i, and resumed comes to the same end',
    async (point) => {
      const plain = await runScenario(STUCK);
      const run = await runScenario({ ...killedAt(point, STUCK), resumesAfter: 600 });

      expect(endOf(run)).toEqual(endOf(plain));
    },
  );

  testWithStops(
    'L06: frees its runtime when its lease has run out and not before, and has lost it then',
    async () => {
      const reasons: Record<number, string> = {};
      const run = await runScenario({
        ...killedAt(12, SMALL),
        resumesAfter: 600,
        beside: async (stage) => {
          const others = [60, 300, 500].map(async (seconds) => {
            await stage.until(seconds);
            const { outcome } = await stage.start(`after ${seconds} s`, SMALL);
            reasons[seconds] = outcome.reason;
          });
          await Promise.all(others);
        },
      });

      expect(reasons).toEqual({ 60: 'LeaseHeld', 300: 'LeaseHeld', 500: 'Converged' });
      expect(run.outcome).toMatchObject({ outcome: 'Errored', reason: 'LeaseLost' });
    },
  );
});

describe('a failure that was told binds', () => {
  /**
   * The second endpoint shows a failed status until the failure was told, and none after that. `die` is called when
   * it was told.
   */
  const recovering = (onFailure: FailurePolicy, die: (stage: Stage) => unknown): Script => {
    let isTold = false;
    return {
      ...SMALL,
      policy: { ...SMALL.policy, onFailure, minServing: 0 },
      faults: {
        onList: (read) =>
          read().map((one) =>
            !isTold && one.targetVersion === 2 && one.name === 'endpoint-02'
              ? { ...one, status: 'FAILED' }
              : one,
          ),
      },
      ledger: (ledger, stage) => ({
        ...ledger,
        async markSent(rolloutId, eventIds) {
          await ledger.markSent(rolloutId, eventIds);
          if (isTold || !eventIds.includes(eventIdOf(rolloutId, 'failing'))) return;
          isTold = true;
          await die(stage);
        },
      }),
    };
  };
  const END = {
    'stop-old': { outcome: 'Failed', reason: 'EndpointFailed', cleanup: 'none' },
    'roll-back': { outcome: 'Failed', reason: 'EndpointFailed', cleanup: 'rolledBack' },
    hold: { outcome: 'Failed', reason: 'EndpointFailed', cleanup: 'none' },
  };
  const afterFailing = ({ told }: ScenarioResult) => {
    const events = told.map((event) =>
      'direction' in event ? `${event.direction} ${event.kind}` : event.kind,
    );
    return events.slice(events.lastIndexOf('failing') + 1);
  };

  describe.each(FAILURE_POLICIES)('%s', (onFailure) => {
    const after = onFailure === 'roll-back' ? ['back wave-started', 'ended'] : ['ended'];

    testWithStops(
      'X04: a process that is killed then, and resumed when the endpoint has recovered, carries it out',
      async () => {
        let isDead = false;
        const script = recovering(onFailure, () => {
          isDead = true;
        });
        const run = await runScenario({
          ...script,
          resumesAfter: 600,
          ledger: (ledger, stage) =>
            watchedLedger(script.ledger?.(ledger, stage) ?? ledger, (call) =>
              isDead ? Promise.reject(named('Killed')) : call(),
            ),
        });

        expect(run.outcome).toMatchObject(END[onFailure]);
        expect(run.stopped).toEqual([]);
        expect(afterFailing(run)).toEqual(after);
      },
    );

    testWithStops(
      'X05: a step that dies then and runs again when the endpoint has recovered carries it out',
      async () => {
        const run = await runScenario(
          recovering(onFailure, () => {
            throw named('Lambda.ServiceException');
          }),
        );

        expect(run.outcome).toMatchObject(END[onFailure]);
        expect(run.stopped).toEqual([]);
        expect(afterFailing(run)).toEqual(after);
      },
    );
  });

  test('X04: what somebody else has moved by the time of its resumption is left out of the way back', async () => {
    let isDead = false;
    const script = recovering('roll-back', async ({ world, idOf }) => {
      isDead = true;
      world.roll(RUNTIME, idOf('endpoint-01'), 7);
    });
    const run = await runScenario({
      ...script,
      resumesAfter: 600,
      ledger: (ledger, stage) =>
        watchedLedger(script.ledger?.(ledger, stage) ?? ledger, (call) =>
          isDead ? Promise.reject(named('Killed')) : call(),
        ),
    });

    const { endpoints, leftOut } = run.record?.rollback?.plan ?? {};
    expect(endpoints?.map(({ name }) => name)).toEqual(['endpoint-02']);
    expect(leftOut).toMatchObject([{ name: 'endpoint-01', reason: 'moved' }]);
    expect(run.told.at(-2)).toMatchObject({
      kind: 'wave-started',
      direction: 'back',
      endpoints: 1,
    });
    expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'kept' });
    expect(run.endpoints.get('endpoint-01')).toMatchObject({ liveVersion: 7 });
    expect(run.endpoints.get('endpoint-02')).toMatchObject({ liveVersion: 1 });
  });

  testWithStops('and an abort that comes then still decides what is done', async () => {
    const run = await runScenario(
      recovering('stop-old', async ({ ledger }) => {
        const abort = { at: scenarioNow(), wave: null, by: 'ada', reason: 'enough' };
        await ledger.signal('rollout-1', { ...abort, kind: 'abort', onFailure: 'roll-back' });
        throw named('Lambda.ServiceException');
      }),
    );

    expect(run.outcome).toMatchObject({ outcome: 'Aborted', cleanup: 'rolledBack' });
    expect(run.outcome.message).toContain('endpoint-02 is in a failed state');
    expect(afterFailing(run)).toEqual(['back wave-started', 'ended']);
  });
});

describe('a process that stands still for an hour', () => {
  const stalling = (point: number, isRaced: boolean): Script => ({
    ...SMALL,
    ledger: (ledger, stage) =>
      stallingLedger(ledger, { point, at: 'any', when: 'after' }, async () => {
        await stage.until(3600);
        if (isRaced) await stage.start('another', { ...SMALL, input: { version: 3 } });
      }),
  });
  const POINTS = [1, 2, 3, 6, 8, 13, 21, 34];

  test.each(POINTS)(
    'L07: at its call %i, goes on where it was: no step runs beside itself',
    async (point) => {
      const run = await runScenario(stalling(point, false));

      expect(run.outcome).toMatchObject({ outcome: 'Succeeded', reason: 'Converged' });
      expect(run.rolled).toEqual(endpointNames(1, 2));
    },
  );

  test.each(POINTS)(
    'X03: at its call %i, writes nothing once another rollout has the runtime',
    async (point) => {
      const run = await runScenario(stalling(point, true));

      const wasOpened = (run.record?.epoch ?? 0) > 0;
      // Where it stood still just before it read its list, it finds the newer version there.
      const reasons = wasOpened ? ['LeaseLost'] : ['Overtaken', 'DowngradeRefused'];
      expect(reasons).toContain(run.outcome.reason);
      expect(run.rolled).not.toEqual(endpointNames(1, 2));
      expect([...run.endpoints.values()].map(({ liveVersion }) => liveVersion)).toEqual([3, 3]);
      expect(run.record?.outcome ?? run.outcome).toEqual(run.outcome);
    },
  );
});

/** How long a roll took is known only as well as the looks were apart. */
function toldOf({ outcome: { rollMs: _, ...told } }: ScenarioResult) {
  return told;
}
