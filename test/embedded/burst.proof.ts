import { expect, test } from '@jest/globals';
import { createMemoryLedger } from '../../lib/adapters/ledger/memory/ledger.ts';
import { DEFAULT_POLICY } from '../../lib/domain/rollout/default-policy.ts';
import type { RolloutPolicy } from '../../lib/domain/rollout/policy.ts';
import { createInterpreter } from '../../lib/embedded/interpreter/engine.ts';
import { createRolloutHost } from '../../lib/embedded/rollout-host.ts';
import type { GateAnswer } from '../../lib/gates/gate.ts';
import { watchedLedger } from '../../lib/rehearsal/mortal-ledger.ts';
import { createVirtualTime } from '../../lib/rehearsal/virtual-time.ts';
import { gatePortsOf } from '../support/gate-ports.ts';
import { START } from '../support/scenario-time.ts';
import { startSlowService } from '../support/slow-service.ts';

const PASS: GateAnswer = { verdict: 'pass', detail: '' };

interface Burst {
  readonly runtimes: number;
  readonly releases: number;
  /** What differs from the default policy. @default - nothing */
  readonly policyOf?: (runtimeId: string) => Partial<RolloutPolicy>;
  /** Seconds that a gate takes. @default 0 */
  readonly gateSeconds?: number;
  /** Milliseconds from each release to the next. @default 0 */
  readonly everyMs?: number;
}

/** Releases all at once to a service that takes a second for each answer, and waits until all have ended. */
async function release({ runtimes, releases, policyOf, gateSeconds = 0, everyMs = 0 }: Burst) {
  const time = createVirtualTime(START);
  const ids = Array.from({ length: runtimes }, (_, index) => `tenant-${index + 1}`);
  const service = startSlowService({ runtimes: ids, time, answersAfterMs: 1_000 });
  const asked: string[] = [];
  const ledger = watchedLedger(createMemoryLedger(), (call, name) => {
    asked.push(name);
    return call();
  });
  const ended: string[] = [];
  let listedMeanwhile = 0;
  /** The runtimes of which a list was read. */
  const listed = () => new Set(service.requests.map(({ path }) => path.split('/')[2]));
  const pass = async () => {
    await time.sleep(gateSeconds * 1000);
    return PASS;
  };
  const host = createRolloutHost({
    log: () => undefined,
    engine: createInterpreter({ clock: time, random: () => 0.5 }),
    context: {
      service: service.client,
      ledger,
      clock: time,
      gates: gatePortsOf({ probe: pass, alarm: pass, metrics: async () => [] }),
      events: {
        async publish({ kind, runtimeId }) {
          if (kind === 'ended') ended.push(runtimeId);
        },
      },
      policyOf: (id) => ({ ...DEFAULT_POLICY, bakeSeconds: 0, ...policyOf?.(id) }),
    },
  });
  const rolloutIds = Array.from({ length: releases }, (_, index) => `release-${index + 1}`);
  await time.run(async () => {
    for (const [index, rolloutId] of rolloutIds.entries()) {
      await host.start(rolloutId, {
        schemaVersion: 1,
        runtimeId: ids[index % runtimes] ?? '',
        // So far above what is live that the list has to be read before the step is allowed.
        version: 1_001 + index,
        startedBy: { kind: 'release', name: rolloutId, at: START + index },
      });
      if (everyMs > 0) await time.sleep(everyMs);
    }
    listedMeanwhile = listed().size;
    while (rolloutIds.some(host.isRunning)) await time.sleep(1_000);
  });
  const calls = [...asked];
  const records = await Promise.all(rolloutIds.map((rolloutId) => ledger.read(rolloutId)));
  const outcomes = records.map(({ outcome }) => outcome?.outcome);
  const lines = records.flatMap(({ journal }) => journal);
  return { ...service, ended, outcomes, lines, listedMeanwhile, calls, records };
}

test('a burst of releases meets no time-out of its own making, and every rollout ends', async () => {
  const { outcomes, missed, requests, lines, ended } = await release({
    runtimes: 300,
    releases: 300,
  });
  expect(outcomes).toEqual(Array(300).fill('Succeeded'));
  expect(missed()).toBe(0);
  // Each write is sent while its look is fresh: none comes too late, and none is sent twice.
  expect(requests.filter(({ method }) => method === 'PUT')).toHaveLength(300);
  expect(lines.filter(({ result }) => result === 'rejected' || result === 'not-sent')).toEqual([]);
  expect(ended).toHaveLength(300);
});

test('rollouts that have begun go before those that have not', async () => {
  const { requests } = await release({ runtimes: 300, releases: 300 });
  const indexOf = (method: string, runtimeId: string) =>
    requests.findIndex((one) => one.method === method && one.path.includes(`/${runtimeId}/`));
  expect(indexOf('PUT', 'tenant-1')).toBeLessThan(indexOf('GET', 'tenant-100'));
});

test('of many releases of a runtime at once, those that were overtaken cost the service nothing, and the ledger little', async () => {
  const { outcomes, requests, ended, world, calls, records } = await release({
    runtimes: 1,
    releases: 300,
    policyOf: () => ({ onConflict: 'latest' }),
  });
  expect(ended).toHaveLength(300);
  expect(outcomes.at(-1)).toBe('Succeeded');
  expect(world.read('tenant-1').map(({ liveVersion }) => liveVersion)).toEqual([1_300]);
  expect(requests.length).toBeLessThan(150);
  // Only those that began before a newer one had come ask for the lease.
  expect(calls.filter((name) => name === 'open').length).toBeLessThan(60);
  // Each looks three times: when it comes, when it could be its turn, and once the newest one has begun. No one ends before
  // that, because the newest one may still be refused.
  expect(calls.length).toBeLessThan(300 * 20);
  expect(records[150]?.outcome).toEqual({
    outcome: 'Superseded',
    reason: 'Overtaken',
    cleanup: 'none',
    message:
      'Nothing was rolled: "release-300", to version 1300, is the newer rollout of this runtime.',
  });
});

test('gates that take long keep no other rollout from going on', async () => {
  const { ended, outcomes } = await release({
    runtimes: 40,
    releases: 40,
    gateSeconds: 200,
    policyOf: (runtimeId) =>
      runtimeId === 'tenant-40' ? {} : { verify: { approval: null, alarms: ['errors'] } },
  });
  expect(outcomes).toEqual(Array(40).fill('Succeeded'));
  expect(ended[0]).toBe('tenant-40');
});

test('while a burst of releases comes in, few rollouts begin, and all of them after it', async () => {
  const { listedMeanwhile, outcomes } = await release({
    runtimes: 200,
    releases: 200,
    everyMs: 50,
  });
  expect(listedMeanwhile).toBeGreaterThan(0);
  expect(listedMeanwhile).toBeLessThanOrEqual(32);
  expect(outcomes).toEqual(Array(200).fill('Succeeded'));
});

test('a few releases begin at once, also while more come in', async () => {
  const { listedMeanwhile } = await release({ runtimes: 12, releases: 12, everyMs: 200 });
  expect(listedMeanwhile).toBeGreaterThan(8);
});

test('releases that do not end to come in keep others waiting for at most a minute', async () => {
  const { listedMeanwhile } = await release({ runtimes: 600, releases: 600, everyMs: 200 });
  expect(listedMeanwhile).toBeGreaterThan(32);
});
