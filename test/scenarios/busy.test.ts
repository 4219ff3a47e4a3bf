import { describe, expect } from '@jest/globals';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import { isList, isWrite } from '../../lib/rehearsal/calls.ts';
import { endpointNames } from '../support/endpoint-names.ts';
import { type Run, runScenario } from '../support/run-scenario.ts';
import { test } from '../support/test-on-services.ts';

const SUCCESS = { outcome: 'Succeeded', reason: 'Converged', cleanup: 'none' };

/** The service is at work on it, with equal versions, for so many seconds from the start. */
function busy(endpoint: string, httpStatus: number, seconds: number) {
  return { endpoint, kind: 'busy', httpStatus, fromSecond: 0, seconds } as const;
}

describe('an endpoint that the service is at work on', () => {
  test.each([409, 423, 400])(
    'refuses its roll with %i for five minutes, and is waited for: rolled once it is at rest, after few tries',
    async (httpStatus) => {
      const run = await runScenario({ broken: [busy('endpoint-01', httpStatus, 300)] });

      expect(run.outcome).toMatchObject(SUCCESS);
      const tries = run.rolled.filter((name) => name === 'endpoint-01');
      expect(tries.length).toBeLessThanOrEqual(7);
      expect(secondOf(run, 'endpoint-01')).toBeGreaterThanOrEqual(300);
      expect(secondOf(run, 'endpoint-01')).toBeLessThanOrEqual(310);
    },
  );

  test.each([1, 5, 30])(
    'is waited for as long when the list is read every %i s: patience is a time and no number of looks',
    async (pollSeconds) => {
      const policy = { pollSeconds, maxPollSeconds: pollSeconds };
      const fleet = { endpoints: 2, policy };
      const until = (seconds: number) =>
        runScenario({ ...fleet, broken: [busy('endpoint-01', 409, seconds)] });

      expect((await until(500)).outcome).toMatchObject(SUCCESS);
      const late = await until(2_000);
      expect(late.outcome).toMatchObject({ outcome: 'Failed', reason: 'Stalled', cleanup: 'none' });
      expect(late.seconds).toBeGreaterThanOrEqual(600);
      expect(late.seconds).toBeLessThanOrEqual(600 + pollSeconds + 5);
      expect(late.rolled.length).toBeLessThanOrEqual(12);
    },
  );

  test('is named at the end, with what the service said', async () => {
    const run = await runScenario({ broken: [busy('endpoint-01', 423, 2_000)] });

    expect(run.outcome.message).toContain('endpoint-01 is not rolled yet. endpoint-01: 423 ');
  });

  test('does not keep the others of its wave waiting, though none was accepted yet: another one is the first', async () => {
    const run = await runScenario({
      endpoints: 4,
      policy: { waves: [{ percent: 100 }], maxUnavailable: { endpoints: 1 } },
      broken: [busy('endpoint-01', 409, 400)],
    });

    expect(run.outcome).toMatchObject(SUCCESS);
    expect(run.rolled[0]).toBe('endpoint-01');
    expect([...new Set(run.rolled)].slice(1)).toEqual(endpointNames(2, 4));
    expect(secondOf(run, 'endpoint-04')).toBeLessThan(400);
  });

  test('takes no place of those that may be in mid-roll', async () => {
    const run = await runScenario({
      endpoints: 6,
      policy: { waves: [{ endpoints: 1 }, { percent: 100 }], maxUnavailable: { endpoints: 2 } },
      broken: [busy('endpoint-02', 409, 900), busy('endpoint-03', 400, 900)],
    });

    expect(run.outcome).toMatchObject(SUCCESS);
    const others = endpointNames(4, 6).map((name) => secondOf(run, name));
    expect(Math.max(...others)).toBeLessThan(900);
  });

  test('has not refused for good what it refuses with 400: at rest, the same answer is a clear no', async () => {
    const run = await runScenario({
      broken: [
        busy('endpoint-01', 400, 100),
        { endpoint: 'endpoint-01', kind: 'refuse', httpStatus: 400 },
      ],
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', reason: 'UpstreamRejected' });
    expect(run.seconds).toBeGreaterThanOrEqual(100);
    expect(run.seconds).toBeLessThan(130);
  });

  test('is waited for on the way back, too', async () => {
    const run = await runScenario({
      endpoints: 3,
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { percent: 100 },
        onFailure: 'roll-back',
      },
      broken: [
        { endpoint: 'endpoint-03', kind: 'fail', version: 2, afterReplicas: 1 },
        { endpoint: 'endpoint-01', kind: 'busy', httpStatus: 409, fromSecond: 5, seconds: 400 },
      ],
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
    expect(run.endpoints.get('endpoint-01')).toMatchObject({ liveVersion: 1, status: 'ACTIVE' });
  });

  test('may say when to ask again: only it waits until then', async () => {
    let isFirst = true;
    const run = await runScenario({
      endpoints: 3,
      policy: { waves: [{ percent: 100 }], maxUnavailable: { percent: 100 } },
      faults: {
        onRoll: (carryOut) => {
          if (!isFirst) return carryOut();
          isFirst = false;
          throw new SteprollError(ErrorName.UpstreamConflict, '409', { retryAfterSeconds: 200 });
        },
      },
    });

    expect(run.outcome).toMatchObject(SUCCESS);
    expect(run.rolled).toEqual(['endpoint-01', 'endpoint-02', 'endpoint-03', 'endpoint-01']);
    expect(secondOf(run, 'endpoint-03')).toBeLessThan(60);
    expect(secondOf(run, 'endpoint-01')).toBeGreaterThanOrEqual(200);
  });

  test('is looked at before each roll', async () => {
    const run = await runScenario({ endpoints: 1, broken: [busy('endpoint-01', 409, 200)] });

    const writes = run.calls.flatMap((call, index) => (isWrite(call) ? [index] : []));
    expect(writes.length).toBeGreaterThan(2);
    for (const index of writes) {
      const before = run.calls[index - 1];
      expect(before !== undefined && isList(before)).toBe(true);
    }
  });
});

/** When the endpoint's last roll was sent, in seconds after the first call. */
function secondOf({ calls, rolled }: Run, name: string): number {
  const rolls = calls.filter(isWrite).filter(({ operation }) => operation === 'roll');
  const last = rolls[rolled.lastIndexOf(name)];
  return ((last?.at ?? 0) - (calls[0]?.at ?? 0)) / 1000;
}
