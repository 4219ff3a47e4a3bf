import { describe, expect } from '@jest/globals';
import type { RolloutInput } from '../../lib/contract/flow/rollout-input.ts';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import { isWrite } from '../../lib/rehearsal/calls.ts';
import { runScenario, type Stage } from '../support/run-scenario.ts';
import { secondsSinceStart } from '../support/scenario-time.ts';
import { test } from '../support/test-on-services.ts';

const SUCCESS = { outcome: 'Succeeded', reason: 'Converged', cleanup: 'none' };
const LATEST: Partial<RolloutInput> = { version: 'latest' };
const READY = [{ version: 1 }, { version: 2 }];

/** What the rollout waits for, as anybody can read it in the ledger at that second. */
async function waitAt(stage: Stage, seconds: number) {
  await stage.until(seconds);
  const { request, wait } = await stage.ledger.read('rollout-1');
  return { desiredVersion: request.desiredVersion, for: wait?.for, message: wait?.of };
}

describe('a rollout to the latest version', () => {
  test('goes to the highest one that is there, and says so from then on', async () => {
    const run = await runScenario({ versions: READY, input: LATEST });

    expect(run.outcome).toMatchObject(SUCCESS);
    expect(run.record?.request).toMatchObject({ desiredVersion: 2 });
    expect(run.rolled).toHaveLength(12);
  });

  test('goes to the one below one that could not be made', async () => {
    const versions = [...READY, { version: 3, fails: true }];
    const run = await runScenario({ versions, input: LATEST });

    expect(run.outcome).toMatchObject(SUCCESS);
    expect(run.record?.request.desiredVersion).toBe(2);
  });

  test('keeps its version when a newer one comes while it rolls', async () => {
    const versions = [...READY, { version: 3, listedAfterSeconds: 30 }];
    const run = await runScenario({ versions, input: LATEST });

    expect(run.outcome).toMatchObject(SUCCESS);
    expect(new Set([...run.endpoints.values()].map((one) => one.liveVersion))).toEqual(
      new Set([2]),
    );
  });

  test('keeps its version when a newer one comes while it waits for a window', async () => {
    const versions = [...READY, { version: 3, listedAfterSeconds: 30 }];
    const opens = { from: '01:00', to: '24:00', timeZone: 'UTC' };
    const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
    let seen = {};
    let looks = 0;
    const run = await runScenario({
      versions,
      input: LATEST,
      faults: {
        onVersions(read) {
          looks += 1;
          return read();
        },
      },
      policy: { windows: [{ ...opens, days }] },
      beside: async (stage) => {
        seen = await waitAt(stage, 60);
      },
    });

    expect(seen).toMatchObject({ for: 'window', desiredVersion: 2 });
    expect(run.record?.request.desiredVersion).toBe(2);
    expect(looks).toBe(1);
  });

  test('C01: where the service cannot list versions it fails, and nothing is rolled', async () => {
    const run = await runScenario({ input: LATEST });

    expect(run.outcome).toMatchObject({ outcome: 'Refused', reason: 'VersionsUnsupported' });
    expect(run.calls.map(({ operation }) => operation)).toEqual(['close']);
  });

  test('C01: where there is no version that could be made it fails', async () => {
    const run = await runScenario({ versions: [{ version: 2, fails: true }], input: LATEST });

    expect(run.outcome).toMatchObject({ outcome: 'Refused', reason: 'VersionUnknown' });
    expect(run.rolled).toEqual([]);
  });
});

