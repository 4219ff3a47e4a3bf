import { describe, expect } from '@jest/globals';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import type { GateAnswer } from '../../lib/gates/gate.ts';
import type { GatePorts } from '../../lib/gates/gates.ts';
import { judgeMetric, type MetricQuestion } from '../../lib/gates/metric-rule.ts';
import { isWrite } from '../../lib/rehearsal/calls.ts';
import { metricRule } from '../domain/examples.ts';
import { type Run, runScenario, type Stage } from '../support/run-scenario.ts';
import { START, scenarioNow, secondsSinceStart } from '../support/scenario-time.ts';
import { test, testWithStops } from '../support/test-on-services.ts';

const PASS: GateAnswer = { verdict: 'pass', detail: '200' };
const FAIL: GateAnswer = { verdict: 'fail', detail: '503' };
const UNKNOWN: GateAnswer = { verdict: 'unknown', detail: 'no data' };

const PROBE = {
  probe: {
    ...{ path: '/healthz', status: 200, tries: 3, timeoutSeconds: 5 },
    ...{ hosts: ['*.localhost'], privateNetwork: false },
  },
  alarms: [],
  metrics: [],
  approval: null,
};
const ALARMS = { probe: null, alarms: ['errors', 'latency'], metrics: [], approval: null };

describe('a probe', () => {
  test('asks each endpoint that has converged once in everySeconds, up to the end, and no other', async () => {
    const asked = new Map<string, number[]>();
    const run = await runScenario({
      endpoints: 4,
      policy: { verify: { ...PROBE, everySeconds: 45 } },
      gates: {
        probe: async (url) => {
          asked.set(url, [...(asked.get(url) ?? []), secondsSinceStart()]);
          return PASS;
        },
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(asked.size).toBe(4);
    for (const times of asked.values()) {
      const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
      expect(Math.max(...gaps)).toBeLessThanOrEqual(45);
      // The end of a bake is one more, and so is the convergence of the next wave.
      expect(gaps.filter((gap) => gap < 45).length).toBeLessThanOrEqual(2 * 3);
      expect(times.at(-1)).toBe(run.seconds);
    }
    const converged = run.told.filter(({ kind }) => kind === 'wave-converged');
    const times = new Set([...asked.values()].flat().map((time) => START + time * 1000));
    for (const { at } of converged) expect(times).toContain(at);
  });

  test('one that fails each of its tries fails the wave', async () => {
    let tries = 0;
    const run = await runScenario({
      policy: { verify: PROBE, onFailure: 'roll-back' },
      gates: {
        probe: async () => {
          tries += 1;
          return FAIL;
        },
      },
    });

    expect(run.outcome).toMatchObject({
      outcome: 'Failed',
      reason: 'GateFailed',
      cleanup: 'rolledBack',
      message: expect.stringContaining('probe endpoint-01: 503'),
    });
    // Each of two looks.
    expect(tries).toBe(2 * 3);
    expect(run.rolled).toEqual(['endpoint-01']);
  });

  test.each([
    ['takes it back', PASS],
    ['does not answer', UNKNOWN],
  ])(
    'that says no keeps every roll back until it is asked again, and then %s',
    async (_, later) => {
      const script = {
        ...{ endpoints: 8, rollSeconds: 40 },
        policy: {
          verify: { ...ALARMS, alarms: ['errors'], everySeconds: 15 },
          ...{ waves: [{ endpoints: 1 }, { percent: 100 }], maxUnavailable: { endpoints: 1 } },
          ...{ bakeSeconds: 30, pollSeconds: 30, maxPollSeconds: 30 },
        },
      };
      const rollsOf = ({ calls }: Run) => calls.filter(isWrite).map((call) => call.at);
      // It says no at the very look after which the next endpoint would be rolled.
      const calm = await runScenario(script);
      const due = rollsOf(calm)[4] ?? 0;
      const noes: number[] = [];
      const run = await runScenario({
        ...script,
        gates: {
          alarm: async () => {
            const [at] = noes;
            if (at !== undefined) return scenarioNow() > at + 60_000 ? PASS : later;
            if (scenarioNow() < due) return PASS;
            noes.push(scenarioNow());
            return FAIL;
          },
        },
      });

      expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
      const [at = 0] = noes;
      expect(at).toBe(due);
      const rolls = rollsOf(run);
      expect(rolls.filter((roll) => roll >= at && roll < at + 30_000)).toEqual([]);
      expect(rolls.some((roll) => roll > at)).toBe(true);
    },
  );

  test('no data is not a pass: asked again until the deadline, then Errored, and nothing is touched', async () => {
    const run = await runScenario({
      policy: { verify: PROBE },
      gates: { probe: () => Promise.resolve(UNKNOWN) },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Errored', reason: 'GateUnknown' });
    expect(run.rolled).toEqual(['endpoint-01']);
    expect(run.stopped).toEqual([]);
  });

  test('one whose host is not allowed ends the rollout before anything is rolled', async () => {
    const hosts = ['*.example.com'];
    const run = await runScenario({
      endpoints: 5,
      policy: { verify: { ...PROBE, probe: { ...PROBE.probe, hosts } } },
      gates: { probe: () => Promise.resolve(PASS) },
    });

    expect(run.outcome).toEqual({
      outcome: 'Refused',
      reason: 'GateUnanswerable',
      cleanup: 'none',
      message: expect.stringMatching(
        /^Nobody can answer a gate, so nothing is rolled: verify\.probe of endpoint-01, endpoint-02, endpoint-03 and 2 more: their hosts, such as \S+\.localhost, are not in/,
      ),
    });
    expect(run.rolled).toEqual([]);
  });
});

test.each([
  ['a check whose program is missing', { checks: [{ name: 'talk', command: ['/opt/talk'] }] }],
  ['an alarm that does not exist', { alarms: ['shop-5xx'] }],
])('%s ends the rollout before anything is rolled', async (_, verify) => {
  const unknown = { verdict: 'unknown', detail: 'no such alarm', mend: 'Create it.' } as const;
  const run = await runScenario({
    policy: { verify: { ...PROBE, probe: null, ...verify } },
    gates: { hasProgram: async () => false, alarm: async () => unknown },
  });
  expect(run.outcome).toMatchObject({ outcome: 'Refused', reason: 'GateUnanswerable' });
  expect(run.rolled).toEqual([]);
});

describe('a fleet that can be probed once the new version is live', () => {
  test.each([
    ['an endpoint with an empty URL', 3, { url: '' }],
    ['the only endpoint without a URL, failed', 1, { url: null, status: 'FAILED' }],
  ])('is rolled: %s', async (_, endpoints, said) => {
    const run = await runScenario({
      endpoints,
      policy: { verify: PROBE },
      gates: { probe: () => Promise.resolve(PASS) },
      faults: {
        onList: (read) =>
          read().map((one) =>
            one.name === `endpoint-0${endpoints}` && one.liveVersion === 1
              ? { ...one, ...said }
              : one,
          ),
      },
    });

    expect(run.outcome.outcome).toBe('Succeeded');
  });
});

describe('alarms', () => {
  testWithStops(
    'one that is raised fails the wave; with stop-old nothing is left to stop',
    async () => {
      let looks = 0;
      const run = await runScenario({
        policy: { verify: ALARMS, onFailure: 'stop-old' },
        // Before anything is rolled it is not raised.
        gates: { alarm: async (name) => (name === 'latency' && looks++ > 0 ? FAIL : PASS) },
      });

      expect(run.outcome).toMatchObject({
        outcome: 'Failed',
        failure: 'bad',
        reason: 'GateFailed',
        cleanup: 'none',
      });
      expect(run.outcome.message).toContain('alarm latency');
      expect(run.stopped).toEqual([]);
    },
  );

  test('without data yet, the wave bakes on until there is some', async () => {
    let asked = 0;
    const run = await runScenario({
      endpoints: 1,
      policy: { verify: ALARMS },
      gates: {
        alarm: async () => {
          asked += 1;
          return asked < 9 ? UNKNOWN : PASS;
        },
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
  });
});

describe('a metric', () => {
  const metrics = [metricRule({ dimensions: { Runtime: '{runtime}', Name: '{endpoint}' } })];
  const METRICS = { probe: null, alarms: [], metrics, approval: null };
  /** What is said of each endpoint, and everything that was asked. */
  const saying = (answerOf: (question: MetricQuestion) => GateAnswer | readonly number[]) => {
    const asked: MetricQuestion[] = [];
    const gates: Pick<GatePorts, 'metrics'> = {
      metrics: async (questions) =>
        questions.map((question) => {
          // Before anything is rolled it is tried with the values of a day.
          if (question.from >= START) asked.push(question);
          const answer = answerOf(question);
          return 'verdict' in answer ? answer : judgeMetric(question, [answer]);
        }),
    };
    return { asked, gates };
  };
  const timesOf = ({ from, to }: MetricQuestion) =>
    [from - START, to - START].map((ms) => ms / 1000);

  test('beyond its limit fails the wave, and the story says the value and the limit', async () => {
    const { asked, gates } = saying(({ endpoint }) => (endpoint === 'endpoint-03' ? [3, 9] : [1]));
    const policy = { verify: METRICS, onFailure: 'roll-back' } as const;
    const run = await runScenario({ endpoints: 12, policy, gates });

    expect(run.outcome).toMatchObject({
      outcome: 'Failed',
      reason: 'GateFailed',
      cleanup: 'rolledBack',
      message: expect.stringMatching(
        /^Wave 2 of 3: a gate says no: metric Errors of endpoint-03: 12 in [1-3] min from 2026-01-01 00:\d\dZ, above 5\./,
      ),
    });
    expect(run.rolled).toEqual(['endpoint-01', 'endpoint-02', 'endpoint-03']);
    expect(run.told.map(({ message }) => message).join('\n')).toContain(
      'metric Errors of endpoint-03: 12 in',
    );
    expect(new Set(asked.map(({ endpoint }) => endpoint))).toEqual(
      new Set(['endpoint-01', 'endpoint-02', 'endpoint-03']),
    );
    for (const { endpoint, rule } of asked) {
      expect(rule.dimensions).toEqual({ Runtime: 'shop', Name: endpoint });
    }
  });

  test('is looked at from the convergence of its wave on, in whole periods that are all in', async () => {
    const { asked, gates } = saying(() => [0]);
    const run = await runScenario({ endpoints: 4, policy: { verify: METRICS }, gates });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    const converged = run.told.filter(({ kind }) => kind === 'wave-converged');
    expect(new Set(asked.map(({ endpoint }) => endpoint)).size).toBe(4);
    for (const question of asked) {
      const [from = 0, to = 0] = timesOf(question);
      const since = converged.findLast(({ at }) => at <= question.from)?.at ?? 0;
      expect(from - (since - START) / 1000).toBeLessThan(60);
      expect([from % 60, to % 60]).toEqual([0, 0]);
      // The last 120 s may not be in.
      expect(to - from).toBeGreaterThanOrEqual(60);
      expect(to).toBeLessThanOrEqual(run.seconds - 120);
    }
  });

  test('whose first period ends after the bake is waited for', async () => {
    const { asked, gates } = saying(() => [0]);
    const policy = { verify: METRICS, bakeSeconds: 0, waves: [{ percent: 100 }] };
    const run = await runScenario({ endpoints: 1, policy, gates });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(asked.map(timesOf).map(([from = 0, to = 0]) => to - from)).toEqual([60]);
    expect(run.seconds).toBeGreaterThan(180);
    expect(run.seconds).toBeLessThan(20 + 240 + 60);
  });

  test('without data is no pass: asked again until the deadline, then Errored, and nothing is touched', async () => {
    const { asked, gates } = saying(() => []);
    const run = await runScenario({ policy: { verify: METRICS }, gates });

    expect(run.outcome).toMatchObject({
      outcome: 'Errored',
      reason: 'GateUnknown',
      message: expect.stringContaining('metric Errors of endpoint-01: no data in'),
    });
    expect(asked.length).toBeGreaterThan(10);
    expect(run.rolled).toEqual(['endpoint-01']);
    expect(run.stopped).toEqual([]);
  });

  test('that is throttled for a while holds the rollout up, and does not fail it', async () => {
    let throttled = 0;
    const { gates } = saying(() => {
      throttled += 1;
      return throttled > 20 ? [0] : { verdict: 'unknown', detail: 'ThrottlingException' };
    });
    const run = await runScenario({ endpoints: 1, policy: { verify: METRICS }, gates });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(throttled).toBe(21);
  });

  test('that gets worse while the wave waits for an approval fails it', async () => {
    const approval = { timeoutSeconds: 7_200, onTimeout: 'approve' } as const;
    const { gates } = saying(() => (secondsSinceStart() > 2_000 ? [6] : [5]));
    const run = await runScenario({
      endpoints: 2,
      policy: { verify: { ...METRICS, approval } },
      gates,
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', reason: 'GateFailed' });
    expect(run.rolled).toEqual(['endpoint-01']);
  });
});

describe('a wave in its bake', () => {
  const HOURS_12 = 43_200;
  const sentBackAt = ({ calls }: Run) =>
    calls.filter(isWrite).find(({ version }) => version === 1)?.at ?? Number.NaN;

  test('is sent back within 90 s of the first no, however long it bakes, and 12 hours are 2,500 transitions', async () => {
    const bake = { waves: [{ percent: 100 }], bakeSeconds: HOURS_12 };
    const policy = { ...bake, verify: ALARMS, onFailure: 'roll-back' } as const;
    const badFrom = 30_007;
    const bad = await runScenario({
      endpoints: 2,
      policy,
      gates: { alarm: async () => (secondsSinceStart() < badFrom ? PASS : FAIL) },
    });
    const good = await runScenario({ endpoints: 2, policy });

    expect(bad.outcome).toMatchObject({ reason: 'GateFailed', failure: 'bad' });
    const seconds = (sentBackAt(bad) - START) / 1000 - badFrom;
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(90);
    expect(good.outcome.outcome).toBe('Succeeded');
    expect(good.seconds).toBeGreaterThan(HOURS_12);
    expect(good.states.length).toBeLessThanOrEqual(2_500);
  });

  test.each([
    ['in the bake', 200, 0],
    ['in the bake, and then nothing for a while', 200, 120],
    ['at its end', 270, 0],
  ])('goes on after one no that the next answer takes back: %s', async (_, from, silent) => {
    const asked: number[] = [];
    let red = Number.POSITIVE_INFINITY;
    const run = await runScenario({
      endpoints: 1,
      policy: { verify: ALARMS, onFailure: 'roll-back' },
      gates: {
        alarm: async () => {
          const now = secondsSinceStart();
          asked.push(now);
          if (now < from) return PASS;
          red = Math.min(red, now);
          if (now === red) return FAIL;
          return now < red + silent ? UNKNOWN : PASS;
        },
      },
    });

    expect(red).toBeLessThan(400);
    expect(asked.find((time) => time > red)).toBe(red + 5);
    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(run.rolledBack).toEqual([]);
  });

  test('does not end because its gates are silent for longer than the deadline, unless they still are after it', async () => {
    const policy = { bakeSeconds: 1_800, verify: ALARMS, waves: [{ percent: 100 }] };
    const run = await runScenario({
      endpoints: 1,
      policy,
      gates: { alarm: async () => (secondsSinceStart() < 1_700 ? UNKNOWN : PASS) },
    });
    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });

    const mute = await runScenario({ endpoints: 1, policy, gates: { alarm: async () => UNKNOWN } });
    expect(mute.outcome).toMatchObject({ outcome: 'Errored', reason: 'GateUnknown' });
    expect(mute.seconds).toBeGreaterThan(1_800 + 600);
    expect(mute.rolledBack).toEqual([]);
  });

  test.each([
    [0, 'Failed'],
    [240, 'Succeeded'],
  ])(
    'with a warm-up of %i s, noes of its first 230 s end it as %s',
    async (warmUpSeconds, outcome) => {
      // It takes 30 s to converge.
      const isRed = () => secondsSinceStart() > 0 && secondsSinceStart() < 30 + 230;
      const run = await runScenario({
        endpoints: 1,
        policy: { verify: { ...ALARMS, warmUpSeconds } },
        gates: { alarm: async () => (isRed() ? FAIL : PASS) },
      });

      expect(run.outcome.outcome).toBe(outcome);
    },
  );

  test('with a warm-up, a no counts once that is over', async () => {
    const run = await runScenario({
      endpoints: 1,
      policy: { verify: { ...ALARMS, warmUpSeconds: 240 }, onFailure: 'roll-back' },
      gates: { alarm: async () => (secondsSinceStart() > 0 ? FAIL : PASS) },
    });

    expect(run.outcome).toMatchObject({ reason: 'GateFailed', cleanup: 'rolledBack' });
    expect(sentBackAt(run)).toBeGreaterThan(START + 240_000);
    expect(sentBackAt(run)).toBeLessThan(START + 360_000);
  });

  test('is asked about as a whole at its convergence and at its end, and 64 endpoints in turn between', async () => {
    const looks = new Map<number, string[]>();
    const run = await runScenario({
      endpoints: 200,
      policy: {
        ...{ waves: [{ percent: 100 }], maxUnavailable: { percent: 100 }, bakeSeconds: 600 },
        verify: PROBE,
      },
      gates: {
        probe: async (url) => {
          looks.set(scenarioNow(), [...(looks.get(scenarioNow()) ?? []), url]);
          return PASS;
        },
      },
    });

    expect(run.outcome.outcome).toBe('Succeeded');
    const converged = run.told.find(({ kind }) => kind === 'wave-converged')?.at ?? 0;
    const [first, ...between] = [...looks].flatMap(([at, urls]) => (at < converged ? [] : [urls]));
    const last = between.pop();
    expect([new Set(first).size, new Set(last).size]).toEqual([200, 200]);
    for (const urls of between) expect(urls).toHaveLength(64);
    expect(between.length).toBeGreaterThanOrEqual(9);
    expect(new Set(between.slice(0, 4).flat()).size).toBe(200);
  });

  test('goes back with the endpoint first that a probe accuses', async () => {
    let bad: string | undefined;
    const run = await runScenario({
      endpoints: 12,
      policy: { verify: PROBE, onFailure: 'roll-back' },
      gates: {
        probe: async (url) => (url.includes(bad ?? 'nobody') ? FAIL : PASS),
      },
      beside: async (stage) => {
        await stage.until(800);
        bad = stage.idOf('endpoint-09');
      },
    });

    expect(run.outcome).toMatchObject({ reason: 'GateFailed', cleanup: 'rolledBack' });
    expect(run.rolledBack).toHaveLength(12);
    expect(run.rolledBack[0]).toBe('endpoint-09');
  });
});

describe('a list of more than ten pages', () => {
  const HOURS_3 = 10_800;
  const LARGE = {
    endpoints: 1_001,
    policy: {
      ...{ waves: [{ percent: 100 }], maxUnavailable: { percent: 100 }, bakeSeconds: HOURS_3 },
      ...{ verify: ALARMS, onFailure: 'roll-back' as const },
    },
  };

  test('is read a hundred times in a bake, and before a no counts, while alarms are read every minute', async () => {
    const asked: number[] = [];
    const red = 5_003;
    const run = await runScenario({
      ...LARGE,
      gates: {
        alarm: async () => {
          asked.push(scenarioNow());
          return secondsSinceStart() < red ? PASS : FAIL;
        },
      },
    });

    expect(run.outcome).toMatchObject({ reason: 'GateFailed', failure: 'bad' });
    const converged = run.told.find(({ kind }) => kind === 'wave-converged')?.at ?? Number.NaN;
    const failing = run.told.find(({ kind }) => kind === 'failing')?.at ?? Number.NaN;
    expect(failing).toBeLessThanOrEqual(START + (red + 90) * 1000);
    const reads = run.calls.flatMap(({ operation, at }) =>
      operation === 'list' && at > converged && at <= failing ? [at] : [],
    );
    // Writes read it, too, as soon as it has failed.
    expect(new Set(reads).size).toBeLessThanOrEqual(50);
    expect(reads.at(-1)).toBe(failing);
    const looks = new Set(asked.filter((at) => at > converged && at <= failing));
    expect(looks.size).toBeGreaterThanOrEqual(80);
  });
});

describe('a wave that still rolls', () => {
  const ONE_IS_SLOW = {
    endpoints: 4,
    broken: [{ endpoint: 'endpoint-04', kind: 'slow', rollSeconds: 500 }],
    policy: {
      ...{ waves: [{ percent: 100 }], maxUnavailable: { percent: 100 } },
      ...{ verify: PROBE, onFailure: 'roll-back' as const },
    },
  };

  test('goes back within 90 s of the first no about an endpoint that is live', async () => {
    let bad: string | undefined;
    const run = await runScenario({
      ...ONE_IS_SLOW,
      gates: { probe: async (url) => (url.includes(bad ?? 'nobody') ? FAIL : PASS) },
      beside: async (stage) => {
        await stage.until(150);
        bad = stage.idOf('endpoint-02');
      },
    });

    expect(run.outcome).toMatchObject({ reason: 'GateFailed', cleanup: 'rolledBack' });
    const back = run.calls.filter(isWrite).filter(({ version }) => version === 1);
    expect(Math.max(...back.map(({ at }) => at))).toBeLessThanOrEqual(START + 240_000);
    expect(new Set(run.rolledBack).size).toBe(4);
  });

  test('is not asked about before its warm-up, which begins when all of it has converged', async () => {
    const asked: number[] = [];
    const run = await runScenario({
      ...ONE_IS_SLOW,
      policy: { ...ONE_IS_SLOW.policy, verify: { ...PROBE, warmUpSeconds: 60 } },
      gates: {
        probe: async () => {
          asked.push(scenarioNow());
          return PASS;
        },
      },
    });

    expect(run.outcome.outcome).toBe('Succeeded');
    const converged = run.told.find(({ kind }) => kind === 'wave-converged');
    expect(Math.min(...asked)).toBe(converged?.at);
  });

  test('has no metric read about it, because its rolls are in the numbers', async () => {
    const asked: number[] = [];
    const rule = metricRule({ dimensions: { Name: '{endpoint}' } });
    const run = await runScenario({
      ...ONE_IS_SLOW,
      policy: { ...ONE_IS_SLOW.policy, verify: { ...PROBE, metrics: [rule] } },
      gates: {
        probe: async () => PASS,
        metrics: async (questions) => {
          asked.push(...questions.map(({ from }) => from).filter((from) => from >= START));
          return questions.map(() => PASS);
        },
      },
    });

    expect(run.outcome.outcome).toBe('Succeeded');
    const converged = run.told.find(({ kind }) => kind === 'wave-converged');
    expect(Math.min(...asked)).toBeGreaterThanOrEqual(converged?.at ?? Number.NaN);
  });
});

describe('a wave that has baked', () => {
  test('stays under its gates while a later one rolls, and its no does not wait for that', async () => {
    let bad: string | undefined;
    const run = await runScenario({
      endpoints: 4,
      rollSeconds: 400,
      policy: {
        verify: PROBE,
        onFailure: 'roll-back',
        waves: [{ endpoints: 1 }, { percent: 100 }],
        maxUnavailable: { endpoints: 1 },
      },
      gates: { probe: async (url) => (url.includes(bad ?? 'nobody') ? FAIL : PASS) },
      beside: async (stage) => {
        await stage.until(900);
        bad = stage.idOf('endpoint-01');
      },
    });

    expect(run.outcome).toMatchObject({ reason: 'GateFailed', cleanup: 'rolledBack' });
    const failing = run.told.find(({ kind }) => kind === 'failing');
    expect(failing?.at).toBeGreaterThan(START + 900_000);
    expect(failing?.at).toBeLessThanOrEqual(START + 990_000);
    expect(run.rolled).toEqual(['endpoint-01', 'endpoint-02']);
    expect(new Set(run.rolledBack)).toEqual(new Set(['endpoint-01', 'endpoint-02']));
  });
});

describe('an approval', () => {
  const verify = (onTimeout: 'approve' | 'reject') => ({
    probe: null,
    alarms: [],
    metrics: [],
    approval: { timeoutSeconds: 7200, onTimeout },
  });

  test('lets the next wave start, and the last wave needs none', async () => {
    const run = await runScenario({
      endpoints: 2,
      policy: { verify: verify('reject') },
      beside: (stage) => say(stage, 'approve', 3600),
    });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(run.seconds).toBeGreaterThan(3600);
    expect(run.seconds).toBeLessThan(3600 + 2 * 360 + 400);
  });

  test('H06: one empty answer, long after the bake, is no regress', async () => {
    let isTold = false;
    const run = await runScenario({
      endpoints: 2,
      policy: { verify: verify('reject'), onFailure: 'roll-back' },
      faults: {
        onList: (read) => {
          if (isTold || secondsSinceStart() < 1500) return read();
          isTold = true;
          return [];
        },
      },
      beside: (stage) => say(stage, 'approve', 3600),
    });

    expect(isTold).toBe(true);
    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(run.rolledBack).toEqual([]);
  });

  describe.each([60, 600])('beside gates that are asked every %i s', (everySeconds) => {
    const policy = { verify: { ...verify('reject'), alarms: ['errors'], everySeconds } };
    const atOf = ({ told }: Run, kind: string, wave: number) =>
      Number(
        told.find((event) => event.kind === kind && 'wave' in event && event.wave === wave)?.at,
      );
    /** For how long the alarm was not asked, each time, until the second wave began. */
    const restsOf = (run: Run, from: number) => {
      const asked = run.gates.map(({ at }) => at);
      const rests = asked.filter((at) => at > from && at < atOf(run, 'wave-started', 2) - 61_000);
      return rests.slice(1).map((at, index) => (at - Number(rests[index])) / 1000);
    };
    const expectAskedEvery = (run: Run, from: number) => {
      expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
      const rests = restsOf(run, from);
      expect(rests.length).toBeGreaterThan(1);
      expect(Math.min(...rests)).toBeGreaterThanOrEqual(everySeconds);
      // The looks for an answer come rarer and rarer, up to once in 5 min.
      expect(Math.max(...rests)).toBeLessThan(everySeconds + 300);
      expect(run.gates.map(({ at }) => at)).toContain(atOf(run, 'wave-started', 2));
    };

    test('has them asked as often, and once more when a person has said yes', async () => {
      const run = await runScenario({
        ...{ endpoints: 2, policy, gates: { alarm: async () => PASS } },
        beside: (stage) => say(stage, 'approve', 3000),
      });

      expectAskedEvery(run, atOf(run, 'approval-wanted', 1));
    });

    test('has them asked as often in a pause, and once more when it is over', async () => {
      const hold = { id: 'pause', scope: {} };
      const run = await runScenario({
        ...{ endpoints: 2, gates: { alarm: async () => PASS } },
        policy: { verify: { ...policy.verify, approval: null } },
        beside: async ({ ledger, until }) => {
          await until(100);
          const at = scenarioNow();
          const said = { by: 'ada', reason: 'an incident', at, until: at + 86_400_000 };
          await ledger.addHold({ ...hold, ...said, kind: 'pause' }, at);
          await until(3000);
          await ledger.liftHold(hold, { by: 'ada', reason: 'over', at: scenarioNow() });
        },
      });

      expectAskedEvery(run, START + 500_000);
    });

    test.each([
      ['while nobody has answered', 1000, false],
      ['just when a person says yes', 1999, true],
    ])('has their no confirmed at the next look %s', async (_when, from, isAnswered) => {
      const run = await runScenario({
        ...{ endpoints: 2, policy },
        gates: { alarm: async () => (secondsSinceStart() < from ? PASS : FAIL) },
        beside: async (stage) => isAnswered && say(stage, 'approve', 2000),
      });

      expect(run.outcome).toMatchObject({ outcome: 'Failed', reason: 'GateFailed' });
      expect(run.rolled).toHaveLength(1);
      const [first, second, ...more] = run.gates.filter(({ verdict }) => verdict === 'fail');
      expect(more).toEqual([]);
      expect(Number(second?.at) - Number(first?.at)).toBe(5_000);
    });
  });

  test('an alarm without an answer, long after the bake, is asked again', async () => {
    const run = await runScenario({
      endpoints: 2,
      policy: { verify: { ...verify('reject'), alarms: ['errors'] } },
      gates: {
        alarm: async () =>
          secondsSinceStart() > 1500 && secondsSinceStart() < 1650 ? UNKNOWN : PASS,
      },
      beside: (stage) => say(stage, 'approve', 3600),
    });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
  });

  test('has its whole time from when it is asked for, however long a gate was silent before', async () => {
    const approval = { timeoutSeconds: 60, onTimeout: 'reject' } as const;
    const run = await runScenario({
      endpoints: 2,
      policy: { verify: { probe: null, alarms: ['errors'], metrics: [], approval } },
      gates: { alarm: async () => (secondsSinceStart() < 700 ? UNKNOWN : PASS) },
      beside: (stage) => say(stage, 'approve', 750),
    });

    expect(run.told.map(({ kind }) => kind)).toContain('approval-wanted');
    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
  });

  test('X04: has its whole time from when it is asked for, even if the look that would ask dies again and again', async () => {
    const approval = { timeoutSeconds: 4, onTimeout: 'approve' } as const;
    let deaths = 0;
    const run = await runScenario({
      endpoints: 2,
      policy: { bakeSeconds: 30, verify: { probe: null, alarms: [], metrics: [], approval } },
      ledger: (ledger) => ({
        ...ledger,
        async recordEvent(lease, event) {
          if (event.kind === 'approval-wanted' && deaths < 3) {
            deaths += 1;
            throw new SteprollError(ErrorName.LedgerUnavailable, 'not now');
          }
          await ledger.recordEvent(lease, event);
        },
      }),
    });

    const atOf = (kind: string, wave: number) =>
      run.told.find((event) => event.kind === kind && 'wave' in event && event.wave === wave)?.at;
    expect(deaths).toBe(3);
    expect(Number(atOf('wave-started', 2)) - Number(atOf('approval-wanted', 1))).toBe(4_000);
  });

  test('that is refused ends the rollout as the policy says', async () => {
    const run = await runScenario({
      policy: { verify: verify('approve'), onFailure: 'roll-back' },
      beside: (stage) => say(stage, 'reject', 1000),
    });

    expect(run.outcome).toMatchObject({
      outcome: 'Failed',
      reason: 'Rejected',
      cleanup: 'rolledBack',
      message: expect.stringContaining('rejected by ada: looks odd'),
    });
  });

  test('of two people is none of one of them, however often', async () => {
    const approval = { timeoutSeconds: 7200, onTimeout: 'reject', count: 2 } as const;
    const run = await runScenario({
      endpoints: 2,
      policy: { verify: { ...verify('reject'), approval } },
      async beside(stage) {
        await say(stage, 'approve', 1000);
        await say(stage, 'approve', 1100);
        await say(stage, 'approve', 2000, 'bob');
      },
    });

    expect(run.outcome.outcome).toBe('Succeeded');
    const begun = run.told.find((event) => event.kind === 'wave-started' && event.wave === 2);
    const said = run.record?.signals.at(-1);
    expect([said?.by, Number(begun?.at) >= Number(said?.at)]).toEqual(['bob', true]);
  });

  test('X09: that comes between the last read of a look and its decision is followed', async () => {
    let isFirst = true;
    const run = await runScenario({
      endpoints: 2,
      policy: { verify: verify('approve') },
      ledger: (ledger, stage) => ({
        ...ledger,
        async stopAsking(lease) {
          if (isFirst) await say(stage, 'reject', 0);
          isFirst = false;
          return ledger.stopAsking(lease);
        },
      }),
    });

    expect(isFirst).toBe(false);
    expect(run.outcome.reason).toBe('Rejected');
  });

  test.each([
    ['approve', { outcome: 'Succeeded' }],
    ['reject', { outcome: 'Failed', reason: 'ApprovalTimedOut' }],
  ] as const)('that nobody gives counts as %s', async (onTimeout, outcome) => {
    const run = await runScenario({ endpoints: 2, policy: { verify: verify(onTimeout) } });

    expect(run.outcome).toMatchObject(outcome);
    expect(looksOf(run)).toBeLessThan(120);
  });
});

function say(stage: Stage, kind: 'approve' | 'reject', seconds: number, by = 'ada'): Promise<void> {
  return stage.until(seconds).then(() =>
    stage.ledger.signal('rollout-1', {
      kind,
      at: scenarioNow(),
      wave: 0,
      by,
      reason: 'looks odd',
    }),
  );
}

function looksOf({ states }: Run): number {
  return states.filter((state) => state === 'Look').length;
}

/** What a list shows of the first endpoint. */
type Sight = 'well' | 'gone' | 'crashed';

test.each<[string, readonly Sight[], number]>([
  ['one read without an endpoint', ['gone'], 0],
  ['one read without an endpoint in a list that takes 12 s', ['gone'], 12_000],
  ['one read without it, and one that shows it crashed', ['gone', 'well', 'crashed'], 0],
])(
  'H02: %s is no regress, even if a gate was silent up to the deadline',
  async (_, sights, latencyMs) => {
    let askedAt = Number.POSITIVE_INFINITY;
    const left = [...sights];
    const run = await runScenario({
      endpoints: 3,
      rollSeconds: 5,
      policy: {
        waves: [{ percent: 100 }],
        bakeSeconds: 30,
        progressDeadlineSeconds: 90,
        onFailure: 'roll-back',
        verify: ALARMS,
      },
      gates: {
        alarm: async () => {
          askedAt = Math.min(askedAt, secondsSinceStart());
          return UNKNOWN;
        },
      },
      faults: {
        onList: (read) => {
          const [first, ...others] = read();
          const sight = secondsSinceStart() < askedAt + 90 ? undefined : left.shift();
          if (first === undefined || sight === 'gone') return others;
          return [sight === 'crashed' ? { ...first, status: 'ERROR' } : first, ...others];
        },
      },
      latencyMs,
    });

    expect(left).toEqual([]);
    expect(run.outcome).toMatchObject({ outcome: 'Errored', reason: 'GateUnknown' });
    expect(run.rolledBack).toEqual([]);
  },
);
