import { describe, expect, test } from '@jest/globals';
import type { GateAnswer } from '../../lib/gates/gate.ts';
import type { GatePorts } from '../../lib/gates/gates.ts';
import type { MetricQuestion } from '../../lib/gates/metric-rule.ts';
import type { GateFault } from '../../lib/rehearsal/faults.ts';
import { drawGateFault, faultyGates, firstNo, verdictAt } from '../../lib/rehearsal/gate-faults.ts';
import { createRandom } from '../../lib/rehearsal/random.ts';
import { createVirtualTime } from '../../lib/rehearsal/virtual-time.ts';

const PROBE: Parameters<GatePorts['probe']>[1] = {
  path: '/',
  status: 200,
  tries: 3,
  timeoutSeconds: 5,
  hosts: ['*.localhost'],
  privateNetwork: false,
};

function fault(said: Partial<GateFault>): GateFault {
  return { kind: 'red', endpoint: null, fromSecond: 100, seconds: 60, bySeconds: 0, ...said };
}

/** What a gate of web-1 says at these seconds: `+`, `-` or `?`. */
function course(one: GateFault, seconds: readonly number[], badSince: number | null = null) {
  return seconds
    .map((atSecond) => verdictAt([one], { endpoint: 'web-1', atSecond, badSince }))
    .map((verdict) => ({ pass: '+', fail: '-', unknown: '?' })[verdict])
    .join('');
}

describe('a gate says', () => {
  test('the truth before and after the while of a fault', () => {
    for (const kind of ['silent', 'red', 'flapping'] as const) {
      expect(course(fault({ kind, bySeconds: 10 }), [99, 160])).toBe('++');
      expect(course(fault({ kind, bySeconds: 10 }), [99, 160], 0)).toBe('--');
    }
  });

  test.each([
    ['nothing, when it is silent', fault({ kind: 'silent' }), '????'],
    ['no, when it is red', fault({ kind: 'red' }), '----'],
    [
      'the opposite in every second stretch, when it flaps',
      fault({ kind: 'flapping', bySeconds: 10 }),
      '--++',
    ],
    ['the truth, when it is slow', fault({ kind: 'slow', bySeconds: 9 }), '++++'],
    ['the truth, when another endpoint is meant', fault({ endpoint: 'web-2' }), '++++'],
    ['what is said of its endpoint', fault({ endpoint: 'web-1' }), '----'],
  ])('%s', (_, one, said) => {
    expect(course(one, [100, 109, 110, 119])).toBe(said);
  });

  test('yes in stretches about what is bad, when it flaps', () => {
    expect(course(fault({ kind: 'flapping', bySeconds: 10 }), [100, 110, 120, 130], 0)).toBe(
      '+-+-',
    );
  });

  test('no only after its time, when it is late', () => {
    const late = fault({ kind: 'late', bySeconds: 30 });
    expect(course(late, [110, 139, 140, 150], 110)).toBe('++--');
  });

  test('nothing of all endpoints because of a fault of one', () => {
    const asked = { endpoint: null, atSecond: 110, badSince: null };
    expect(verdictAt([fault({ endpoint: 'web-1' })], asked)).toBe('pass');
  });
});

test.each([
  [[], 120],
  [[fault({ kind: 'silent' })], 160],
  [[fault({ kind: 'silent', endpoint: 'web-2' })], 120],
  [[fault({ kind: 'flapping', bySeconds: 25 })], 125],
  [[fault({ kind: 'late', seconds: 900, bySeconds: 15 })], 135],
  [[fault({ kind: 'silent', seconds: 900 })], null],
])('with %j the first no about what is bad since second 120 is in second %s', (faults, second) => {
  expect(firstNo(faults, 'web-1', 120, 300)).toBe(second);
});

/** Asks a well gate at some seconds, and tells what it says and when it has answered. */
async function ask(faults: readonly GateFault[], seconds: readonly number[]) {
  const time = createVirtualTime(0);
  const well = async (): Promise<GateAnswer> => ({ verdict: 'pass', detail: '200' });
  const inner: GatePorts = {
    probe: well,
    alarm: well,
    check: well,
    prometheus: well,
    metrics: (questions) => Promise.all(questions.map(well)),
  };
  const gates = faultyGates(inner, faults, {
    time,
    nameOfUrl: () => 'web-1',
    badSince: () => null,
  });
  const told: { probe: string; alarm: string; metric: string; took: number }[] = [];
  await time.run(async () => {
    for (const second of seconds) {
      await time.sleep((second - time.seconds()) * 1000);
      const probe = await gates.probe('http://web-1.localhost', PROBE);
      const again = await gates.probe('http://web-1.localhost', PROBE);
      const took = (time.seconds() - second) / 2;
      const { verdict: alarm } = await gates.alarm('errors');
      const [metric] = await gates.metrics([{ endpoint: 'web-2' } as MetricQuestion]);
      expect(again.verdict).toBe(probe.verdict);
      told.push({ probe: probe.verdict, alarm, metric: metric?.verdict ?? '', took });
    }
  });
  return told;
}

const WELL = { probe: 'pass', alarm: 'pass', metric: 'pass', took: 0 };

test('a gate that is wrong once is wrong at its first look, and right from the next one on', async () => {
  const told = await ask([fault({ kind: 'wrong-once' })], [95, 110, 115, 120]);

  expect(told).toEqual([
    WELL,
    { ...WELL, probe: 'fail', alarm: 'fail', metric: 'fail' },
    WELL,
    WELL,
  ]);
});

test('a slow gate takes its time, and a probe that has none left says no', async () => {
  expect(await ask([fault({ kind: 'slow', bySeconds: 3 })], [100])).toEqual([{ ...WELL, took: 3 }]);
  expect(await ask([fault({ kind: 'slow', bySeconds: 8 })], [100])).toEqual([
    { ...WELL, probe: 'fail', took: 5 },
  ]);
});

test('a fault of one endpoint leaves the gates of others, and those of all, as they are', async () => {
  expect(await ask([fault({ endpoint: 'web-1' })], [100])).toEqual([{ ...WELL, probe: 'fail' }]);
});

test('every kind is drawn, of one endpoint and of all, and some are red before the start', () => {
  const endpoints = ['web-1', 'web-2'];
  const drawn = Array.from({ length: 300 }, (_, seed) =>
    drawGateFault({ horizonSeconds: 1000, endpoints }, createRandom(seed)),
  );

  expect(new Set(drawn.map(({ kind }) => kind)).size).toBe(6);
  expect(new Set(drawn.map(({ endpoint }) => endpoint))).toEqual(new Set([...endpoints, null]));
  const before = drawn.filter(({ kind, fromSecond }) => kind === 'red' && fromSecond === 0);
  expect(before.length).toBeGreaterThan(10);
  const stretches = drawn.filter(({ kind }) => kind === 'flapping').map((one) => one.bySeconds);
  expect(Math.min(...stretches)).toBeGreaterThan(0);
});