describe('a version that is being made', () => {
  test.each<[string, Partial<RolloutInput>, number | null]>([
    ['by its number', {}, 2],
    ['as the latest one', LATEST, null],
  ])('E01: is waited for, asked for %s, and then rolled', async (_, input, known) => {
    let seen = {};
    const run = await runScenario({
      versions: [{ version: 1 }, { version: 2, madeAfterSeconds: 100 }],
      input,
      beside: async (stage) => {
        seen = await waitAt(stage, 50);
      },
    });

    expect(seen).toEqual({
      ...{ for: 'version', desiredVersion: known, message: 'Version 2 is being made.' },
    });
    expect(run.outcome).toMatchObject(SUCCESS);
    expect(run.calls.filter(isWrite).map(({ answer }) => answer)).not.toContain('UpstreamRejected');
    expect(run.record?.opening).toBeNull();
  });

  test('E01: is waited for when the release was quicker than the list of versions', async () => {
    const versions = [{ version: 1 }, { version: 2, listedAfterSeconds: 20, madeAfterSeconds: 90 }];
    const run = await runScenario({ versions });

    expect(run.outcome).toMatchObject(SUCCESS);
  });

  test('is waited for no longer than the progress deadline', async () => {
    const versions = [{ version: 1 }, { version: 2, madeAfterSeconds: 86_400 }];
    const run = await runScenario({ versions });

    expect(run.outcome).toMatchObject({
      outcome: 'Refused',
      reason: 'VersionUnknown',
      message: 'Version 2 is being made. The wait of 600 s is over.',
    });
    expect(run.rolled).toEqual([]);
    expect(run.seconds).toBe(600);
  });

  test('that comes to nothing ends the rollout at the next look', async () => {
    const versions = [{ version: 1 }, { version: 2, madeAfterSeconds: 40, fails: true }];
    const run = await runScenario({ versions });

    expect(run.outcome).toMatchObject({
      outcome: 'Refused',
      reason: 'VersionUnknown',
      message: expect.stringContaining('Version 2 could not be made; its only one is 1.'),
    });
    expect(run.seconds).toBe(45);
  });

  test('an abort ends the wait, with nothing rolled', async () => {
    const run = await runScenario({
      versions: [{ version: 1 }, { version: 2, madeAfterSeconds: 500 }],
      beside: async ({ ledger, until }) => {
        await until(20);
        const said = { at: 0, wave: null, by: 'ann', reason: '' };
        await ledger.signal('rollout-1', { kind: 'abort', ...said });
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Aborted' });
    expect(run.rolled).toEqual([]);
    expect(run.seconds).toBeLessThan(60);
  });
});

describe('the list of versions', () => {
  test('C01: a version that it does not have is refused after a minute, and nothing is rolled', async () => {
    const run = await runScenario({ versions: READY, input: { version: 70 } });

    expect(run.outcome).toMatchObject({
      outcome: 'Refused',
      reason: 'VersionUnknown',
      message: expect.stringContaining(
        'The runtime does not have version 70; its newest ones are 2, 1.',
      ),
    });
    expect(run.rolled).toEqual([]);
    expect(run.seconds).toBe(60);
  });

  test('C01: a version below its highest one that it does not have is refused at once', async () => {
    const run = await runScenario({ versions: [{ version: 1 }, { version: 3 }] });

    expect(run.outcome).toMatchObject({ outcome: 'Refused', reason: 'VersionUnknown' });
    expect(run.seconds).toBe(0);
  });

  test.each([ErrorName.UpstreamTransient, ErrorName.UpstreamThrottled, ErrorName.UpstreamTimeout])(
    'C01: an outage of 100 s is waited for: %s',
    async (name) => {
      const run = await runScenario({
        versions: READY,
        faults: {
          onVersions(read) {
            if (secondsSinceStart() < 100) throw new SteprollError(name, 'not now');
            return read();
          },
        },
      });

      expect(run.outcome).toMatchObject(SUCCESS);
    },
  );

  test('C01: one that cannot be read for as long as the deadline: Errored, and nothing is rolled', async () => {
    const run = await runScenario({
      versions: READY,
      faults: {
        onVersions() {
          throw new SteprollError('UpstreamTransient', 'not now');
        },
      },
    });

    expect(run.outcome).toMatchObject({
      outcome: 'Errored',
      reason: 'UpstreamTransient',
      message: 'Nothing was rolled: the list of versions could not be read for 10 min. not now.',
    });
    expect(run.seconds).toBe(600);
  });

  test('C01: refused credentials end the rollout at once', async () => {
    const run = await runScenario({
      versions: READY,
      faults: {
        onVersions() {
          throw new SteprollError('UpstreamAuth', '403');
        },
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Errored', reason: 'UpstreamAuth' });
    expect(run.seconds).toBe(0);
  });
});
