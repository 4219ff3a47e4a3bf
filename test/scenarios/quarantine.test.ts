import { describe, expect } from '@jest/globals';
import type { RolloutInput } from '../../lib/contract/flow/rollout-input.ts';
import { endOf, type Hold } from '../../lib/domain/holds/hold.ts';
import type { Outcome } from '../../lib/domain/rollout/outcome.ts';
import type { FailurePolicy } from '../../lib/domain/rollout/policy.ts';
import { isSent, isWrite } from '../../lib/rehearsal/calls.ts';
import { leftAfter, nextStepsAfter } from '../../lib/telling/story/next-steps.ts';
import { type Grounds, rehearsalGrounds } from '../support/grounds.ts';
import { realGrounds } from '../support/real-grounds.ts';
import { openedOf } from '../support/record-at.ts';
import {
  RUNTIME,
  type Run,
  runScenario,
  type Script,
  type Stage,
} from '../support/run-scenario.ts';
import { START, scenarioNow, secondsSinceStart } from '../support/scenario-time.ts';
import { test } from '../support/test-on-services.ts';
import { wrapSteps } from '../support/wrap-steps.ts';

const DAY_MS = 24 * 3_600_000;

const VERIFY = { probe: null, alarms: ['errors'], metrics: [], approval: null };
const POLICY = { bakeSeconds: 60, onFailure: 'roll-back', verify: VERIFY } as const;

/** Its gate says no in the bake: nobody knew that before. */
const BAD: Script = {
  endpoints: 2,
  policy: POLICY,
  gates: { alarm: async () => ({ verdict: isInBake() ? 'fail' : 'pass', detail: '' }) },
};
const GOOD: Script = { endpoints: 2, policy: POLICY };

/** Scenarios begin at full hours, and no gate is asked in vain in the first seconds. */
const isInBake = () => secondsSinceStart() % 3600 >= 5;

const schedule = { kind: 'schedule', name: 'nightly', at: 0 } as const;
const byTrigger = (input: Partial<RolloutInput> = {}): Partial<RolloutInput> => ({
  startedBy: { ...schedule, at: scenarioNow() },
  ...input,
});

/** Rollouts of the runtime one after the other, each an hour after the one before. */
async function inTurn(
  ...scripts: readonly (Script | (() => Script) | ((stage: Stage) => Promise<unknown>))[]
): Promise<Run[]> {
  const runs: Run[] = [];
  const [first, ...others] = scripts as readonly [Script, ...typeof scripts];
  const run = await runScenario({
    ...first,
    beside: async (stage) => {
      for (const [index, script] of others.entries()) {
        await stage.until((index + 1) * 3600);
        const asked = typeof script === 'function' ? await script(stage) : script;
        if (asked === undefined) continue;
        runs.push(await stage.start(`rollout-${index + 2}`, asked as Script));
      }
    },
  });
  return [run, ...runs];
}

const ABORT = { kind: 'abort', wave: null, by: 'ada', reason: 'no', at: 1 } as const;

/** A person aborts just after it has turned around. */
const abortedBack = (onFailure: FailurePolicy): Script => ({
  ledger: (ledger) => ({
    ...ledger,
    async freezeRollback(lease, rollback) {
      const frozen = await ledger.freezeRollback(lease, rollback);
      await ledger.signal(lease.rolloutId, { ...ABORT, onFailure });
      return frozen;
    },
  }),
});

const sent = ({ calls }: Run) => calls.filter(isWrite).filter(isSent);

async function standing({ ledger }: Stage): Promise<readonly Hold[]> {
  return (await ledger.listHolds()).filter(({ lifted }) => lifted === undefined);
}

const BOTH: readonly [string, () => Grounds][] = [
  ['in one process', rehearsalGrounds],
  ['with the real ledger, on the other engine', realGrounds],
];

