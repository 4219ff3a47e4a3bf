import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import { createRolloutHost, type RolloutHost } from '../../lib/embedded/rollout-host.ts';
import { takeTrigger } from '../../lib/handlers/start.ts';
import type { StepContext } from '../../lib/steps/io/ports.ts';
import { ownRelease } from '../contract/trigger-examples.ts';
import { onHostStage } from './host-stage.ts';

let events = 0;
/** Sends a release now, in an event of its own, to a host that rolls releases once, as `listen` does. */
function publish(releaseId: string, version: number, { context, host }: Listening) {
  events += 1;
  const sent = { id: `event-${events}`, time: new Date().toISOString() };
  const { ledger, clock, service } = context;
  return takeTrigger(ownRelease({ releaseId, version }, sent), {
    rules: { runtimes: ['shop'], groups: [], maxAgeSeconds: 900, once: 'releaseId' },
    releases: [],
    ...{ ledger, clock, endpointUrl: service.url, startExecution: host.start },
  });
}

interface Listening {
  readonly context: StepContext;
  readonly host: Pick<RolloutHost, 'start'>;
}

test('E02: a release that is sent three times is rolled once, and again a day later', async () => {
  await onHostStage({}, async ({ context, createHost, log, logged, calls, told, sleep }) => {
    const here = { context, host: createHost() };
    const first = await publish('build-41', 2, here);
    await sleep(10);
    const second = await publish('build-41', 2, here);
    await logged('Succeeded');
    const third = await publish('build-41', 2, here);

    const message = `already rolled by rollout ${first.rolloutId}`;
    expect(first).toMatchObject({ result: 'started' });
    expect([second, third]).toEqual([
      { ...first, result: 'duplicate', message },
      { ...first, result: 'duplicate', message },
    ]);
    expect(log).toHaveLength(2);
    expect(calls.filter(({ operation }) => operation === 'roll')).toHaveLength(3);
    expect(told.filter((line) => line.endsWith('Rollout Ended'))).toHaveLength(1);

    await sleep(24 * 3600);
    const fourth = await publish('build-41', 2, here);
    expect(fourth).toMatchObject({ result: 'started' });
    expect(fourth.rolloutId).not.toBe(first.rolloutId);
    await logged(`${fourth.rolloutId} of shop: Succeeded`);
  });
});

test('a release whose rollout was refused is tried again when it is sent after that', async () => {
  await onHostStage({}, async ({ context, createHost, logged, sleep }) => {
    const here = { context, host: createHost() };
    const first = await publish('build-far', 5_000, here);
    await logged('Refused (VersionStepRefused)');
    await sleep(5);
    const again = await publish('build-far', 5_000, here);
    expect(again).toMatchObject({ result: 'started' });
    expect(again.rolloutId).not.toBe(first.rolloutId);
    await logged(`${again.rolloutId} of shop: Refused`);
  });
});

test('a release whose rollout a person has aborted is not rolled again by a sender that repeats itself', async () => {
  await onHostStage({}, async ({ context, createHost, logged, sleep }) => {
    const here = { context, host: createHost() };
    const { rolloutId } = await publish('build-bad', 2, here);
    await sleep(6);
    const at = Date.now();
    const abort = { kind: 'abort', at, wave: null, by: 'ada', reason: '' } as const;
    await context.ledger.signal(rolloutId, abort);
    await logged('Aborted');
    await sleep(60);
    expect(await publish('build-bad', 2, here)).toMatchObject({ rolloutId, result: 'duplicate' });
  });
});

test('E01: of two events of a release at the same moment, in two processes, one is rolled', async () => {
  await onHostStage({}, async ({ context, createHost, logged, calls, log }) => {
    const answers = await Promise.all([
      publish('build-42', 2, { context, host: createHost() }),
      publish('build-42', 2, { context, host: createHost() }),
    ]);
    expect(answers.map(({ result }) => result).toSorted()).toEqual(['duplicate', 'started']);
    await logged('Succeeded');
    expect(calls.filter(({ operation }) => operation === 'roll')).toHaveLength(3);
    expect(log.filter((line) => line.includes('Succeeded'))).toHaveLength(1);
  });
});

test('X05: nobody hears that a release is rolled before the ledger has its rollout', async () => {
  await onHostStage({}, async ({ context, createHost }) => {
    const { ledger } = context;
    let isFull = true;
    const enlist: typeof ledger.enlist = async (...asked) => {
      await context.clock.sleep(20);
      if (isFull) throw new SteprollError(ErrorName.LedgerUnavailable, 'The disk is full.');
      return ledger.enlist(...asked);
    };
    const full = { ...context, ledger: { ...ledger, enlist } };
    const here = {
      context: full,
      host: createRolloutHost({ context: full, log: () => undefined }),
    };
    const both = () => [publish('build-44', 2, here), publish('build-44', 2, here)];

    const refused = await Promise.allSettled(both());
    expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected']);

    isFull = false;
    const answers = await Promise.all(both());
    expect(answers.map(({ result }) => result)).toEqual(['started', 'duplicate']);
    const again = await publish('build-44', 2, { context, host: createHost() });
    expect(again).toMatchObject({ rolloutId: answers[0]?.rolloutId, result: 'duplicate' });
    await here.host.stop();
  });
});

test('a release of another service is another release, also in the same ledger', async () => {
  await onHostStage({}, async ({ context }) => {
    const host = { start: async () => 'started' as const };
    const service = { ...context.service, url: 'https://other.example.com' };
    const here = await publish('build-45', 2, { context, host });
    const there = await publish('build-45', 2, { context: { ...context, service }, host });
    expect(there.rolloutId).not.toBe(here.rolloutId);
    expect((await publish('build-45', 2, { context, host })).rolloutId).toBe(here.rolloutId);
  });
});

test('X05: a listener that dies once it has noted a release loses nothing: the next event rolls it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steproll-once-'));
  try {
    await onHostStage(
      {},
      async ({ context, createHost, logged, liveVersions }) => {
        const died = new Error('The process dies here.');
        const host = { start: () => Promise.reject(died) };
        await expect(publish('build-43', 2, { context, host })).rejects.toBe(died);
        const { rolloutId, result } = await publish('build-43', 2, { context, host: createHost() });
        expect(result).toBe('started');
        await logged(`${rolloutId} of shop: Succeeded`);
        expect(liveVersions('shop')).toEqual([2, 2, 2]);
      },
      join(folder, 'ledger.sqlite'),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
