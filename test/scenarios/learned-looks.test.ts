import { describe, expect } from '@jest/globals';
import { estimateRollout } from '../../lib/domain/planning/estimate.ts';
import type { RolloutRecord } from '../../lib/domain/rollout/record.ts';
import { isList, isWrite } from '../../lib/rehearsal/calls.ts';
import { endpointNames } from '../support/endpoint-names.ts';
import { type Run, runScenario, type Script, type Stage } from '../support/run-scenario.ts';
import { test } from '../support/test-on-services.ts';

/** A rollout takes less than this. */
const FIRST_IS_OVER = 3600;

/**
 * The second rollout of a runtime whose first one has shown rolls of so many seconds.
 *
 * @param fault Of each endpoint in this rollout. @default - none
 */
async function secondRollout(
  usual: number,
  endpoints: number,
  { fault, ...script }: Script & { readonly fault?: object } = {},
): Promise<Run> {
  let run: Run | undefined;
  const names = endpointNames(1, endpoints);
  await runScenario({
    endpoints,
    rollSeconds: usual,
    broken:
      fault === undefined ? [] : names.map((endpoint) => ({ ...fault, endpoint, version: 3 })),
    beside: async (stage: Stage) => {
      await stage.until(FIRST_IS_OVER);
      run = await stage.start('rollout-2', { input: { version: 3 }, ...script });
    },
  });
  if (run === undefined) throw new Error('There was no second rollout.');
  return run;
}

const slow = (rollSeconds: number) => ({ fault: { kind: 'slow', rollSeconds } });

/** Seconds from the first write until the first read after it that is not of the same step. */
function firstLookAfter({ calls }: Run): number {
  const sent = calls.find(isWrite)?.at ?? Number.NaN;
  const look = calls.find((call) => isList(call) && call.at > sent)?.at ?? Number.NaN;
  return (look - sent) / 1000;
}

describe.each([20, 40, 60])('the second rollout, where rolls take %i s', (usual) => {
  test.each([0.9, 1, 1.15])('one endpoint, by %d times: at most 35 transitions', async (factor) => {
    const run = await secondRollout(usual, 1, slow(usual * factor));
    expect(run.outcome.outcome).toBe('Succeeded');
    expect(run.states.length).toBeLessThanOrEqual(35);
  });

  test.each([
    [0.9, 110],
    [1, 110],
    [1.15, 120],
  ])('the default plan, by %d times: at most %i', async (factor, most) => {
    const run = await secondRollout(usual, 12, slow(usual * factor));
    expect(run.outcome.outcome).toBe('Succeeded');
    expect(run.states.length).toBeLessThanOrEqual(most);
  });
});

test('the first look comes when a roll is usually over, and within a minute, whatever maxPollSeconds says', async () => {
  const looks = (usual: number) => secondRollout(usual, 1, { policy: { maxPollSeconds: 10 } });
  expect(firstLookAfter(await looks(40))).toBe(40);
  expect(firstLookAfter(await looks(300))).toBe(60);
});

test('the plan says what it will take', async () => {
  const { record, states } = await secondRollout(60, 12);
  const { plan, request } = record as RolloutRecord;
  expect(plan && estimateRollout(plan, request.policy, 60, undefined, 60_000)).toMatchObject({
    transitions: states.length,
  });
});

test('what undoes a rollout is looked at from the beginning', async () => {
  const undo = { input: { version: undefined, revert: 'rollout-1' } };
  expect(firstLookAfter(await secondRollout(40, 1, undo))).toBe(5);
});

test('looks follow a runtime whose rolls have become faster', async () => {
  const run = await secondRollout(60, 1, slow(20));
  expect(run.record?.outcome?.rollMs).toBe(54_000);
});

test('a roll that fails is seen at that look, and all goes back within 90 s of its failure', async () => {
  const { calls, outcome, rolledBack } = await secondRollout(60, 12, {
    policy: { onFailure: { stuck: 'roll-back', bad: 'roll-back' } },
    fault: { kind: 'fail', afterReplicas: 0 },
  });
  expect(outcome).toMatchObject({ outcome: 'Failed' });
  expect(rolledBack).toHaveLength(1);
  const [first, back] = calls.filter(isWrite);
  const took = ((back?.at ?? Number.NaN) - (first?.at ?? 0)) / 1000;
  expect(took).toBeGreaterThanOrEqual(60);
  expect(took).toBeLessThanOrEqual(90);
});
