import { describe, expect, test } from '@jest/globals';
import { type Endpoint, NO_TARGET } from '../../lib/domain/endpoint/endpoint.ts';
import type { RolloutPolicy } from '../../lib/domain/rollout/policy.ts';
import { runScenario } from '../support/run-scenario.ts';
import { secondsSinceStart } from '../support/scenario-time.ts';

// A list may be there, and tell of its endpoints too little to say how they are: no versions, or a word that nobody knows.

const BACK: Partial<RolloutPolicy> = {
  waves: [{ percent: 100 }],
  maxUnavailable: { percent: 100 },
  progressDeadlineSeconds: 60,
  onFailure: 'roll-back',
};

type Untold = (one: Endpoint, index: number) => Partial<Endpoint>;

const UNTOLD: readonly (readonly [string, Untold])[] = [
  ['no version of any endpoint', () => ({ targetVersion: null, liveVersion: null })],
  ['no live version', () => ({ liveVersion: null })],
  ['no target', () => ({ targetVersion: null })],
  [
    'no version of some endpoints',
    (_, index) => (index === 0 ? { targetVersion: null, liveVersion: null } : {}),
  ],
  ['a word that nobody knows of one', (_, index) => (index === 0 ? { status: 'RED' } : {})],
];
const ON_THE_WAY = UNTOLD.filter(([what]) => what !== 'no target' && !what.includes('word'));

function untoldFrom(from: number, untold: Untold, to = Number.POSITIVE_INFINITY) {
  return {
    onList: (read: () => readonly Endpoint[]) => {
      const seconds = secondsSinceStart();
      if (seconds < from || seconds > to) return read();
      return read().map((one, index) => ({ ...one, ...untold(one, index) }));
    },
  };
}

const NOTHING_SENT = { rolledBack: [], stopped: [], holdsLeft: [] };
const NOT_KNOWN = { outcome: 'Errored', reason: 'EndpointUnknown' };

describe.each(UNTOLD)('a list that tells %s', (_what, untold) => {
  test.each(['roll-back', 'stop-old'] as const)(
    'for longer than the deadline of a bake ends as nobody knows, with %s too',
    async (onFailure) => {
      const run = await runScenario({
        endpoints: 3,
        policy: { ...BACK, onFailure },
        faults: untoldFrom(60, untold),
      });

      expect(run).toMatchObject(NOTHING_SENT);
      expect(run.outcome).toMatchObject({ ...NOT_KNOWN, cleanup: 'none' });
      expect(run.outcome).not.toHaveProperty('failure');
      expect(run.outcome.message).toContain('endpoint-01');
    },
  );

  test('for a shorter while is waited for', async () => {
    const run = await runScenario({
      endpoints: 3,
      policy: BACK,
      faults: untoldFrom(60, untold, 100),
    });

    expect(run).toMatchObject(NOTHING_SENT);
    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
  });

  test.each([
    ['in the bake', 330, [{ percent: 100 }]],
    ['while a later wave rolls', 400, [{ endpoints: 1 }, { percent: 100 }]],
  ])('of each in every second read sends nothing back %s', async (_when, from, waves) => {
    let reads = 0;
    const run = await runScenario({
      endpoints: 3,
      rollSeconds: 300,
      policy: {
        ...BACK,
        ...{ waves, bakeSeconds: 60, progressDeadlineSeconds: 400 },
      },
      faults: {
        onList: (read) => {
          reads += 1;
          const rows = read();
          if (secondsSinceStart() < from) return rows;
          // They take turns, so that no read tells of all of them.
          return rows.map((one, index) =>
            (reads + index) % 2 === 0 ? one : { ...one, ...untold(one, index) },
          );
        },
      },
    });

    expect(run).toMatchObject(NOTHING_SENT);
    expect(run.outcome).not.toMatchObject({ outcome: 'Failed' });
  });

  test.each([
    ['a gate gives no answer', { alarms: ['errors'], approval: null }],
    ['a person is asked', { approval: { timeoutSeconds: 7200, onTimeout: 'reject' as const } }],
  ])('after the bake sends nothing back either, when %s', async (_ill, verify) => {
    const run = await runScenario({
      endpoints: 3,
      policy: {
        ...BACK,
        waves: [{ endpoints: 2 }, { percent: 100 }],
        ...{ verify, bakeSeconds: 10, progressDeadlineSeconds: 90 },
      },
      gates: { alarm: async () => ({ verdict: 'unknown', detail: 'no answer' }) },
      faults: untoldFrom(60, untold),
    });

    expect(run).toMatchObject(NOTHING_SENT);
    expect(run.rolled).toHaveLength(2);
    expect(run.outcome).toMatchObject({ ...NOT_KNOWN, cleanup: 'none' });
  });

  test('while a later wave rolls takes back nothing of the wave that had baked', async () => {
    const run = await runScenario({
      endpoints: 3,
      rollSeconds: 300,
      policy: {
        ...BACK,
        waves: [{ endpoints: 1 }, { percent: 100 }],
        bakeSeconds: 10,
        progressDeadlineSeconds: 400,
      },
      faults: untoldFrom(400, untold),
    });

    expect(run).toMatchObject(NOTHING_SENT);
    expect(run.outcome).toMatchObject(NOT_KNOWN);
  });
});

