import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ExecutionState } from '../../../lib/adapters/aws/executions.ts';
import type { OpenStack } from '../../../lib/adapters/aws/stack.ts';
import { openSqliteLedger, type SqliteLedger } from '../../../lib/adapters/ledger/sqlite/ledger.ts';
import { systemClock } from '../../../lib/adapters/machine/clock.ts';
import { createAwsEngine } from '../../../lib/cli/engine/aws-engine.ts';
import { rolloutIdOf } from '../../../lib/handlers/start.ts';
import { recordOf } from '../../domain/examples.ts';
import { FAKE_TIME, inFakeTime } from '../../support/fake-timers.ts';

/** The trigger that a published release becomes. */
const RELEASED = {
  kind: 'release',
  key: 'event-1',
  runtimeId: 'shop',
  wanted: { version: 3 },
} as const;

const { request } = recordOf();
const { rolloutId } = request;
let opened: SqliteLedger;
let stopped: string[];

beforeEach(() => {
  opened = openSqliteLedger(':memory:');
  stopped = [];
});
afterEach(() => opened.end());

/** @param onRead Happens just before AWS answers how the execution stands. */
function engineWith(
  state: ExecutionState | (() => ExecutionState),
  onRead: () => Promise<unknown> = async () => {},
) {
  const stack: OpenStack = {
    account: '123456789012',
    region: 'eu-central-1',
    endpointUrl: 'https://endpoints.example.com',
    tableName: 'ledger',
    ledger: opened.ledger,
    clockAheadMs: () => 0,
    start: async () => {},
    async readExecution() {
      await onRead();
      return typeof state === 'function' ? state() : state;
    },
    async stopExecution(id, cause) {
      stopped.push(`${id}: ${cause}`);
    },
    readCaller: async () => ANN,
    publishRelease: async () => 'event-1',
  };
  return createAwsEngine(stack, systemClock);
}

const ANN = { arn: 'arn:aws:iam::123456789012:user/ann', userId: 'AIDAANN' };

const begin = () => opened.ledger.open(request, 0, 60_000);

test('who calls is asked once, and a minute later again where AWS did not say', async () => {
  let asked = 0;
  let now = 0;
  const stack = {
    async readCaller() {
      asked += 1;
      if (asked === 1) throw new Error('The token has expired.');
      return ANN;
    },
  } as OpenStack;
  const engine = createAwsEngine(stack, { ...systemClock, now: () => now });
  const ask = () => engine.caller?.().catch(() => null);
  expect([await ask(), await ask(), asked]).toEqual([null, null, 1]);
  now = 60_000;
  expect([await ask(), await ask(), asked]).toEqual([ANN, ANN, 2]);
  now = 3_600_000;
  expect([await ask(), asked]).toEqual([ANN, 2]);
});

test('an execution is described whatever the ledger knows', async () => {
  await begin();
  const describe = (state: ExecutionState) => engineWith(state).describeExecution(rolloutId);
  expect(await describe({ status: 'RUNNING' })).toContain('under way');
  expect(await describe({ status: 'FAILED', cause: 'The table is gone.' })).toContain(
    'FAILED: The table is gone.',
  );
  expect(await describe({ status: 'NOT_FOUND' })).toBeNull();
});

describe('a rollout that the ledger does not know', () => {
  test('is being opened while its execution runs', async () => {
    const engine = engineWith({ status: 'RUNNING' });
    expect(await engine.describeWaiting(rolloutId)).toContain('AWS is opening it');
  });

  test('is nothing where AWS knows no execution', async () => {
    expect(await engineWith({ status: 'NOT_FOUND' }).describeWaiting(rolloutId)).toBeNull();
  });

  test('ended before it began: the reason is the one that the execution gives', async () => {
    const engine = engineWith({ status: 'FAILED', cause: 'Another one is under way.' });
    await expect(engine.describeWaiting(rolloutId)).rejects.toMatchObject({
      name: 'RolloutFailed',
      message: 'Another one is under way.',
    });
    await expect(
      engineWith({ status: 'TIMED_OUT' }).describeWaiting(rolloutId),
    ).rejects.toMatchObject({ message: expect.stringContaining('TIMED_OUT') });
  });

  test.each([
    ['FAILED', 'Failed'],
    ['TIMED_OUT', 'Errored'],
    ['ABORTED', 'Aborted'],
    ['SUCCEEDED', 'Errored'],
  ] as const)('ended before it began, as %s: that is %s', async (status, outcome) => {
    const describing = engineWith({ status }).describeWaiting(rolloutId);
    await expect(describing).rejects.toMatchObject({
      ending: { outcome, reason: 'RolloutFailed' },
    });
  });

  test('ended before it began, as its execution tells', async () => {
    const ending = { outcome: 'Errored', reason: 'UpstreamAuth' } as const;
    const describing = engineWith({ status: 'FAILED', ending }).describeWaiting(rolloutId);
    await expect(describing).rejects.toMatchObject({ ending });
  });

  test('has begun and ended since somebody looked: that is no failure', async () => {
    const engine = engineWith({ status: 'SUCCEEDED' }, begin);
    expect(await engine.describeWaiting(rolloutId)).not.toBeNull();
  });
});

describe('ending a rollout that waits', () => {
  test('keeps it from ever beginning, and stops its execution', async () => {
    expect(await engineWith({ status: 'RUNNING' }).endWaiting(rolloutId, 'enough')).toBe(true);
    expect(stopped).toEqual([`${rolloutId}: enough`]);
    await expect(begin()).rejects.toMatchObject({ name: 'LeaseLost' });
  });

  test('does nothing to one that began in between', async () => {
    const engine = engineWith({ status: 'RUNNING' }, begin);
    expect(await engine.endWaiting(rolloutId, 'enough')).toBe(false);
    expect(stopped).toEqual([]);
  });

  test('does nothing to one that has ended', async () => {
    expect(await engineWith({ status: 'FAILED' }).endWaiting(rolloutId, 'enough')).toBe(false);
    expect(stopped).toEqual([]);
  });

  test('finds one that AWS does not know yet', async () => {
    let reads = 0;
    const state = (): ExecutionState => {
      reads += 1;
      return { status: reads < 4 ? 'NOT_FOUND' : 'RUNNING' };
    };
    const ending = () => engineWith(state).endWaiting(rolloutId, 'enough');
    expect(await inFakeTime(ending)).toBe(true);
    expect(stopped).toEqual([`${rolloutId}: enough`]);
  });

  test('gives one that nobody knows ten seconds to show up', async () => {
    const ended = await inFakeTime(async () => {
      const isEnded = await engineWith({ status: 'NOT_FOUND' }).endWaiting(rolloutId, 'enough');
      return { isEnded, seconds: FAKE_TIME.seconds() };
    });
    expect(ended).toEqual({ isEnded: false, seconds: 10 });
  });
});

test('a release is answered with the id of the rollout that the start function will give it', async () => {
  const release = { runtimeId: 'shop', version: 3, releaseId: 'build-1' };
  expect(await engineWith({ status: 'NOT_FOUND' }).publish(release)).toEqual({
    rolloutId: rolloutIdOf(RELEASED),
    result: 'sent',
  });
});
