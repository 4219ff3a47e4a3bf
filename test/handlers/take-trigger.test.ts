import { describe, expect, test } from '@jest/globals';
import { createMemoryLedger } from '../../lib/adapters/ledger/memory/ledger.ts';
import { parseRolloutInput, rolloutIdSchema } from '../../lib/contract/flow/rollout-input.ts';
import type { TriggeredRollout } from '../../lib/domain/trigger/trigger.ts';
import { takeTrigger } from '../../lib/handlers/start.ts';
import {
  dueSchedule,
  ECR_MAPPING,
  imagePush,
  ownRelease,
  SENT_AT,
} from '../contract/trigger-examples.ts';
import { runScenario } from '../support/run-scenario.ts';

const NOW = Date.parse(SENT_AT);
const HOUR = 3_600_000;

/** A machine that takes each name once, and knows what it was asked to start. */
function createMachine(listsVersions?: boolean) {
  const started = new Map<string, TriggeredRollout>();
  return {
    started,
    take: (payload: unknown, now = NOW) =>
      takeTrigger(payload, {
        rules: { runtimes: ['shop'], groups: ['prod'], maxAgeSeconds: 900 },
        releases: [ECR_MAPPING],
        clock: { now: () => now },
        ledger: createMemoryLedger(),
        ...(listsVersions !== undefined && { listsVersions }),
        startExecution: async (rolloutId, input) => {
          if (started.has(rolloutId)) return 'duplicate';
          started.set(rolloutId, input);
          return 'started';
        },
      }),
  };
}

describe('a trigger', () => {
  test.each([
    ['release', 'build-41', ownRelease()],
    ['release', 'ecr', imagePush()],
    ['schedule', 'nightly', dueSchedule()],
  ])(
    'of a %s is one rollout, named after its runtime, its version and a hash, that knows it was started by %s',
    async (kind, name, payload) => {
      const { take, started } = createMachine();
      const { rolloutId, ...rest } = await take(payload);
      expect(rest).toEqual({ result: 'started', runtimeId: 'shop' });
      expect(rolloutId).toMatch(/^shop-v7-[0-9a-f]{20}$/);
      expect(rolloutIdSchema.parse(rolloutId)).toBe(rolloutId);
      expect([...started]).toEqual([
        [
          rolloutId,
          {
            schemaVersion: 1,
            runtimeId: 'shop',
            version: 7,
            startedBy: { kind, name, at: Date.parse(SENT_AT) },
          },
        ],
      ]);
    },
  );

  test('asks for the latest version in vain where it is known that nobody can say which one that is', async () => {
    const latest = dueSchedule({ version: 'latest' });
    const { take, started } = createMachine(false);
    await expect(take(latest)).rejects.toMatchObject({ name: 'VersionsUnsupported' });
    expect(started.size).toBe(0);
    await take(dueSchedule());
    expect(started.size).toBe(1);
    for (const known of [true, undefined]) await createMachine(known).take(latest);
  });

  test('gives the workflow an input that it takes', async () => {
    const { take, started } = createMachine();
    const versionFrom = { endpoint: 'staging' };
    await take(dueSchedule({ version: undefined, versionFrom }));
    await take(imagePush());
    const [scheduled, released] = [...started.values()].map(parseRolloutInput);
    expect(scheduled).toMatchObject({ runtimeId: 'shop', versionFrom });
    expect(released).toMatchObject({ runtimeId: 'shop', version: 7 });
  });
});

test('E01: a release of a group is one rollout of the group, however often it is delivered', async () => {
  const { take, started } = createMachine();
  const release = ownRelease({ runtimeId: undefined, group: 'prod' });
  const first = await take(release);
  expect(first).toMatchObject({ result: 'started', runtimeId: 'group:prod' });
  expect(await take(release)).toMatchObject({ ...first, result: 'duplicate' });
  expect([...started.values()].map(parseRolloutInput)).toMatchObject([
    { runtimeId: 'group:prod', version: 7, startedBy: { kind: 'release', name: 'build-41' } },
  ]);
});

test('E01: the same event twice at once starts one rollout, and the other is a duplicate', async () => {
  const { take, started } = createMachine();
  const taken = await Promise.all([take(ownRelease()), take(ownRelease())]);
  expect(taken.map(({ result }) => result)).toEqual(['started', 'duplicate']);
  expect(new Set(taken.map(({ rolloutId }) => rolloutId)).size).toBe(1);
  expect(started.size).toBe(1);
});

test('E02: the same release in a new event is a rollout of its own, which has nothing to write', async () => {
  const { take, started } = createMachine();
  await take(ownRelease());
  await take(ownRelease({}, { id: 'another-event' }));
  const [, input] = [...started.values()];
  expect(started.size).toBe(2);
  const run = await runScenario({
    endpoints: [{ name: 'web-1', version: 7 }],
    input: { ...input },
  });
  expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
  expect([...run.rolled, ...run.stopped]).toEqual([]);
});

test('E03: a late release of a version below is refused by its age, or by the plan', async () => {
  const { take, started } = createMachine();
  await expect(take(ownRelease({ version: 6 }), NOW + HOUR)).rejects.toMatchObject({
    name: 'StaleTrigger',
  });
  await take(ownRelease({ version: 6 }));
  const [input] = [...started.values()];
  const run = await runScenario({
    endpoints: [{ name: 'web-1', version: 7 }],
    input: { ...input },
  });
  expect(run.outcome).toMatchObject({ outcome: 'Refused', reason: 'DowngradeRefused' });
  expect(run.rolled).toEqual([]);
});

describe('what is refused starts nothing', () => {
  test.each<[string, unknown, number, string]>([
    ['E04: an event that is 23 hours old', ownRelease(), 23 * HOUR, 'StaleTrigger'],
    ['E04: an event from a queue after 3 days', imagePush(), 72 * HOUR, 'StaleTrigger'],
    ['E04: a schedule that was due two hours ago', dueSchedule(), 2 * HOUR, 'StaleTrigger'],
    ['E05: an event that is 10 minutes ahead', ownRelease(), -HOUR / 6, 'InvalidTrigger'],
    ['E06: an extra key', ownRelease({ policy: {} }), 0, 'InvalidTrigger'],
    ['E06: a text for a version', ownRelease({ version: '7' }), 0, 'InvalidTrigger'],
    ['E07: every runtime', ownRelease({ runtimeId: '*' }), 0, 'UnknownRuntime'],
    ['E07: another source', ownRelease({}, { source: 'evil' }), 0, 'InvalidTrigger'],
    ['E07: an image of something else', imagePush({ 'repository-name': 'x' }), 0, 'UnknownRuntime'],
  ])('%s', async (_, payload, laterMs, name) => {
    const { take, started } = createMachine();
    await expect(take(payload, NOW + laterMs)).rejects.toMatchObject({ name });
    expect(started.size).toBe(0);
  });
});

test('E09: a schedule is one rollout for each time that it is due, however often it is delivered', async () => {
  const { take, started } = createMachine();
  const results = [];
  for (const scheduledAt of [
    '2026-12-01T03:00:00Z',
    '2026-12-01T03:00:00Z',
    '2026-12-02T03:00:00Z',
  ]) {
    const { result } = await take(dueSchedule({ scheduledAt }), Date.parse(scheduledAt));
    results.push(result);
  }
  expect(results).toEqual(['started', 'duplicate', 'started']);
  expect(started.size).toBe(2);
});