test.each([
  ['in its bake', 60],
  ['while a gate is asked after it', 340],
])('an endpoint that lists have and lack in turn is not taken for gone %s', async (_when, from) => {
  let reads = 0;
  const run = await runScenario({
    endpoints: 3,
    policy: { ...BACK, verify: { alarms: ['errors'], approval: null } as never },
    gates: { alarm: async () => ({ verdict: 'unknown', detail: 'no answer' }) },
    faults: {
      onList: (read) => (secondsSinceStart() > from && reads++ % 3 > 0 ? read().slice(1) : read()),
    },
  });

  expect(run).toMatchObject(NOTHING_SENT);
  expect(run.outcome).toMatchObject({ outcome: 'Errored' });
});

test.each(ON_THE_WAY)(
  'what is in mid-roll is not taken for stuck when the list tells %s',
  async (_what, untold) => {
    const run = await runScenario({
      endpoints: 1,
      policy: BACK,
      faults: untoldFrom(3, untold),
    });

    expect(run).toMatchObject(NOTHING_SENT);
    expect(run.outcome).toMatchObject(NOT_KNOWN);
  },
);

test('one that the list shows stuck is, whatever it does not tell of the others', async () => {
  const run = await runScenario({
    endpoints: 3,
    broken: [{ endpoint: 'endpoint-03', kind: 'stuck' }],
    policy: BACK,
    faults: untoldFrom(60, (_, index) => (index === 0 ? { targetVersion: null } : {})),
  });

  expect(run.outcome).toMatchObject({ outcome: 'Failed', failure: 'stuck', reason: 'Stalled' });
  expect(run.outcome.message).toContain('endpoint-03 is not live on version 2');
});

test('on a way back, what the list does not tell is not called in mid-roll', async () => {
  const run = await runScenario({
    endpoints: 2,
    broken: [{ endpoint: 'endpoint-02', kind: 'fail' }],
    policy: { ...BACK, progressDeadlineSeconds: 120 },
    faults: untoldFrom(50, () => ({ targetVersion: null, liveVersion: null })),
  });

  expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'incomplete' });
  expect(run.outcome.message).toContain('nobody knows whether they are back: endpoint-0');
  expect(run.outcome.message).not.toContain('in mid-roll');
});

describe('a service that tells no targets', () => {
  const faults = {
    onList: (read: () => readonly Endpoint[]) =>
      read().map((one) => ({ ...one, targetVersion: null, [NO_TARGET]: true as const })),
  };

  test('is rolled by its live versions alone', async () => {
    const run = await runScenario({ endpoints: 5, rollSeconds: 90, faults });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded', reason: 'Converged' });
    expect(run.rolled).toHaveLength(5);
  });

  test('goes back by them', async () => {
    const run = await runScenario({
      endpoints: 3,
      broken: [{ endpoint: 'endpoint-03', kind: 'crash', afterSeconds: 30 }],
      policy: BACK,
      faults,
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', failure: 'bad', cleanup: 'rolledBack' });
  });

  test('leaves alone what is there already, and is stuck where nothing goes live', async () => {
    const run = await runScenario({
      endpoints: 3,
      broken: [{ endpoint: 'endpoint-02', kind: 'stuck' }],
      policy: { ...BACK, onFailure: 'stop-old' },
      faults,
    });

    expect(run.outcome).toMatchObject({ failure: 'stuck', reason: 'Stalled' });
    expect(run.rolled).toHaveLength(3);
    expect(run.stopped).toEqual([]);
  });
});

test('a list that does not say where an endpoint goes does not say that somebody has moved it', async () => {
  const run = await runScenario({
    endpoints: 1,
    broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }],
    policy: { ...BACK, onFailure: 'stop-old', minServing: 0 },
    faults: untoldFrom(12, () => ({ targetVersion: null })),
  });

  expect(run.stopped).toEqual([]);
  expect(run.outcome.message).toContain('Not stopped (the list does not say where it is)');
});

test('two moved by somebody else, and silence about the rest, are no fault of the version', async () => {
  const run = await runScenario({
    endpoints: 3,
    policy: BACK,
    faults: untoldFrom(60, (_, index) =>
      index === 0 ? { targetVersion: 7, liveVersion: 7 } : { liveVersion: null },
    ),
  });

  expect(run).toMatchObject(NOTHING_SENT);
  expect(run.outcome).toMatchObject({ outcome: 'Superseded' });
});
