import { describe, expect } from '@jest/globals';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import type { Outcome } from '../../lib/domain/rollout/outcome.ts';
import type { FailurePolicy } from '../../lib/domain/rollout/policy.ts';
import { isWrite } from '../../lib/rehearsal/calls.ts';
import { endpointNames } from '../support/endpoint-names.ts';
import { notBegun } from '../support/not-begun.ts';
import { runScenario, type Script, type Stage } from '../support/run-scenario.ts';
import { scenarioNow, secondsSinceStart } from '../support/scenario-time.ts';
import { test, testWithStops } from '../support/test-on-services.ts';

/** A newer rollout that does not wait for the one that is under way. */
const NEWER: Script = { policy: { onConflict: 'latest' }, input: { version: 3 } };

describe('a rollout that a person aborts', () => {
  test('ends at the next look, and leaves what was rolled as it is', async () => {
    const run = await runScenario({
      rollSeconds: 300,
      beside: (stage) => abort(stage, 100),
    });

    expect(run.outcome).toEqual({
      outcome: 'Aborted',
      reason: 'Aborted',
      cleanup: 'none',
      message:
        'Aborted by ada: wrong version. 1 endpoint was rolled, and stays as it is. At its end, 11 of 12 endpoints were on version 1, 1 in mid-roll (endpoint-01).',
    });
    expect(run.rolled).toEqual(['endpoint-01']);
    expect(run.stopped).toEqual([]);
    expect(run.seconds).toBeLessThan(135);
  });

  test('ends in the midst of a long bake too', async () => {
    const run = await runScenario({
      policy: { bakeSeconds: 12 * 3600 },
      beside: (stage) => abort(stage, 3600),
    });

    expect(run.outcome).toMatchObject({ outcome: 'Aborted', cleanup: 'none' });
    expect(run.seconds).toBeLessThan(3600 + 500);
  });

  test('rolls back when they ask for it, whatever the policy', async () => {
    const run = await runScenario({
      policy: { onFailure: 'hold' },
      beside: (stage) => abort(stage, 100, 'roll-back'),
    });

    expect(run.outcome).toMatchObject({ outcome: 'Aborted', cleanup: 'rolledBack' });
    expect(run.rolledBack).toEqual(['endpoint-01']);
  });

  test.each(['abort', 'give-way'] as const)(
    'sends no roll any more in the midst of a large batch: %s',
    async (kind) => {
      const run = await runScenario({
        endpoints: 61,
        latencyMs: 1000,
        policy: { waves: [{ percent: 100 }], maxUnavailable: { percent: 100 } },
        beside: async (stage) => {
          await stage.untilSent('roll', 18);
          const said = { at: scenarioNow(), wave: null, by: 'ada', reason: '' };
          if (kind === 'abort') await stage.ledger.signal('rollout-1', { kind, ...said });
          else await stage.start('rollout-2', NEWER);
        },
      });

      expect(run.outcome.outcome).toBe(kind === 'abort' ? 'Aborted' : 'Superseded');
      // One alone, and three handfuls: the third was on its way.
      expect(run.rolled).toHaveLength(25);
      expect(run.seconds).toBeLessThan(70);
    },
  );

  describe('on the way back', () => {
    /** Five of six are rolled when the last of them breaks: four healthy ones go back, two at a time. */
    const onTheWayBack = (onFailure?: FailurePolicy): Script => ({
      endpoints: 6,
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { endpoints: 2 },
        onFailure: 'roll-back',
      },
      broken: [{ endpoint: 'endpoint-05', kind: 'fail' }],
      beside: async (stage) => {
        const isBack = () => stage.calls.some((call) => isWrite(call) && call.version === 1);
        while (!isBack()) await stage.until(secondsSinceStart() + 1);
        await abort(stage, 0, onFailure);
      },
    });

    test.each<FailurePolicy | undefined>([undefined, 'hold', 'stop-old'])(
      'ends it there: %s. Nothing more goes back, and nothing is stopped',
      async (onFailure) => {
        const whole = await runScenario({ ...onTheWayBack(), beside: async () => undefined });
        expect(whole.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });

        const run = await runScenario(onTheWayBack(onFailure));

        expect(run.outcome).toMatchObject({ outcome: 'Aborted', cleanup: 'incomplete' });
        expect(run.outcome.message).toMatch(
          /^Aborted by ada: wrong version. Wave 1 of 1: endpoint-05/,
        );
        expect(run.outcome.message).toContain('not back: ');
        expect(run.rolledBack.length).toBeLessThan(whole.rolledBack.length);
        expect(run.stopped).toEqual([]);
      },
    );

    testWithStops('goes on where that is what they ask for', async () => {
      const run = await runScenario(onTheWayBack('roll-back'));

      expect(run.outcome).toMatchObject({ outcome: 'Aborted', cleanup: 'rolledBack' });
    });
  });

  describe('in the midst of stops', () => {
    /** Seven of eight break at once. Each stop takes two seconds: one for its read, one for itself. */
    const breaking = (said?: (stage: Stage) => Promise<void>): Script => ({
      endpoints: 8,
      latencyMs: 1000,
      policy: { ...ALL_AT_ONCE, minServing: 0 },
      broken: endpointNames(2, 8).map((endpoint) => ({ endpoint, kind: 'fail' })),
      beside: async (stage) => {
        await stage.untilSent('stop', 2);
        await said?.(stage);
      },
    });

    testWithStops('goes to its end where nobody says anything', async () => {
      const run = await runScenario(breaking());

      expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'stopped' });
      expect(run.stopped).toHaveLength(7);
    });

    testWithStops('stops nothing more, and says what was done till then', async () => {
      const run = await runScenario(breaking((stage) => abort(stage, 0)));

      expect(run.stopped).toEqual(endpointNames(2, 3));
      expect(run.outcome).toMatchObject({ outcome: 'Aborted', reason: 'Aborted', cleanup: 'kept' });
      expect(run.outcome.message).toMatch(
        /^Aborted by ada: wrong version. Wave 1 of 1: .*Stopped: .* Not stopped \(an abort came before it\): .*2 stopped \(.*\)\. To create a new one: .*$/,
      );
      expect(run.record?.rollback).toBeNull();
    });

    testWithStops(
      'what is not stopped goes back where they ask for it, and what is stopped stays so',
      async () => {
        const run = await runScenario(breaking((stage) => abort(stage, 0, 'roll-back')));

        expect(run.stopped).toEqual(endpointNames(2, 3));
        expect(run.rolledBack.toSorted()).toEqual(['endpoint-01', ...endpointNames(4, 8)]);
        expect(run.outcome).toMatchObject({ outcome: 'Aborted', cleanup: 'kept' });
        expect(run.outcome.message).toMatch(
          /Rolled back: 6 of 6 on their previous versions. Stopped: .*2 stopped \(.*\)\. To create a new one: .*$/,
        );
        for (const name of endpointNames(2, 3)) {
          expect(run.endpoints.get(name)).toMatchObject({ status: 'STOPPED' });
        }
      },
    );

    testWithStops('goes on where that is what they ask for', async () => {
      const run = await runScenario(breaking((stage) => abort(stage, 0, 'stop-old')));

      expect(run.outcome).toMatchObject({ outcome: 'Aborted', cleanup: 'stopped' });
      expect(run.stopped).toHaveLength(7);
    });

    /** The first abort calls stops off. When all is done but the end, another one asks for them. */
    const calledOff = (more: Pick<Script, 'ledger'> = {}): Script => ({
      ...breaking((stage) => abort(stage, 0)),
      ...more,
    });
    const askForStopsAtItsEnd: Script['ledger'] = (ledger, stage) => {
      let isAsked = false;
      return {
        ...ledger,
        async close(...args) {
          if (!isAsked) await abort(stage, 0, 'stop-old');
          isAsked = true;
          return ledger.close(...args);
        },
      };
    };

    testWithStops(
      'makes the stops that were called off when a later one asks for them',
      async () => {
        const run = await runScenario(calledOff({ ledger: askForStopsAtItsEnd }));

        expect(run.outcome).toMatchObject({ outcome: 'Aborted', cleanup: 'stopped' });
        expect(run.stopped).toEqual(endpointNames(2, 8));
      },
    );

    testWithStops(
      'A01: tries these stops once for each abort, also when none can be noted',
      async () => {
        let lost = 0;
        const run = await runScenario(
          calledOff({
            ledger(real, stage) {
              const ledger = askForStopsAtItsEnd?.(real, stage) ?? real;
              return {
                ...ledger,
                async append(lease, entries) {
                  const { signals } = await real.read('rollout-1');
                  if (signals.length < 2) return ledger.append(lease, entries);
                  lost += 1;
                  throw new SteprollError(ErrorName.LedgerUnavailable, 'throttled');
                },
              };
            },
          }),
        );

        expect(lost).toBeGreaterThan(0);
        expect(run.outcome).toMatchObject({ outcome: 'Aborted', cleanup: 'incomplete' });
        expect(run.outcome.message).toMatch(/Not stopped, because nobody has looked any more: 5\./);
        expect(run.stopped).toEqual(endpointNames(2, 3));
      },
    );

    testWithStops('a newer rollout waits: no stop that is due is made', async () => {
      const run = await runScenario(
        breaking(async ({ ledger, until }) => {
          const { request } = await ledger.read('rollout-1');
          const now = scenarioNow();
          const waiting = notBegun(now, { for: 'turn', lookAt: now + 3_600_000 });
          await ledger.enlist({ ...request, rolloutId: 'rollout-2' }, waiting, now);
          const said = { at: now, wave: null, by: 'rollout-2', reason: 'Gave way' };
          await ledger.signal('rollout-1', { kind: 'give-way', ...said });
          await until(3_600);
          // Nobody runs it.
          await ledger.withdraw('rollout-2', TAKEN_BACK, scenarioNow());
        }),
      );

      expect(run.stopped).toEqual(endpointNames(2, 3));
      expect(run.outcome).toMatchObject({
        outcome: 'Superseded',
        reason: 'GaveWay',
        cleanup: 'kept',
      });
      expect(run.outcome.message).toMatch(
        /^Gave way\. Wave 1 .* Stopped: endpoint-02, endpoint-03\. Not stopped \(a newer rollout goes on with it\): endpoint-04, /,
      );
    });
  });

  describe('between a decision and what follows of it', () => {
    /** The wave has failed and everybody knows; what the policy does about it has not begun. */
    const failing = (policy: FailurePolicy, onFailure: FailurePolicy): Script => ({
      policy: { ...ALL_AT_ONCE, onFailure: policy },
      broken: [{ endpoint: 'endpoint-03', kind: 'fail' }],
      ledger: (ledger, stage) => ({
        ...ledger,
        async recordEvent(lease, event) {
          await ledger.recordEvent(lease, event);
          if (event.kind === 'failing') await abort(stage, 0, onFailure);
        },
      }),
    });

    testWithStops.each<[FailurePolicy, FailurePolicy, Partial<Outcome>, string[], number]>([
      ['stop-old', 'hold', { cleanup: 'kept' }, [], 0],
      ['stop-old', 'roll-back', { cleanup: 'rolledBack' }, [], 12],
      ['roll-back', 'hold', { cleanup: 'none' }, [], 0],
      ['roll-back', 'stop-old', { cleanup: 'stopped' }, ['endpoint-03'], 0],
      ['hold', 'roll-back', { cleanup: 'rolledBack' }, [], 12],
      ['hold', 'stop-old', { cleanup: 'stopped' }, ['endpoint-03'], 0],
    ])('%s was decided, and %s is what counts', async (policy, asked, outcome, stopped, back) => {
      const run = await runScenario(failing(policy, asked));

      expect(run.outcome).toMatchObject({ outcome: 'Aborted', reason: 'Aborted', ...outcome });
      expect(run.outcome.message).toMatch(
        /^Aborted by ada: wrong version. Wave 1 of 1: endpoint-03/,
      );
      expect(run.stopped).toEqual(stopped);
      expect(run.rolledBack).toHaveLength(back);
    });

    /** The last gate says yes, and before the rollout is closed somebody aborts it. */
    const succeeding = (onFailure: FailurePolicy): Script => {
      let isAborted = false;
      let stage: Stage | undefined;
      return {
        policy: {
          ...ALL_AT_ONCE,
          verify: { probe: null, alarms: ['errors'], metrics: [], approval: null },
        },
        beside: async (here) => {
          stage = here;
        },
        gates: {
          async alarm() {
            // The first time it is asked before anything is rolled.
            const isOver = secondsSinceStart() > 0;
            if (isOver && stage !== undefined && !isAborted) await abort(stage, 0, onFailure);
            isAborted = isOver;
            return { verdict: 'pass', detail: '' };
          },
        },
      };
    };

    /** The last step has decided how it ends, and at that moment somebody aborts it. */
    const closing = (onFailure: FailurePolicy): Script => {
      let isAborted = false;
      return {
        policy: { waves: [{ percent: 100 }], bakeSeconds: 0 },
        ledger: (ledger, stage) => ({
          ...ledger,
          async close(...args) {
            if (!isAborted) await abort(stage, 0, onFailure);
            isAborted = true;
            return ledger.close(...args);
          },
        }),
      };
    };

    test.each<[FailurePolicy, Partial<Outcome>, number]>([
      ['hold', { cleanup: 'none' }, 0],
      ['stop-old', { cleanup: 'none' }, 0],
      ['roll-back', { cleanup: 'rolledBack' }, 12],
    ])('its outcome is on the way to the ledger: %s', async (asked, outcome, back) => {
      const run = await runScenario(closing(asked));

      expect(run.outcome).toMatchObject({ outcome: 'Aborted', reason: 'Aborted', ...outcome });
      expect(run.stopped).toEqual([]);
      expect(run.rolledBack).toHaveLength(back);
    });

    test.each<[FailurePolicy, Partial<Outcome>, number]>([
      ['hold', { cleanup: 'none' }, 0],
      ['stop-old', { cleanup: 'none' }, 0],
      ['roll-back', { cleanup: 'rolledBack' }, 12],
    ])('all is done but the end, and it is aborted: %s', async (asked, outcome, back) => {
      const run = await runScenario(succeeding(asked));

      expect(run.outcome).toMatchObject({ outcome: 'Aborted', reason: 'Aborted', ...outcome });
      expect(run.stopped).toEqual([]);
      expect(run.rolledBack).toHaveLength(back);
    });
  });
});

const ALL_AT_ONCE: Script['policy'] = {
  waves: [{ percent: 100 }],
  maxUnavailable: { percent: 100 },
};

async function abort(stage: Stage, seconds: number, onFailure?: FailurePolicy): Promise<void> {
  await stage.until(seconds);
  await stage.ledger.signal('rollout-1', {
    kind: 'abort',
    at: scenarioNow(),
    wave: null,
    ...(onFailure && { onFailure }),
    by: 'ada',
    reason: 'wrong version',
  });
}

const TAKEN_BACK: Outcome = {
  outcome: 'Aborted',
  cleanup: 'none',
  reason: 'Aborted',
  message: 'Taken back.',
};
