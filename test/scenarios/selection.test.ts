import { describe, expect } from '@jest/globals';
import { fingerprintOf } from '../../lib/contract/flow/fingerprint.ts';
import { REST_ABILITIES } from '../../lib/contract/service/services.ts';
import { planRollout } from '../../lib/domain/planning/plan-rollout.ts';
import { RUNTIME, runScenario } from '../support/run-scenario.ts';
import { test, testWithStops } from '../support/test-on-services.ts';
import { WHOLE_POLICY } from '../support/whole-policy.ts';

const FLEET = [
  { name: 'canary-1', version: 1 },
  { name: 'staging', version: 2 },
  { name: 'web-1', version: 1 },
  { name: 'web-2', version: 1 },
  { name: 'web-10', version: 1 },
];

describe('a selection', () => {
  testWithStops('by name and exclusion: nothing else is ever written to', async () => {
    const run = await runScenario({
      endpoints: FLEET,
      policy: { selection: { names: ['web-*'], ids: [], exclude: ['web-2'] } },
    });

    expect(run.outcome).toMatchObject({
      outcome: 'Succeeded',
      message: '2 endpoints rolled to version 2 in 2 waves. Left alone: 3 not selected.',
    });
    expect(run.rolled).toEqual(['web-1', 'web-10']);
  });

  test('C07: that means nothing is an empty scope, not a success', async () => {
    const run = await runScenario({
      endpoints: FLEET,
      policy: { selection: { names: ['api-*'], ids: [], exclude: [] } },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Refused', reason: 'EmptyScope' });
  });

  test('waves by name come first, with a bake of their own', async () => {
    const run = await runScenario({
      endpoints: FLEET,
      policy: { waves: [{ names: ['web-10'], bakeSeconds: 3600 }, { percent: 100 }] },
    });

    expect(run.rolled[0]).toBe('web-10');
    expect(run.seconds).toBeGreaterThan(3600);
    expect(run.record?.plan?.waves).toEqual([
      { from: 0, to: 1, bakeSeconds: 3600 },
      { from: 1, to: 4, bakeSeconds: 300 },
    ]);
  });
});

describe('a version', () => {
  test('is taken from another endpoint, which is left alone', async () => {
    const run = await runScenario({
      endpoints: FLEET,
      input: { version: undefined, versionFrom: { endpoint: 'staging' } },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(run.record?.request.desiredVersion).toBe(2);
    expect(run.rolled).not.toContain('staging');
  });

  test('of an endpoint in mid-roll is no version to promote', async () => {
    const run = await runScenario({
      endpoints: FLEET,
      input: { version: undefined, versionFrom: { endpoint: 'staging' } },
      faults: {
        onList: (read) =>
          read().map((one) => (one.name === 'staging' ? { ...one, targetVersion: 3 } : one)),
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Refused', reason: 'VersionUnknown' });
    expect(run.rolled).toEqual([]);
  });

  test('E03: below the one that is live is refused unless it is allowed', async () => {
    const fleet = { endpoints: [{ name: 'web-1', version: 3 }] };
    const refused = await runScenario(fleet);
    const allowed = await runScenario({ ...fleet, policy: { allowDowngrade: true } });

    expect(refused.outcome).toMatchObject({ outcome: 'Refused', reason: 'DowngradeRefused' });
    expect(refused.rolled).toEqual([]);
    expect(allowed.outcome).toMatchObject({ outcome: 'Succeeded' });
  });
});

describe('a plan that was agreed to', () => {
  testWithStops('is carried out when the fleet is as it was', async () => {
    const shown = await shownPlan(2);
    const run = await runScenario({ endpoints: 2, input: { plan: shown } });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
  });

  test('E03: an endpoint that is on its way to a higher version counts as above', async () => {
    const run = await runScenario({
      endpoints: 2,
      faults: { onList: (read) => read().map((one) => ({ ...one, targetVersion: 7 })) },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Refused', reason: 'DowngradeRefused' });
    expect(run.rolled).toEqual([]);
  });

  test('is refused when the fleet has changed since, and nothing is written', async () => {
    const shown = await shownPlan(2);
    const run = await runScenario({ endpoints: 3, input: { plan: shown } });

    expect(run.outcome).toMatchObject({ outcome: 'Refused', reason: 'PlanChanged' });
    expect(run.rolled).toEqual([]);
  });
});

async function shownPlan(endpoints: number): Promise<string> {
  let fingerprint = '';
  await runScenario({
    endpoints,
    beside: async ({ world }) => {
      const plan = planRollout(
        world.read(RUNTIME),
        { runtimeId: RUNTIME, desiredVersion: 2 },
        WHOLE_POLICY,
        REST_ABILITIES,
      );
      fingerprint = fingerprintOf(plan, WHOLE_POLICY);
    },
  });
  return fingerprint;
}
