import { expect, test } from '@jest/globals';
import { checkConfig } from '../../../lib/cli/config/checks.ts';
import { triggersSchema } from '../../../lib/contract/config/triggers.ts';
import { REST_ABILITIES } from '../../../lib/contract/service/services.ts';
import { SteprollError } from '../../../lib/domain/errors.ts';
import type { RuntimeVersion } from '../../../lib/domain/planning/version.ts';
import { live } from '../../domain/examples.ts';
import { gatePortsOf } from '../../support/gate-ports.ts';

const unused = () => Promise.reject(new Error('The policy has no such gate.'));

/** The checks of the versions of a runtime, and of a schedule for `version`, as `result: message`. */
async function check(
  listed: readonly RuntimeVersion[] | SteprollError | null,
  version: number | 'latest' = 'latest',
): Promise<Record<string, string>> {
  const schedules = [{ name: 'nightly', runtimeId: 'shop', rate: '1 day', version }];
  const checks = await checkConfig({
    config: { policies: {}, runtimes: {}, triggers: triggersSchema.parse({ schedules }) },
    runtimes: ['shop'],
    service: {
      url: 'https://endpoints.example.com',
      abilities: { ...REST_ABILITIES, listsVersions: listed !== null },
      list: async () => [live('web-1')],
      async listVersions() {
        if (listed instanceof Error) throw listed;
        return listed ?? [];
      },
    },
    gates: gatePortsOf({ probe: unused, alarm: unused, metrics: unused }),
    unasked: null,
    urlFrom: 'prod.json',
    credentials: 'None are sent.',
    now: 0,
  });
  const wanted = checks.filter(({ check }) => check === 'versions' || check === 'schedule');
  return Object.fromEntries(
    wanted.map(({ check, result, message }) => [check, `${result}: ${message}`]),
  );
}

const DUE = 'shop, rate(1 day): ';
const READY: RuntimeVersion = { version: 3, state: 'ready' };

test('a version that is ready is fine, and so is a schedule for it', async () => {
  expect(await check([READY])).toEqual({
    versions: 'ok: Version 3 is the latest one.',
    schedule: expect.stringMatching(/^ok: /),
  });
});

test('the latest one may still be being made', async () => {
  expect(await check([READY, { version: 4, state: 'making' }])).toEqual({
    versions: 'ok: Version 4 is being made. A rollout to it waits until then.',
    schedule: expect.stringMatching(/^ok: /),
  });
});

test('C01: a schedule for a version that there is not is a fault', async () => {
  expect(await check([READY], 9)).toMatchObject({
    versions: expect.stringMatching(/^ok: /),
    schedule: `fault: ${DUE}VersionUnknown: The runtime does not have version 9; its only one is 3.`,
  });
});

test('C01: a runtime of which nothing can be rolled is a fault', async () => {
  const nothing = 'The runtime does not have a version that can be rolled.';
  expect(await check([])).toEqual({
    versions: `fault: ${nothing}`,
    schedule: `fault: ${DUE}VersionUnknown: ${nothing}`,
  });
});

test.each([
  ['UpstreamTransient', 'unknown'],
  ['UpstreamAuth', 'fault'],
] as const)(
  'a list of versions that ends with %s is %s, and says nothing of a schedule',
  async (name, result) => {
    expect(await check(new SteprollError(name, 'No.'))).toEqual({
      versions: `${result}: ${name}: No.`,
      schedule: expect.stringMatching(/^ok: /),
    });
  },
);

test('where the service cannot list versions there is no check, and no schedule may ask for the latest', async () => {
  expect(await check(null, 9)).toEqual({ schedule: expect.stringMatching(/^ok: /) });
  expect(await check(null)).toEqual({
    schedule: expect.stringMatching(/^fault: .*VersionsUnsupported: /),
  });
});
