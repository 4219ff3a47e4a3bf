import { beforeEach, describe, expect } from '@jest/globals';
import { leftToDo } from '../../lib/telling/story/fates.ts';
import { runScenario, type Script } from '../support/run-scenario.ts';
import { test, testWithStops } from '../support/test-on-services.ts';
import { wrapSteps } from '../support/wrap-steps.ts';

/** With what each run of a step ends instead of running, by the name of its state, and how often. */
let crashes: Record<string, { readonly name: string; times: number }> = {};
let runs: Record<string, number> = {};
const engine = wrapSteps(async (run, state) => {
  runs[state] = (runs[state] ?? 0) + 1;
  const crash = crashes[state];
  if (crash === undefined || crash.times <= 0) return run();
  crash.times -= 1;
  throw Object.assign(new Error('exit status 1'), { name: crash.name });
});

beforeEach(() => {
  crashes = {};
  runs = {};
});

const always = (name = 'Runtime.ExitError') => ({ name, times: Number.POSITIVE_INFINITY });

const SMALL: Script = {
  endpoints: 3,
  engine,
  policy: {
    waves: [{ endpoints: 1 }, { percent: 100 }],
    pollSeconds: 30,
    progressDeadlineSeconds: 150,
    onFailure: 'roll-back',
  },
};
const BAD: Script = { ...SMALL, broken: [{ endpoint: 'endpoint-02', kind: 'fail' }] };

test('batches that are lost: the end names the function, its error and how often, and promises no way back', async () => {
  crashes = { 'Roll batch': always() };
  const { outcome, told, rolled } = await runScenario(SMALL);

  expect(rolled).toEqual([]);
  expect(outcome).toMatchObject({ outcome: 'Failed', reason: 'Stalled', cleanup: 'none' });
  const [, times] =
    /function roll failed (\d+) times.*Runtime\.ExitError/.exec(outcome.message) ?? [];
  expect(Number(times)).toBe(runs['Roll batch']);
  expect(Number(times)).toBeGreaterThan(1);
  const failing = told.find(({ kind }) => kind === 'failing');
  expect(failing?.message).toContain('The function roll failed');
  expect(failing?.message).toContain('Nothing was rolled');
});

test('a wave that gets on after a crash says nothing of it', async () => {
  crashes = { 'Roll batch': { name: 'Runtime.ExitError', times: 2 } };
  const { outcome } = await runScenario(SMALL);

  expect(outcome).toMatchObject({ outcome: 'Succeeded' });
  expect(outcome.message).not.toContain('Runtime.ExitError');
});

test('a batch that was lost before an endpoint went bad is not the reason', async () => {
  crashes = { 'Roll batch': { name: 'Runtime.ExitError', times: 1 } };
  const { outcome } = await runScenario({
    ...SMALL,
    broken: [{ endpoint: 'endpoint-01', kind: 'fail' }],
  });

  expect(outcome).toMatchObject({ outcome: 'Failed', reason: 'EndpointFailed' });
  expect(outcome.message).not.toContain('Runtime.ExitError');
});

describe('a roll-back that does not come about', () => {
  test('because its step crashes: it names what stays, speaks of no stops, and offers the way back', async () => {
    crashes = { 'Turn around': always('TypeError') };
    const { outcome, record, rolledBack } = await runScenario(BAD);

    expect(rolledBack).toEqual([]);
    expect(outcome).toMatchObject({
      outcome: 'Errored',
      reason: 'TypeError',
      cleanup: 'incomplete',
    });
    expect(outcome.message).toContain('function turnAround');
    expect(outcome.message).toMatch(/Not rolled back[^.]*: endpoint-01, endpoint-02/);
    expect(outcome.message).not.toMatch(/stopped/i);
    expect(record && leftToDo(record)).toMatchObject({ wasToGoBack: true, toTakeBack: true });
  });

  test.each([['Look', 'look']])(
    'because %s crashes after a wave has converged: it is not left as if nothing were to do',
    async (state, name) => {
      let looks = 0;
      const { outcome } = await runScenario({
        ...SMALL,
        policy: { ...SMALL.policy, bakeSeconds: 60 },
        engine: wrapSteps(async (run, at, payload) => {
          const { position } = payload as { position?: { wave: number } };
          const isReached = at === state && (state === 'Look' || position?.wave === 1);
          if (isReached && ++looks > 0) {
            throw Object.assign(new Error('exit status 1'), { name: 'Runtime.ExitError' });
          }
          return run();
        }),
      });

      expect(looks).toBe(7);
      expect(outcome).toMatchObject({ reason: 'Runtime.ExitError', cleanup: 'incomplete' });
      expect(outcome.message).toContain(`function ${name} failed with Runtime.ExitError`);
      expect(outcome.message).toMatch(/Not rolled back[^.]*: endpoint-01/);
    },
  );

  test('and a rollout that holds leaves nothing undone', async () => {
    crashes = { Look: always() };
    const policy = { ...SMALL.policy, onFailure: 'hold' as const };
    const { outcome } = await runScenario({ ...SMALL, policy });

    expect(outcome).toMatchObject({ outcome: 'Errored', cleanup: 'none' });
    expect(outcome.message).not.toMatch(/not rolled back/i);
  });
});

testWithStops('stops that are lost: the end names the function', async () => {
  crashes = { 'Stop batch': always() };
  const { outcome } = await runScenario({
    ...SMALL,
    policy: { ...SMALL.policy, onFailure: 'stop-old', minServing: 0 },
    broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }],
  });

  expect(outcome).toMatchObject({ outcome: 'Failed', cleanup: 'incomplete' });
  expect(outcome.message).toContain('function stop failed with Runtime.ExitError');
});

test('a step that fails when it has opened the rollout is named, too', async () => {
  const { outcome } = await runScenario({
    ...SMALL,
    engine: wrapSteps(async (run, state) => {
      const answer = await run();
      if (state !== 'Open rollout') return answer;
      throw Object.assign(new Error('Invalid array length'), { name: 'RangeError' });
    }),
  });

  expect(outcome.message).toContain('function openRollout failed with RangeError');
});

test.each(['States.Timeout', 'Sandbox.Timedout'])(
  'a step that hangs (%s) is tried twice',
  async (name) => {
    crashes = { Look: always(name) };
    const { outcome } = await runScenario(SMALL);

    expect(runs.Look).toBe(2);
    expect(outcome).toMatchObject({ outcome: 'Errored', reason: name });
    expect(outcome.message).toContain('function look');
  },
);
