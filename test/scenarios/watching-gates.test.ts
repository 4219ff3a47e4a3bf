import { describe, expect } from '@jest/globals';
import { partialPolicySchema } from '../../lib/contract/config/policy.ts';
import type { AskedRollout } from '../../lib/domain/rollout/record.ts';
import type { GateAnswer } from '../../lib/gates/gate.ts';
import { listGates } from '../../lib/telling/story/gates.ts';
import { describeAnswers } from '../../lib/telling/words/policy.ts';
import { type Run, runScenario, type Script } from '../support/run-scenario.ts';
import { START, secondsSinceStart } from '../support/scenario-time.ts';
import { test } from '../support/test-on-services.ts';

// A gate with "enforce": false is asked as the others are, and decides nothing.

const RED: GateAnswer = { verdict: 'fail', detail: 'ALARM' };
const GREEN: GateAnswer = { verdict: 'pass', detail: 'OK' };
const UNKNOWN: GateAnswer = { verdict: 'unknown', detail: 'no data' };
const WATCHED = {
  probe: { path: '/', hosts: ['*.localhost'], enforce: false },
  alarms: ['enforced', { name: 'watched', enforce: false }],
  metrics: [{ namespace: 'Shop', metric: 'Errors', limit: { above: 5 }, enforce: false }],
};

function run(verify: object, gates: Script['gates'] = {}, script: Script = {}): Promise<Run> {
  const { verify: said } = partialPolicySchema.parse({ verify });
  const policy = { ...script.policy, ...(said && { verify: said }) };
  return runScenario({ endpoints: 1, ...script, policy, gates });
}

/** What the gates of a watched rollout say that would decide against it. */
const saying = (answer: GateAnswer): Script['gates'] => ({
  probe: async () => answer,
  alarm: async (name) => (name === 'watched' ? answer : GREEN),
  metrics: async (questions) => questions.map(() => answer),
});

const told = ({ record }: Run) =>
  listGates(record as AskedRollout).map(({ wave, kind, name, verdict, ...how }) => {
    const { isWatching = false, wouldHaveFailed = false } = how;
    return `${wave}: ${kind} ${name}: ${verdict} ${isWatching ? 'watches' : 'decides'}${wouldHaveFailed ? ', would have failed' : ''}`;
  });

/** What is told of noes of the watched alarm that would have counted: wave, and seconds since the start. */
const failures = ({ record }: Run) =>
  listGates(record as AskedRollout).flatMap(({ wave, at, wouldHaveFailed }) =>
    wouldHaveFailed ? [[wave, (at - START) / 1000]] : [],
  );

const ALARM = { alarms: [{ name: 'watched', enforce: false }] };
/** The watched alarm is red in these seconds. */
const redIn = (isRed: (seconds: number) => boolean): Script['gates'] => ({
  alarm: async () => (isRed(secondsSinceStart()) ? RED : GREEN),
});

