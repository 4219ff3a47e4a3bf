import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { OpenStack } from '../../../lib/adapters/aws/open-stack.ts';
import type { ExecutionState } from '../../../lib/adapters/aws/read-execution.ts';
import { openSqliteLedger, type SqliteLedger } from '../../../lib/adapters/ledger/sqlite-ledger.ts';
import { createAwsEngine } from '../../../lib/cli/engine/aws-engine.ts';
import { rolloutIdOf } from '../../../lib/steps/take-trigger.ts';
import { recordOf } from '../../domain/examples.ts';

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
function engineWith(state: ExecutionState, onRead: () => Promise<unknown> = async () => {}) {
  const stack: OpenStack = {
    ledger: opened.ledger,
    start: async () => {},
    async readExecution() {
      await onRead();
      return state;
    },
    async stopExecution(id, cause) {
      stopped.push(`${id}: ${cause}`);
    },
    publishRelease: async () => 'event-1',
  };
  return createAwsEngine(stack);
}

const begin = () => opened.ledger.open(request, 0, 60_000);

describe('a rollout that the ledger does not know', () => {
  test('waits for its turn while its execution runs', async () => {
    const engine = engineWith({ status: 'RUNNING' });
    expect(await engine.describeWaiting(rolloutId)).toContain('waits for its turn');
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

  test.each(['NOT_FOUND', 'FAILED'] as const)('does nothing to one that is %s', async (status) => {
    expect(await engineWith({ status }).endWaiting(rolloutId, 'enough')).toBe(false);
    expect(stopped).toEqual([]);
  });
});

test('a release is answered with the id of the rollout that the start function will give it', async () => {
  const release = { runtimeId: 'shop', version: 3, releaseId: 'build-1' };
  expect(await engineWith({ status: 'NOT_FOUND' }).publish(release)).toEqual({
    rolloutId: rolloutIdOf({ kind: 'release', key: 'event-1' }),
    result: 'sent',
  });
});