describe('a version that failed as bad', () => {
  test.each(BOTH)(
    'is refused to a trigger, which is told of the rollout that failed: %s',
    async (_, grounds) => {
      const [bad, next] = await inTurn({ ...BAD, grounds: grounds as () => Grounds }, () => ({
        ...GOOD,
        input: byTrigger(),
      }));

      expect(bad?.outcome).toMatchObject({ outcome: 'Failed', failure: 'bad' });
      expect(next?.outcome).toMatchObject({ outcome: 'Refused', reason: 'Quarantined' });
      for (const word of ['rollout-1', 'alarm errors', 'after-rollout-1']) {
        expect(next?.outcome.message).toContain(word);
      }
      expect(sent(next as Run)).toEqual([]);
    },
  );

  test('is named in what comes next, with the reason and not what became of the endpoints', async () => {
    const seen: Hold[] = [];
    const [bad] = await inTurn(BAD, async (stage) => {
      seen.push(...(await standing(stage)));
      return GOOD;
    });
    const [hold] = seen;

    expect(leftAfter(openedOf(bad?.record ?? null)).quarantine).toBe(hold?.id);
    expect(hold?.reason).toMatch(
      /^rollout rollout-1 found it bad: Wave 1 of \d: .*alarm errors[^.]*\.$/,
    );
  });

  test('is refused to a person too, who may start it again', async () => {
    const [, refused, again] = await inTurn(BAD, GOOD, { ...GOOD, input: { again: true } });

    expect(refused?.outcome.reason).toBe('Quarantined');
    expect(again?.outcome.outcome).toBe('Succeeded');
  });

  test('is in quarantine no more once a person has rolled it with success', async () => {
    const [, again, , next] = await inTurn(
      BAD,
      { ...GOOD, input: { again: true } },
      { ...GOOD, input: { version: 3 } },
      () => ({ ...GOOD, policy: { ...POLICY, allowDowngrade: true }, input: byTrigger() }),
    );

    expect(again?.outcome.outcome).toBe('Succeeded');
    expect(next?.outcome.outcome).toBe('Succeeded');
  });

  test('stays in quarantine when a person starts it again and nothing is rolled', async () => {
    const [, again, next] = await inTurn(
      { ...BAD, endpoints: 1, policy: { ...POLICY, onFailure: 'hold' } },
      { ...GOOD, input: { again: true } },
      () => ({ ...GOOD, input: byTrigger() }),
    );

    expect(again?.outcome.reason).toBe('NothingToDo');
    expect(next?.outcome.reason).toBe('Quarantined');
  });

  test('is in quarantine for 30 days, which each failure prolongs', async () => {
    const seen: Hold[][] = [];
    const note = async (stage: Stage) => {
      seen.push([...(await standing(stage))]);
    };
    await inTurn(BAD, note, { ...BAD, input: { again: true } }, note);

    const [[first], [second, other]] = seen as [[Hold], Hold[]];
    expect(endOf(first) - first.at).toBe(30 * DAY_MS);
    expect(first).toMatchObject({ kind: 'quarantine', after: 'rollout-1' });
    expect(first.scope).toEqual({ runtimeId: RUNTIME, version: 2 });
    expect(second?.after).toBe('rollout-3');
    expect(second?.until).toBeGreaterThan(endOf(first));
    expect(other).toBeUndefined();
  });

  test.each([
    ['Runtime.ExitError', 'Errored'],
    // The service says a clear no: Failed is the outcome of that, and not of the gate.
    ['UpstreamRejected', 'Failed'],
    ['UpstreamNotFound', 'Failed'],
  ])('is in quarantine also where its way back ends in %s', async (name, outcome) => {
    const engine = wrapSteps(async (run, state) => {
      if (state !== 'Turn around') return run();
      throw Object.assign(new Error('exit status 1'), { name });
    });
    const [first, next] = await inTurn({ ...BAD, engine }, () => ({
      ...GOOD,
      input: byTrigger(),
    }));

    expect(first?.outcome).toMatchObject({ outcome, reason: name, failure: 'bad' });
    expect(first?.outcome.cleanup).toBe('incomplete');
    expect(first?.outcome.message).toContain('endpoint-01');
    expect(next?.outcome.reason).toBe('Quarantined');
  });

  test.each([
    ['hold', 'incomplete'],
    ['stop-old', 'incomplete'],
    ['roll-back', 'rolledBack'],
  ] as const)(
    'is in quarantine also where its way back is aborted with %s',
    async (onFailure, cleanup) => {
      const [first, next] = await inTurn({ ...BAD, ...abortedBack(onFailure) }, () => ({
        ...GOOD,
        input: byTrigger(),
      }));

      expect(first?.outcome).toMatchObject({ outcome: 'Aborted', failure: 'bad', cleanup });
      expect(first?.outcome.message).toContain('alarm errors');
      expect(next?.outcome.reason).toBe('Quarantined');
      const record = openedOf(first?.record ?? null);
      const steps = nextStepsAfter(first?.outcome as Outcome, leftAfter(record));
      expect(steps).toEqual([...(onFailure === 'roll-back' ? [] : ['take-back']), 'roll-newer']);
    },
  );

  test('is in quarantine for as long as the policy says', async () => {
    const quarantine = { afterBad: '90m' };
    const bad = { ...BAD, policy: { ...POLICY, quarantine } };
    const [, refused, next] = await inTurn(bad, GOOD, GOOD);

    expect(refused?.outcome.reason).toBe('Quarantined');
    expect(next?.outcome.outcome).toBe('Succeeded');
  });

  test.each(['0', 0 as const])('is in no quarantine where the policy says %j', async (afterBad) => {
    const quarantine = { afterBad: afterBad as '0' | 0 };
    const [, next] = await inTurn({ ...BAD, policy: { ...POLICY, quarantine } }, GOOD);
    expect(next?.outcome.outcome).toBe('Succeeded');
  });

  test('is in quarantine no more once somebody has lifted that', async () => {
    const [, next] = await inTurn(
      BAD,
      async (stage) => {
        const [hold] = await standing(stage);
        const lifted = { by: 'ann', reason: 'it was the alarm', at: scenarioNow() };
        await stage.ledger.liftHold(hold as Hold, lifted);
      },
      () => ({ ...GOOD, input: byTrigger() }),
    );
    expect(next?.outcome.outcome).toBe('Succeeded');
  });

  test('does not keep another version, nor the way back, nor a revert', async () => {
    const [bad, other, undone] = await inTurn(
      BAD,
      { ...GOOD, input: { version: 3 } },
      { ...GOOD, input: { version: undefined, revert: 'rollout-2' } as never },
    );
    expect(bad?.outcome.cleanup).toBe('rolledBack');
    expect(other?.outcome.outcome).toBe('Succeeded');
    expect(undone?.outcome.outcome).toBe('Succeeded');
  });
});

