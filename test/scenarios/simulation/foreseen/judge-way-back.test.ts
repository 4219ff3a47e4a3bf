import { expect, test } from '@jest/globals';
import { runScenario } from '../../../support/run-scenario.ts';
import type { Ordeal } from '../ordeal.ts';
import { QUIET } from '../quiet.ts';
import { toScript } from '../to-script.ts';
import { goesBackAsForeseen } from './judge-way-back.ts';

const TAKEN_BACK: Ordeal = {
  ...QUIET,
  policy: { ...QUIET.policy, bakeSeconds: 120 },
  people: [{ kind: 'abort', onFailure: 'roll-back', atSecond: 30 }],
};

test('a way back that a person has asked for is followed to its last read', async () => {
  const run = await runScenario(toScript(TAKEN_BACK));
  const last = run.calls.findLastIndex(({ operation }) => operation === 'list');
  const late = run.calls.map((call, index) => {
    return index >= last ? { ...call, at: call.at + 1000 } : call;
  });

  expect(run.outcome.cleanup).toBe('rolledBack');
  expect(goesBackAsForeseen(TAKEN_BACK, run)).toEqual([]);
  expect(goesBackAsForeseen(TAKEN_BACK, { ...run, calls: late })).toEqual([
    'a read was due after 5 s, and list came 1 s later',
  ]);
});

const NAMES = ['endpoint-01', 'endpoint-02', 'endpoint-03'];
const THREE = NAMES.map((name) => ({ name, version: 1 }));

test('all that may be unavailable go back at once, although no roll forward was answered', async () => {
  const ordeal: Ordeal = {
    ...TAKEN_BACK,
    endpoints: THREE,
    policy: { ...TAKEN_BACK.policy, maxUnavailable: { endpoints: 2 } },
    writes: NAMES.map((endpoint) => {
      return { operation: 'roll', endpoint, nth: 1, kind: 'late', seconds: 10 };
    }),
    people: [{ kind: 'abort', onFailure: 'roll-back', atSecond: 56 }],
  };
  const run = await runScenario(toScript(ordeal));
  const second = run.calls.findLastIndex(({ operation }) => operation === 'roll');

  expect(run.outcome.cleanup).toBe('rolledBack');
  expect(goesBackAsForeseen(ordeal, run)).toEqual([]);
  expect(
    goesBackAsForeseen(ordeal, { ...run, calls: run.calls.toSpliced(second, 1) }),
  ).toHaveLength(1);
});

test('the others go back although somebody else moves an endpoint', async () => {
  const ordeal: Ordeal = {
    ...QUIET,
    endpoints: THREE,
    latencyMs: 2000,
    people: [
      { kind: 'abort', onFailure: 'roll-back', atSecond: 57 },
      { kind: 'move', endpoint: 'endpoint-01', version: 5, atSecond: 78 },
    ],
  };
  const run = await runScenario(toScript(ordeal));
  const last = run.calls.findLastIndex(({ operation }) => operation === 'roll');

  expect(run.outcome.cleanup).toBe('kept');
  expect(goesBackAsForeseen(ordeal, run)).toEqual([]);
  expect(goesBackAsForeseen(ordeal, { ...run, calls: run.calls.toSpliced(last, 1) })).toHaveLength(
    1,
  );
});

test.each([
  ['can be read', []],
  ['cannot be read', [{ kind: 'UpstreamTransient', fromSecond: 15, seconds: 3 }]],
] satisfies [string, Ordeal['lists']][])(
  'no list is read for rolls that the service does not want yet, when the last one %s',
  async (_, lists) => {
    const ordeal: Ordeal = {
      ...TAKEN_BACK,
      endpoints: THREE,
      lists,
      writes: [
        {
          operation: 'roll',
          endpoint: 'endpoint-02',
          nth: 1,
          kind: 'UpstreamThrottled',
          seconds: 56,
        },
      ],
      people: [{ kind: 'abort', onFailure: 'roll-back', atSecond: 14 }],
    };
    const run = await runScenario(toScript(ordeal));
    const turn = run.calls.findLastIndex(({ at }) => at === run.turnedAt);
    const again = run.calls.slice(turn, turn + 1);
    const first = run.calls.findIndex(({ operation, at }) => {
      return operation === 'roll' && at > (run.turnedAt ?? 0);
    });

    expect(run.outcome.cleanup).toBe('rolledBack');
    expect(goesBackAsForeseen(ordeal, run)).toEqual([]);
    for (const calls of [
      run.calls.toSpliced(first, 1),
      run.calls.toSpliced(turn + 1, 0, ...again.map((call) => ({ ...call, at: call.at + 1 }))),
    ]) {
      expect(goesBackAsForeseen(ordeal, { ...run, calls })).toHaveLength(1);
    }
  },
);

test('an abort that leaves everything as it is ends what is foreseen', async () => {
  const run = await runScenario(
    toScript({
      ...TAKEN_BACK,
      rollSeconds: 20,
      people: [...TAKEN_BACK.people, { kind: 'abort', onFailure: 'hold', atSecond: 48 }],
    }),
  );

  expect(run.outcome.cleanup).toBe('incomplete');
  expect(goesBackAsForeseen(TAKEN_BACK, run)).toEqual([]);
});
