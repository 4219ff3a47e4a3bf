import { describe, expect } from '@jest/globals';
import { partialPolicySchema } from '../../lib/contract/config/policy.ts';
import type { AskedRollout } from '../../lib/domain/rollout/record.ts';
import type { GateAnswer } from '../../lib/gates/gate.ts';
import { toRolloutView } from '../../lib/telling/view/rollout-view.ts';
import { type Run, runScenario, type Script } from '../support/run-scenario.ts';
import { START, secondsSinceStart } from '../support/scenario-time.ts';
import { test } from '../support/test-on-services.ts';

const RED: GateAnswer = { verdict: 'fail', detail: 'ALARM' };
const GREEN: GateAnswer = { verdict: 'pass', detail: 'OK' };
const SILENT: GateAnswer = { verdict: 'unknown', detail: 'no data' };

function run(
  verify: object,
  gates: NonNullable<Script['gates']>,
  script: Script = {},
): Promise<Run> {
  const { verify: said } = partialPolicySchema.parse({ verify });
  const policy = { ...script.policy, ...(said && { verify: said }) };
  return runScenario({ endpoints: 1, ...script, policy, gates });
}

/** `1: alarm a no`, in order, with what programs and pages read of a rollout. */
function changesOf({ record }: Run) {
  const { waves } = toRolloutView(record as AskedRollout, START);
  return waves.flatMap(({ wave, gateChanges }) =>
    gateChanges.map((one) => ({
      ...one,
      told: `${wave}: ${one.gate} ${one.answer}${one.isEnforced ? '' : ', watches'}`,
    })),
  );
}

const ALARMS = { alarms: ['decides', { name: 'watched', enforce: false }] };

describe('how the answers of gates changed', () => {
  test('is told with times and reasons, of gates that only watch, too', async () => {
    const done = await run(ALARMS, {
      alarm: async (name) => {
        if (name === 'decides') return GREEN;
        const now = secondsSinceStart();
        if (now < 60) return GREEN;
        return now < 180 ? RED : SILENT;
      },
    });
    const changes = changesOf(done);
    const watched = changes.filter(({ gate }) => gate === 'alarm watched');

    expect(done.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(changes.filter(({ isEnforced }) => isEnforced).map(({ told }) => told)).toEqual([
      '1: alarm decides yes',
    ]);
    expect(watched.map(({ told }) => told)).toEqual([
      '1: alarm watched yes, watches',
      '1: alarm watched no, watches',
      '1: alarm watched none, watches',
    ]);
    expect(watched.map(({ message }) => message)).toEqual(['OK', 'ALARM', 'no data']);
    const seconds = watched.map(({ at }) => (Date.parse(at) - START) / 1000);
    expect(seconds[1]).toBeGreaterThanOrEqual(60);
    expect(seconds[1]).toBeLessThanOrEqual(125);
    // Each answer stands until the next one, and the last one until the end.
    expect(watched.map(({ until }) => until)).toEqual([
      watched[1]?.at,
      watched[2]?.at,
      expect.any(String),
    ]);
  });

  test('adds nothing where nothing changes, however often gates are asked', async () => {
    let asked = 0;
    const gates: NonNullable<Script['gates']> = {
      alarm: async () => {
        asked += 1;
        return GREEN;
      },
    };
    const short = await run(ALARMS, gates, { policy: { bakeSeconds: 300 } });
    const before = asked;
    const long = await run(ALARMS, gates, { policy: { bakeSeconds: 7_200 } });

    expect(asked - before).toBeGreaterThan(5 * before);
    expect(changesOf(long).map(({ told }) => told)).toEqual(
      changesOf(short).map(({ told }) => told),
    );
  });

  test('has 20 changes of each gate and then one an hour, and all of them in numbers', async () => {
    let looks = 0;
    const done = await run(
      ALARMS,
      { alarm: async (name) => (name === 'decides' || ++looks % 2 === 0 ? GREEN : RED) },
      { policy: { bakeSeconds: 7_200 } },
    );
    const watched = changesOf(done).filter(({ isEnforced }) => !isEnforced);

    expect(looks).toBeGreaterThan(60);
    expect(watched.length).toBeGreaterThanOrEqual(20);
    expect(watched.length).toBeLessThanOrEqual(22);
    const course = done.record?.progress?.gateCourses?.find(({ isWatching }) => isWatching);
    expect(course).toMatchObject({ asked: looks, noes: Math.ceil(looks / 2), silent: 0 });
  });

  test('tells the worst of what a gate said about several endpoints, and of which', async () => {
    const probe = { path: '/', hosts: ['*.localhost'], enforce: false };
    const asked = new Set<string>();
    const done = await run(
      { probe },
      {
        probe: async (url) => {
          const isFirst = asked.add(url).values().next().value === url;
          return isFirst ? GREEN : RED;
        },
      },
      { endpoints: 3, policy: { waves: [{ percent: 100 }] } },
    );

    expect(changesOf(done).at(-1)).toMatchObject({
      told: '1: probe no, watches',
      message: expect.stringMatching(/^endpoint-0\d: ALARM$/),
    });
  });
});