describe('no version is in quarantine', () => {
  const ended = async (script: Script) => {
    const [first, next] = await inTurn(script, GOOD);
    expect(next?.outcome.reason).not.toBe('Quarantined');
    return first?.outcome;
  };

  test('that nobody approved in time', async () => {
    const approval = { timeoutSeconds: 600, onTimeout: 'reject' } as const;
    const verify = { ...VERIFY, approval };
    const outcome = await ended({ ...GOOD, policy: { ...POLICY, verify } });
    expect(outcome).toMatchObject({ outcome: 'Failed', failure: 'bad' });
  });

  test('whose endpoints were stuck', async () => {
    const outcome = await ended({
      ...GOOD,
      broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }],
    });
    expect(outcome).toMatchObject({ outcome: 'Failed', failure: 'stuck' });
  });

  test('whose rollout was aborted before anything had said no', async () => {
    const outcome = await ended({
      ...GOOD,
      ledger: (ledger) => ({
        ...ledger,
        async recordEvent(lease, event) {
          await ledger.recordEvent(lease, event);
          if (event.kind !== 'wave-converged' || event.direction === 'back') return;
          await ledger.signal(lease.rolloutId, { ...ABORT, onFailure: 'roll-back' });
        },
      }),
    });
    expect(outcome).toMatchObject({ outcome: 'Aborted', cleanup: 'rolledBack' });
    expect(outcome).not.toHaveProperty('failure');
  });

  test('that nobody approved in time, and whose way back was aborted', async () => {
    const approval = { timeoutSeconds: 600, onTimeout: 'reject' } as const;
    const verify = { ...VERIFY, approval };
    const policy = { ...POLICY, verify, waves: [{ endpoints: 1 }, { percent: 100 }] };
    const outcome = await ended({ ...GOOD, ...abortedBack('hold'), policy });
    expect(outcome?.outcome).toBe('Aborted');
    expect(outcome).not.toHaveProperty('failure');
  });
});

