import { describe, expect, test } from '@jest/globals';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import { checks as gate } from '../../lib/gates/checks.ts';
import { isList } from '../../lib/rehearsal/calls.ts';
import { runScenario, type Script } from '../support/run-scenario.ts';
import { secondsSinceStart } from '../support/scenario-time.ts';

// What answers in the place of the service, such as a gateway or a login page, may be gone at the next read.

const ANSWERS = [
  ErrorName.UpstreamRejected,
  ErrorName.UpstreamRedirect,
  ErrorName.UpstreamNotFound,
  ErrorName.UpstreamAuth,
  ErrorName.UpstreamProtocol,
];

function refusedBetween(from: number, to: number, name: ErrorName) {
  return <T>(read: () => T): T => {
    const seconds = secondsSinceStart();
    if (seconds >= from && seconds < to) throw new SteprollError(name, 'no');
    return read();
  };
}

const POLICY = { bakeSeconds: 30, progressDeadlineSeconds: 120 };
const checks = gate.schema.parse([
  { name: 'smoke', url: 'https://checks.example.com', when: 'before-rollout' },
]);

/** It waits for its check, which says yes after two minutes. */
const CHECKED: Script = {
  endpoints: 2,
  policy: { ...POLICY, verify: { approval: null, checks } },
  gates: {
    check: async () =>
      secondsSinceStart() < 120
        ? { verdict: 'unknown', detail: 'IN_PROGRESS', askAgainIn: 30 }
        : { verdict: 'pass', detail: 'SUCCEEDED' },
  },
};

/** It waits for its version, which is made after two minutes. */
const MADE: Script = {
  endpoints: 2,
  policy: POLICY,
  versions: [{ version: 1 }, { version: 2, madeAfterSeconds: 120 }],
};

describe.each(ANSWERS)('a list that is answered with %s', (name) => {
  test.each([
    ['while a wave rolls', 10, 30],
    ['while a wave bakes', 30, 60],
  ])('%s is read again, and the rollout goes on', async (_, from, to) => {
    const onList = refusedBetween(from, to, name);
    const run = await runScenario({ endpoints: 2, policy: POLICY, faults: { onList } });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(run.rolled.toSorted()).toEqual(['endpoint-01', 'endpoint-02']);
  });

  test('until the progress deadline leaves everything as it is', async () => {
    const onList = refusedBetween(10, Number.POSITIVE_INFINITY, name);
    const run = await runScenario({ endpoints: 2, policy: POLICY, faults: { onList } });

    expect(run.outcome).toMatchObject({ outcome: 'Errored', reason: name });
    expect(run).toMatchObject({ stopped: [], rolledBack: [] });
    expect(run.seconds).toBeGreaterThanOrEqual(130);
  });

  test('at the first look of a start ends it at once', async () => {
    const onList = refusedBetween(0, 60, name);
    const run = await runScenario({ endpoints: 2, policy: POLICY, faults: { onList } });

    expect(run.outcome).toMatchObject({ reason: name });
    expect([run.seconds, run.calls.filter(isList).length]).toEqual([0, 1]);
  });

  test.each([
    ['its check', CHECKED],
    ['its version', MADE],
  ])('after a good answer, while the rollout waits for %s, is read again', async (_, waits) => {
    const call = refusedBetween(20, 80, name);
    const run = await runScenario({ ...waits, faults: { onList: call, onVersions: call } });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(run.seconds).toBeGreaterThan(120);
  });
});
