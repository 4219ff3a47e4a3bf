import { describe, expect, test } from '@jest/globals';
import type { Endpoint } from '../../lib/domain/endpoint/endpoint.ts';
import { DEFAULT_POLICY } from '../../lib/domain/rollout/default-policy.ts';
import type { RolloutPolicy } from '../../lib/domain/rollout/policy.ts';
import { onGroupStage } from '../support/group-stage.ts';
import { type Run, runScenario } from '../support/run-scenario.ts';
import { secondsSinceStart } from '../support/scenario-time.ts';

// A service may have status words that nobody knows. Those that endpoints at rest show before a rollout are known by that.

const BACK: Partial<RolloutPolicy> = {
  waves: [{ percent: 100 }],
  maxUnavailable: { percent: 100 },
  progressDeadlineSeconds: 60,
  onFailure: { stuck: 'stop-old', bad: 'roll-back' },
};

type Words = (one: Endpoint, index: number, seconds: number) => string;

/** While an endpoint is on its way, the service says UPDATING, as it does anyway. */
function saying(words: Words) {
  return {
    onList: (read: () => readonly Endpoint[]) =>
      read().map((one, index) =>
        one.status === 'ACTIVE' ? { ...one, status: words(one, index, secondsSinceStart()) } : one,
      ),
  };
}

const GREEN: Words = () => 'GREEN';
const isNew = ({ liveVersion }: Endpoint) => liveVersion === 2;
const NOTHING_SENT = { rolledBack: [], stopped: [], holdsLeft: [] };
const STUCK = { outcome: 'Failed', failure: 'stuck', reason: 'Stalled', cleanup: 'none' };
const NOT_KNOWN = { outcome: 'Errored', reason: 'EndpointUnknown', cleanup: 'none' };

function statuses(some: Partial<RolloutPolicy['statuses']>): Partial<RolloutPolicy> {
  return { ...BACK, statuses: { ...DEFAULT_POLICY.statuses, ...some } };
}

test.each([1, 3])('%i endpoints at rest say GREEN before and after', async (endpoints) => {
  const run = await runScenario({ endpoints, policy: BACK, faults: saying(GREEN) });

  expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
});

describe.each([
  ['after it was live', 60, NOT_KNOWN],
  ['as soon as it is live', 0, STUCK],
])('a word that nobody knows, %s', (_when, from, ends) => {
  const red: Words = (one, _, seconds) => (isNew(one) && seconds >= from ? 'RED' : 'GREEN');

  test.each([1, 3])('is no success of %i endpoints', async (endpoints) => {
    const run = await runScenario({ endpoints, policy: BACK, faults: saying(red) });

    expect(run).toMatchObject(NOTHING_SENT);
    expect(run.outcome).toMatchObject(ends);
    expect(run.outcome.message).toContain('endpoint-01');
    expect(run.outcome.message).toContain('with a status that nobody knows: RED');
    expect(run.outcome.message).toContain('"statuses": {"failed": ["RED"');
    expect(run.outcome.message).toContain('"statuses": {"serving": ["RED"');
  });

  test('begins no further wave', async () => {
    const run = await runScenario({
      endpoints: 3,
      policy: { ...BACK, waves: [{ endpoints: 1 }, { percent: 100 }] },
      faults: saying(red),
    });

    expect(run.rolled).toHaveLength(1);
    expect(run.outcome).toMatchObject(ends);
  });

  test('is as good as any where the policy accepts it', async () => {
    const policy = statuses({ unknown: 'accept' });
    const run = await runScenario({ endpoints: 3, policy, faults: saying(red) });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
  });

  test('serves where the policy says so', async () => {
    const policy = statuses({ serving: ['red'] });
    const run = await runScenario({ endpoints: 3, policy, faults: saying(red) });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
  });

  test('is bad where the policy says that it is a failure', async () => {
    const policy = statuses({ failed: ['RED'] });
    const run = await runScenario({ endpoints: 3, policy, faults: saying(red) });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', failure: 'bad' });
  });
});

test('goes back where it was never well, if the policy says so of what is stuck, and the word it was does not matter there', async () => {
  const run = await runScenario({
    endpoints: 3,
    policy: { ...BACK, onFailure: 'roll-back' },
    faults: saying((one, _, seconds) => {
      if (isNew(one)) return 'RED';
      return seconds > 100 ? 'WARM' : 'GREEN';
    }),
  });

  expect(run.outcome).toMatchObject({ ...STUCK, cleanup: 'rolledBack' });
  expect(run.holdsLeft).toEqual([]);
});

