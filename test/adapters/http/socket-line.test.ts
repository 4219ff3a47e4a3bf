import { expect, test } from '@jest/globals';
import { createVirtualTime } from '../../../lib/rehearsal/virtual-time.ts';
import { START } from '../../support/scenario-time.ts';
import { startSlowService } from '../../support/slow-service.ts';

/** The client has so many sockets. */
const SOCKETS = 8;
const RUNTIME = 'shop';

/** Calls a service that takes so long for each answer, in virtual time. */
function whileSlow<T>(
  answersAfterMs: number,
  work: (service: ReturnType<typeof startSlowService>) => Promise<T>,
): Promise<T> {
  const time = createVirtualTime(START);
  const service = startSlowService({ runtimes: [RUNTIME], time, answersAfterMs });
  return time.run(() => work(service));
}

const many = <T>(count: number, call: () => Promise<T>) =>
  Promise.allSettled(Array.from({ length: count }, call));

test('the wait for a socket is no part of the deadline of a call', async () => {
  await whileSlow(6_000, async ({ client, missed }) => {
    // The last of them are sent after 24 s, and their deadline is 10 s.
    const lists = await many(5 * SOCKETS, () => client.list(RUNTIME));
    expect(lists.map(({ status }) => status)).toEqual(Array(5 * SOCKETS).fill('fulfilled'));
    expect(missed()).toBe(0);
  });
});

test('a read that gets no socket within 30 s is not sent, and says that the service is not to blame', async () => {
  await whileSlow(9_000, async ({ client, requests, missed }) => {
    const lists = await many(5 * SOCKETS, () => client.list(RUNTIME));
    const refused = lists.filter(({ status }) => status === 'rejected');
    expect(refused).toHaveLength(SOCKETS);
    expect(refused[0]).toMatchObject({
      reason: { name: 'UpstreamTimeout', message: expect.stringContaining('nothing was sent') },
    });
    expect(requests).toHaveLength(4 * SOCKETS);
    expect(missed()).toBe(0);
  });
});

test('a write goes before the reads that wait for a socket', async () => {
  await whileSlow(1_500, async ({ client, requests }) => {
    const [endpoint] = await client.list(RUNTIME);
    const reads = many(3 * SOCKETS, () => client.list(RUNTIME));
    await client.roll(RUNTIME, endpoint?.id ?? '', 901);
    expect(requests.findIndex(({ method }) => method === 'PUT')).toBeLessThanOrEqual(SOCKETS + 1);
    await reads;
  });
});

test('a write that gets no socket within 2 s is not sent, and may be decided anew', async () => {
  await whileSlow(5_000, async ({ client, requests }) => {
    const [endpoint] = await client.list(RUNTIME);
    const reads = many(SOCKETS, () => client.list(RUNTIME));
    const rolled = client.roll(RUNTIME, endpoint?.id ?? '', 901);
    await expect(rolled).rejects.toMatchObject({ name: 'UpstreamTimeout', retryAfterSeconds: 1 });
    await reads;
    expect(requests.filter(({ method }) => method === 'PUT')).toEqual([]);
  });
});

test('a caller that gives up leaves the line', async () => {
  await whileSlow(1_000, async ({ client, requests }) => {
    const reads = many(2 * SOCKETS, () => client.list(RUNTIME));
    const signal = AbortSignal.abort(new Error('no longer wanted'));
    await expect(client.list(RUNTIME, signal)).rejects.toThrow('no longer wanted');
    await reads;
    expect(requests).toHaveLength(2 * SOCKETS);
  });
});