describe('gates that only watch', () => {
  test('say no from the start to the end: the rollout succeeds, and it is told when it would have failed', async () => {
    const done = await run(WATCHED, saying(RED));

    expect(done.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(told(done)).toEqual([
      '1: alarm enforced: pass decides',
      '1: probe endpoint-01: fail watches, would have failed',
      '1: alarm watched: fail watches, would have failed',
      '1: metric Errors: fail watches, would have failed',
    ]);
    expect(describeAnswers(done.record as AskedRollout)).toContainEqual(
      expect.stringMatching(
        /^2026-01-01 (00:\d\d:\d\dZ) {2}Wave 1: alarm watched: would have failed at \1, ALARM$/,
      ),
    );
  });

  test.each([
    ['no', RED],
    ['nothing', UNKNOWN],
  ])('and say %s hold nothing up: it takes as long, with as many looks', async (_, answer) => {
    const script = { endpoints: 3 };
    const plain = await run(WATCHED, saying(GREEN), script);
    const watched = await run(WATCHED, saying(answer), script);

    expect(watched.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect([watched.seconds, watched.states]).toEqual([plain.seconds, plain.states]);
  });

  test('are told once in a rollout, with the time of the first no', async () => {
    const red = await run(
      ALARM,
      redIn((now) => now > 100),
      { endpoints: 3 },
    );

    expect(red.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(failures(red)).toEqual([[1, expect.any(Number)]]);
    const [[, at = 0] = []] = failures(red);
    expect(Number(at)).toBeGreaterThan(100);
    expect(Number(at)).toBeLessThanOrEqual(160);
    expect(told(red).at(-1)).toBe('2: alarm watched: fail watches');
  });

  test('one red look in a bake is told, and the rollout would not have failed', async () => {
    let looks = 0;
    const done = await run(ALARM, { alarm: async () => (++looks === 2 ? RED : GREEN) });

    expect(looks).toBeGreaterThan(3);
    expect(failures(done)).toEqual([]);
  });

  test('a no at the end of a bake would have failed it, because no second look comes', async () => {
    const done = await run(
      ALARM,
      redIn((now) => now > 325),
    );
    expect(failures(done)).toEqual([]);

    const last = await run(
      ALARM,
      redIn((now) => now > 320),
    );
    expect(failures(last)).toEqual([[1, 325]]);
  });

  test.each([
    [0, [[1, 25]]],
    [240, []],
  ])('with a warm-up of %i s, noes of its first 230 s make %j', async (warmUpSeconds, made) => {
    const done = await run(
      { ...ALARM, warmUpSeconds },
      redIn((now) => now < 255),
    );
    expect(failures(done)).toEqual(made);
  });

  test('are told of a rollout that has gone back, and accuse nobody', async () => {
    const verify = { ...ALARM, probe: { path: '/', hosts: ['*.localhost'] } };
    const done = await run(
      verify,
      { alarm: async () => RED, probe: async () => (secondsSinceStart() > 150 ? RED : GREEN) },
      { endpoints: 3, policy: { onFailure: 'roll-back' } },
    );

    expect(done.outcome).toMatchObject({ reason: 'GateFailed', cleanup: 'rolledBack' });
    expect(done.outcome.message).not.toContain('watched');
    expect(failures(done)).toEqual([[1, 25]]);
  });

  test('the outcome says whether each of them would have failed the rollout, and nothing of one that was silent', async () => {
    const gates = ['red', 'green', 'mute'].map((name) => ({ name, enforce: false }));
    const says = { red: RED, green: GREEN, mute: UNKNOWN } as const;
    const alarm = async (name: string) => says[name as keyof typeof says];
    const { outcome, record } = await run({ alarms: gates }, { alarm }, { endpoints: 3 });

    const watched = [
      { gate: 'alarm red', wouldHaveFailed: true },
      { gate: 'alarm green', wouldHaveFailed: false },
    ];
    expect(outcome).toMatchObject({ outcome: 'Succeeded', watched });
    expect(record?.outcome).toEqual(outcome);
  });

  test('that are asked of each endpoint are one gate', async () => {
    const dimensions = { Name: '{endpoint}' };
    const metric = { namespace: 'Shop', metric: 'Errors', limit: { above: 5 }, dimensions };
    const verify = { probe: WATCHED.probe, metrics: [{ ...metric, enforce: false }] };
    const script = { endpoints: 3, policy: { waves: [{ percent: 100 }] } };
    const { outcome } = await run(verify, saying(RED), script);

    expect(outcome).toMatchObject({
      watched: [
        { gate: 'probe', wouldHaveFailed: true },
        { gate: 'metric Errors', wouldHaveFailed: true },
      ],
    });
  });

  test('give no answer: nobody waits for one', async () => {
    const done = await run(WATCHED, saying(UNKNOWN));

    expect(done.outcome).toMatchObject({ outcome: 'Succeeded' });
    const lines = describeAnswers(done.record as AskedRollout);
    expect(lines).toContainEqual(
      expect.stringMatching(/alarm watched: no answer, no data \(only watches\)$/),
    );
  });

  test('cannot be answered at all: nothing is refused', async () => {
    const probe = { ...WATCHED.probe, hosts: ['*.example.com'] };
    const done = await run({ probe }, { probe: async () => UNKNOWN });

    expect(done.outcome).toMatchObject({ outcome: 'Succeeded' });
  });

  test('do not keep the enforced ones beside them from deciding', async () => {
    let looks = 0;
    const alarm = async (name: string) => (name === 'enforced' && looks++ > 0 ? RED : GREEN);
    const done = await run(WATCHED, { alarm });

    expect(done.outcome).toMatchObject({ outcome: 'Failed', reason: 'GateFailed' });
  });
});

test('"enforce": true is as if nothing was said', async () => {
  let looks = 0;
  const alarm = async () => (looks++ > 0 ? RED : GREEN);
  const done = await run({ alarms: [{ name: 'errors', enforce: true }] }, { alarm });

  expect(done.outcome).toMatchObject({ outcome: 'Failed', reason: 'GateFailed' });
});