describe('where nobody names the version', () => {
  const versions = [{ version: 1 }, { version: 2 }];
  const latest: Partial<RolloutInput> = { version: 'latest' };
  const passedOver = [
    expect.objectContaining({
      runtimeId: RUNTIME,
      version: 2,
      because: expect.stringContaining('rollout-1'),
    }),
  ];

  test('latest goes to the next one below, and the record says which one was left out, and why', async () => {
    const [, next] = await inTurn({ ...BAD, versions }, () => ({
      ...GOOD,
      input: byTrigger(latest),
    }));

    expect(next?.outcome).toMatchObject({ outcome: 'Succeeded', reason: 'NothingToDo' });
    expect(next?.record?.request).toMatchObject({ desiredVersion: 1, passedOver });
  });

  test('the version of an endpoint is the next one below that, too', async () => {
    const endpoints = [
      { name: 'staging', version: 2 },
      { name: 'endpoint-01', version: 1 },
    ];
    const policy = { ...POLICY, selection: { names: ['endpoint-*'], ids: [], exclude: [] } };
    const [, next] = await inTurn({ ...BAD, versions, endpoints, policy }, () => ({
      ...GOOD,
      policy,
      input: byTrigger({ version: undefined, versionFrom: { endpoint: 'staging' } } as never),
    }));

    expect(next?.outcome).toMatchObject({ outcome: 'Succeeded', reason: 'NothingToDo' });
    expect(next?.record?.request).toMatchObject({ desiredVersion: 1, passedOver });
  });

  test('nothing goes down to it, whatever the policy allows', async () => {
    const policy = { ...POLICY, onFailure: 'hold', allowDowngrade: true } as const;
    const [, next] = await inTurn({ ...BAD, versions, policy }, () => ({
      ...GOOD,
      policy,
      input: byTrigger(latest),
    }));

    expect(next?.outcome).toMatchObject({ outcome: 'Refused', reason: 'DowngradeRefused' });
    expect(next?.outcome.message).toContain('Version 2 is left out');
    expect(sent(next as Run)).toEqual([]);
  });

  test('a person who wants it again gets the one in quarantine', async () => {
    const [, next] = await inTurn(
      { ...BAD, versions },
      { ...GOOD, input: { ...latest, again: true } },
    );
    expect(next?.outcome.outcome).toBe('Succeeded');
    expect(next?.record?.request.desiredVersion).toBe(2);
  });

  test('it is refused where no version is left', async () => {
    const [, next] = await inTurn(
      { ...BAD, versions: [{ version: 2 }] },
      { ...GOOD, input: latest },
    );
    expect(next?.outcome.reason).toBe('Quarantined');
  });

  test('it is refused where the service cannot list versions', async () => {
    const endpoints = [
      { name: 'staging', version: 2 },
      { name: 'endpoint-01', version: 1 },
    ];
    const policy = { ...POLICY, selection: { names: ['endpoint-*'], ids: [], exclude: [] } };
    const input = { version: undefined, versionFrom: { endpoint: 'staging' } } as never;
    const [, next] = await inTurn({ ...BAD, endpoints, policy }, { ...GOOD, policy, input });
    expect(next?.outcome.reason).toBe('Quarantined');
  });
});

describe('a quarantine that sends back what is under way', () => {
  const WAVES: Script = {
    endpoints: 4,
    policy: { waves: [{ endpoints: 1 }, { percent: 100 }], bakeSeconds: 300 },
  };
  const add = async (stage: Stage, at: number, said: Partial<Hold> = {}) => {
    await stage.until(at);
    const now = scenarioNow();
    const of = { id: 'h1', kind: 'quarantine', by: 'ann', reason: 'leaks', underWay: 'go-back' };
    const scope = { runtimeId: RUNTIME, version: 2 };
    await stage.ledger.addHold({ ...of, scope, at: now, until: now + DAY_MS, ...said }, now);
  };

  test.each([
    ['while a wave rolls', 10],
    ['in a bake', 90],
    ['in the last wave', 400],
  ])('%s: all of it goes back, within a look', async (_, at) => {
    const run = await runScenario({ ...WAVES, beside: (stage) => add(stage, at as number) });

    expect(run.outcome).toMatchObject({ outcome: 'Aborted', cleanup: 'rolledBack' });
    expect(run.outcome.message).toContain('ann: leaks');
    expect([...run.endpoints.values()].map(({ liveVersion }) => liveVersion)).toEqual([1, 1, 1, 1]);
    expect((run.turnedAt ?? 0) - (START + (at as number) * 1000)).toBeLessThan(61_000);
  });

  test('goes on back although it is lifted then', async () => {
    const run = await runScenario({
      ...WAVES,
      beside: async (stage) => {
        await add(stage, 90);
        await stage.until(155);
        const lifted = { by: 'ann', reason: 'a mistake', at: scenarioNow() };
        await stage.ledger.liftHold(
          { id: 'h1', scope: { runtimeId: RUNTIME, version: 2 } },
          lifted,
        );
      },
    });
    expect(run.outcome).toMatchObject({ outcome: 'Aborted', cleanup: 'rolledBack' });
  });

  test('leaves a rollout alone that a person wanted again, and one to another version', async () => {
    const again = await runScenario({
      ...WAVES,
      input: { again: true },
      beside: (stage) => add(stage, 90),
    });
    expect(again.outcome.outcome).toBe('Succeeded');
    const scope = { runtimeId: RUNTIME, version: 3 };
    const other = await runScenario({ ...WAVES, beside: (stage) => add(stage, 90, { scope }) });
    expect(other.outcome.outcome).toBe('Succeeded');
  });

  test('leaves one alone that fails already: its end says why', async () => {
    const run = await runScenario({
      ...BAD,
      ledger: (ledger, stage) => ({
        ...ledger,
        async freezeRollback(...args) {
          await add(stage, 0);
          return ledger.freezeRollback(...args);
        },
      }),
    });
    expect(run.outcome).toMatchObject({ outcome: 'Failed', reason: 'GateFailed' });
  });
});