test('a word that is there for a shorter while is waited for', async () => {
  const run = await runScenario({
    endpoints: 3,
    policy: BACK,
    faults: saying((one, _, seconds) =>
      isNew(one) && seconds >= 60 && seconds < 90 ? 'WARMING' : 'GREEN',
    ),
  });

  expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
});

test('an endpoint of a wave that has baked and says such a word holds the wave that rolls', async () => {
  const run = await runScenario({
    endpoints: 3,
    rollSeconds: 30,
    policy: { ...BACK, waves: [{ endpoints: 1 }, { percent: 100 }], bakeSeconds: 10 },
    faults: saying((_, index, seconds) => (index === 0 && seconds > 60 ? 'RED' : 'GREEN')),
  });

  expect(run).toMatchObject(NOTHING_SENT);
  expect(run.outcome).toMatchObject(NOT_KNOWN);
});

test('each word that one endpoint at rest shows is known', async () => {
  const run = await runScenario({
    endpoints: 4,
    policy: BACK,
    faults: saying((one, index) => (isNew(one) || index === 0 ? 'IDLE' : 'GREEN')),
  });

  expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
});

test('numbers in a word make no other word of it, and what is around them does', async () => {
  const run = await runScenario({
    endpoints: 3,
    policy: BACK,
    faults: saying((one) => (isNew(one) ? 'Ready (12)' : 'READY (3)')),
  });
  expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });

  const crashed = await runScenario({
    endpoints: 3,
    policy: BACK,
    faults: saying((one) => (isNew(one) ? 'READY (crashed 2)' : 'READY (3)')),
  });
  expect(crashed.outcome).toMatchObject(STUCK);
  expect(crashed.outcome.message).toContain('{"failed": ["READY (crashed *)"');
});

test('CREATED before and UPDATED after is waited for, and ends with what settles it', async () => {
  const faults = saying((one) => (isNew(one) ? 'UPDATED' : 'CREATED'));
  const run = await runScenario({ endpoints: 2, policy: BACK, faults });
  expect(run.outcome).toMatchObject(STUCK);
  expect(run.outcome.message).toContain('"statuses": {"serving": ["UPDATED"');

  const policy = statuses({ serving: ['UPDATED'] });
  const settled = await runScenario({ endpoints: 2, policy, faults });
  expect(settled.outcome).toMatchObject({ outcome: 'Succeeded' });
});

test('a word that ended a rollout as unknown is not learnt from the endpoint that it has left behind', async () => {
  const script = {
    endpoints: 2,
    policy: { ...BACK, waves: [{ endpoints: 1 }, { percent: 100 }] },
    faults: saying((one) => (isNew(one) || one.liveVersion === 3 ? 'RED' : 'GREEN')),
  };
  let second: Promise<Run> | undefined;
  const first = await runScenario({
    ...script,
    beside: async (stage) => {
      await stage.until(600);
      second = stage.start('rollout-2', { ...script, input: { version: 3 } });
      await second;
    },
  });
  expect(first.outcome).toMatchObject(STUCK);

  const { outcome, record } = (await second) as Run;
  expect(record?.plan?.restingWords).toEqual(['GREEN']);
  expect(outcome).toMatchObject(STUCK);
  expect(outcome.message).toContain('live on version 3, with a status that nobody knows: RED');
});

test('a group goes no further than the runtime whose word nobody knows', () =>
  onGroupStage(
    {
      runtimes: ['tenant-1', 'tenant-2'],
      ofRuntimes: BACK,
      shown: (one) =>
        one.status === 'ACTIVE' ? { ...one, status: isNew(one) ? 'RED' : 'GREEN' } : one,
    },
    async (stage) => {
      const outcome = await stage.createProcess().run('release-1', 2);

      expect(outcome).toMatchObject({ outcome: 'Failed', failure: 'stuck' });
      expect(outcome.message).toContain('with a status that nobody knows: RED');
      const child = (await stage.children('release-1')).get('tenant-1');
      expect(child?.outcome?.message).toContain('"statuses": {"failed": ["RED"');
      expect(stage.liveVersions('tenant-2')).toEqual([1, 1, 1]);
      expect(await stage.ledger.listHolds()).toEqual([]);
    },
  ));

test('what is on its way may say anything', async () => {
  const run = await runScenario({
    endpoints: 2,
    policy: BACK,
    faults: {
      onList: (read) =>
        read().map((one) => ({ ...one, status: one.status === 'ACTIVE' ? 'GREEN' : 'SHIFTING' })),
    },
  });

  expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
});

test.each([null, ''])('the status %j is none, so nothing of it is unknown', async (status) => {
  const run = await runScenario({
    endpoints: 2,
    policy: BACK,
    faults: { onList: (read) => read().map((one) => ({ ...one, status })) },
  });

  expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
});
