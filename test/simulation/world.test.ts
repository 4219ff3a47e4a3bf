import { describe, expect, test } from '@jest/globals';
import type { TrueEndpoint } from '../../lib/simulation/endpoint.ts';
import { toRow } from '../../lib/simulation/routes.ts';
import { parseScenario } from '../../lib/simulation/scenario.ts';
import { createWorld } from '../../lib/simulation/world.ts';

const START = Date.parse('2026-01-01T00:00:00Z');

/** One runtime `shop` with `web-01`: 2 replicas on version 1, 4 seconds a roll. */
function rehearse(...faults: object[]) {
  const scenario = parseScenario({
    runtimes: [{ id: 'shop', replicas: 2, rollSeconds: 4, endpoints: [{ name: 'web-01' }] }],
    faults: faults.map((fault) => ({ endpoint: 'web-01', ...fault })),
  });
  let now = START;
  const world = createWorld(scenario, () => now);
  const id = world.read('shop')[0]?.id ?? '';
  return {
    world,
    id,
    at: (seconds: number) => {
      now = START + seconds * 1_000;
    },
    roll: (version: number) => world.roll('shop', id, version),
    brief: () => world.read('shop').map(brief),
  };
}

function brief({ targetVersion, liveVersion, replicas, status }: TrueEndpoint): string {
  return `${liveVersion}>${targetVersion} x${replicas} ${status}`;
}

test('a row carries exactly the names of the wire', () => {
  const { world, id } = rehearse();
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(world.read('shop').map((endpoint) => toRow(endpoint, 'shop'))).toEqual([
    {
      id,
      agentRuntimeId: 'shop',
      name: 'web-01',
      version: 1,
      targetVersion: 1,
      liveVersion: 1,
      currentReplicaCount: 2,
      url: `http://${id}.localhost`,
      status: 'ACTIVE',
      displayStatus: 'Active',
      createdAt: '2026-01-01T00:00:00.000Z',
      updatedAt: '2026-01-01T00:00:00.000Z',
    },
  ]);
});

test('ids are the same in every run, and differ between runtimes', () => {
  const runtimes = [
    { id: 'a', endpoints: 2 },
    { id: 'b', endpoints: 2 },
  ];
  const ids = () => {
    const world = createWorld(parseScenario({ runtimes }), () => START);
    return [...world.read('a'), ...world.read('b')].map(({ id }) => id);
  };
  expect(ids()).toEqual(ids());
  expect(new Set(ids()).size).toBe(4);
});

describe('a roll', () => {
  test('moves the target at once, the replicas one by one, and what is live last', () => {
    const { at, roll, brief: rows } = rehearse();
    const seen = [brief(roll(3))];
    for (const seconds of [0.9, 1, 2, 3, 3.999, 4]) {
      at(seconds);
      seen.push(...rows());
    }
    expect(seen).toEqual([
      '1>3 x1 WAITING_ROLLOUT',
      '1>3 x1 WAITING_ROLLOUT',
      '1>3 x2 WAITING_ROLLOUT',
      '1>3 x1 WAITING_ROLLOUT',
      '1>3 x2 WAITING_ROLLOUT',
      '1>3 x2 WAITING_ROLLOUT',
      '3>3 x2 ACTIVE',
    ]);
  });

  test('to the version it has changes nothing', () => {
    const { world, at, roll } = rehearse();
    const before = world.read('shop');
    at(10);
    expect([roll(1)]).toEqual(before);
    roll(2);
    at(12);
    expect(roll(2)).toMatchObject({ changedAt: START + 10_000 });
    at(14);
    expect(world.read('shop')[0]).toMatchObject({ liveVersion: 2 });
  });

  test('in mid-roll retargets and starts over', () => {
    const { at, roll, brief: rows } = rehearse();
    roll(2);
    at(3);
    expect(brief(roll(3))).toBe('1>3 x1 WAITING_ROLLOUT');
    at(6.9);
    expect(rows()).toEqual(['1>3 x2 WAITING_ROLLOUT']);
    at(7);
    expect(rows()).toEqual(['3>3 x2 ACTIVE']);
  });

  test('changes at the time of the write, then at the time it came live', () => {
    const { world, at, roll } = rehearse();
    at(1);
    expect(roll(2).changedAt).toBe(START + 1_000);
    at(60);
    expect(world.read('shop')[0]?.changedAt).toBe(START + 5_000);
  });

  test('starts from what is live by then', () => {
    const { at, roll, brief: rows } = rehearse();
    roll(2);
    at(4);
    roll(3);
    expect(rows()).toEqual(['2>3 x1 WAITING_ROLLOUT']);
  });
});

describe('create', () => {
  test('starts from nothing and goes to the end of the list', () => {
    const { world, at, brief: rows } = rehearse();
    const created = world.create('shop', { name: 'web-00', version: 5 });
    expect(created).toMatchObject({ name: 'web-00', targetVersion: 5, liveVersion: 0 });
    expect(rows()).toEqual(['1>1 x2 ACTIVE', '0>5 x0 WAITING_ROLLOUT']);
    at(2);
    expect(rows()[1]).toBe('0>5 x1 WAITING_ROLLOUT');
    at(4);
    expect(rows()[1]).toBe('5>5 x2 ACTIVE');
  });

  test('a clock that goes back does no harm', () => {
    const { world, at, brief: rows } = rehearse();
    world.create('shop', { name: 'web-00' });
    at(-60);
    expect(rows()[1]).toBe('0>1 x0 WAITING_ROLLOUT');
  });

  test('without a version takes the newest that the runtime was asked for', () => {
    const { world, roll } = rehearse();
    expect(world.create('shop', { name: 'a' })).toMatchObject({ targetVersion: 1 });
    roll(7);
    roll(2);
    expect(world.create('shop', { name: 'b' })).toMatchObject({ targetVersion: 7 });
  });

  test('without a version never takes one that is older than an endpoint has', () => {
    const endpoints = [{ name: 'ahead', version: 9 }];
    const world = createWorld(
      parseScenario({ runtimes: [{ id: 'shop', endpoints }] }),
      () => START,
    );
    expect(world.create('shop', { name: 'a' })).toMatchObject({ targetVersion: 9 });
  });

  test('refuses a name that is taken', () => {
    const { world } = rehearse();
    expect(() => world.create('shop', { name: 'web-01' })).toThrow(
      expect.objectContaining({ httpStatus: 409 }),
    );
  });
});

describe('stop', () => {
  test('freezes the endpoint with 0 replicas, and once more changes nothing', () => {
    const { world, id, at, roll } = rehearse();
    roll(2);
    at(1);
    world.stop('shop', id);
    at(9);
    const stopped = world.read('shop');
    expect(stopped.map(brief)).toEqual(['1>2 x0 STOPPED']);
    expect(stopped[0]?.changedAt).toBe(START + 1_000);
    world.stop('shop', id);
    expect(world.read('shop')).toEqual(stopped);
  });

  test('a stopped endpoint cannot be rolled', () => {
    const { world, id, roll } = rehearse();
    world.stop('shop', id);
    expect(() => roll(2)).toThrow(expect.objectContaining({ httpStatus: 409 }));
  });
});

test('what does not exist is refused with 404', () => {
  const { world, id } = rehearse();
  const missing = expect.objectContaining({ httpStatus: 404 });
  expect(() => world.read('nope')).toThrow(missing);
  expect(() => world.create('nope', { name: 'a' })).toThrow(missing);
  expect(() => world.roll('nope', id, 1)).toThrow(missing);
  expect(() => world.roll('shop', 'nope', 1)).toThrow(missing);
  expect(() => world.stop('shop', 'nope')).toThrow(missing);
});

describe('faults', () => {
  test('slow: takes its own seconds', () => {
    const { at, roll, brief: rows } = rehearse({ kind: 'slow', rollSeconds: 100 });
    roll(2);
    at(99);
    expect(rows()).toEqual(['1>2 x2 WAITING_ROLLOUT']);
    at(100);
    expect(rows()).toEqual(['2>2 x2 ACTIVE']);
  });

  test('stuck: halts with one replica down and never comes live', () => {
    const { at, roll, brief: rows } = rehearse({ kind: 'stuck', afterReplicas: 1 });
    roll(2);
    at(1.5);
    expect(rows()).toEqual(['1>2 x2 WAITING_ROLLOUT']);
    at(86_400);
    expect(rows()).toEqual(['1>2 x1 WAITING_ROLLOUT']);
  });

  test('stuck: after the last replica too', () => {
    const { at, roll, brief: rows } = rehearse({ kind: 'stuck', afterReplicas: 9 });
    roll(2);
    at(86_400);
    expect(rows()).toEqual(['1>2 x2 WAITING_ROLLOUT']);
  });

  test('fail: shows ERROR after its replicas and never comes live', () => {
    const { at, roll, brief: rows } = rehearse({ kind: 'fail', afterReplicas: 1 });
    roll(2);
    at(1.9);
    expect(rows()).toEqual(['1>2 x2 WAITING_ROLLOUT']);
    at(2);
    expect(rows()).toEqual(['1>2 x1 ERROR']);
    at(86_400);
    expect(rows()).toEqual(['1>2 x1 ERROR']);
  });

  test('H07: regress falls back to the version before, and the target stays', () => {
    const { at, roll, brief: rows } = rehearse({ kind: 'regress', afterSeconds: 3 });
    roll(2);
    at(6.9);
    expect(rows()).toEqual(['2>2 x2 ACTIVE']);
    at(7);
    expect(rows()).toEqual(['1>2 x2 ACTIVE']);
  });

  test('crash takes its replicas, and the version stays live', () => {
    const { at, roll, brief: rows } = rehearse({ kind: 'crash', afterSeconds: 3 });
    roll(2);
    at(6.9);
    expect(rows()).toEqual(['2>2 x2 ACTIVE']);
    at(7);
    expect(rows()).toEqual(['2>2 x0 ERROR']);
    roll(1);
    at(11);
    expect(rows()).toEqual(['1>1 x2 ACTIVE']);
  });

  test.each([
    [3, 'ACTIVE', '1>2 x1 WAITING_ROLLOUT'],
    [5, 'ERROR', '2>2 x2 ACTIVE'],
  ])(
    'take-back after %i s: the service itself goes back, and says %s',
    (afterSeconds, status, before) => {
      const { at, roll, brief: rows } = rehearse({ kind: 'take-back', afterSeconds, status });
      roll(2);
      at(afterSeconds - 0.1);
      expect(rows()).toEqual([before]);
      at(afterSeconds);
      expect(rows()).toEqual([`1>1 x2 ${status}`]);
    },
  );

  test('H19: vanish takes it off the list, and a namesake may follow', () => {
    const { world, id, at, roll, brief: rows } = rehearse({ kind: 'vanish', afterSeconds: 3 });
    world.create('shop', { name: 'web-02' });
    roll(2);
    at(2.9);
    expect(rows()).toHaveLength(2);
    at(3);
    expect(world.read('shop').map(({ name }) => name)).toEqual(['web-02']);
    expect(() => roll(3)).toThrow(expect.objectContaining({ httpStatus: 404 }));
    expect(world.create('shop', { name: 'web-01' }).id).toBe(id);
    expect(world.read('shop').map(({ name }) => name)).toEqual(['web-02', 'web-01']);
  });

  test('refuse: answers the status the first few times, and changes nothing', () => {
    const { roll, brief: rows } = rehearse({ kind: 'refuse', httpStatus: 503, times: 2 });
    const refused = expect.objectContaining({ httpStatus: 503, code: 'ServiceUnavailable' });
    expect(() => roll(2)).toThrow(refused);
    expect(() => roll(2)).toThrow(refused);
    expect(rows()).toEqual(['1>1 x2 ACTIVE']);
    expect(roll(2).targetVersion).toBe(2);
  });

  test('refuse: always, when it does not say how often', () => {
    const { roll } = rehearse({ kind: 'refuse', httpStatus: 400 });
    for (const _ of Array(20)) {
      expect(() => roll(2)).toThrow(expect.objectContaining({ httpStatus: 400 }));
    }
  });

  test('one that names a version leaves the roll back alone', () => {
    const { at, roll, brief: rows } = rehearse({ kind: 'fail', version: 2 });
    roll(2);
    at(10);
    expect(rows()).toEqual(['1>2 x1 ERROR']);
    roll(1);
    expect(rows()).toEqual(['1>1 x1 WAITING_ROLLOUT']);
    at(14);
    expect(rows()).toEqual(['1>1 x2 ACTIVE']);
  });

  test('one that names a runtime leaves namesakes in others alone', () => {
    const runtimes = [
      { id: 'a', endpoints: 1 },
      { id: 'b', endpoints: 1 },
    ];
    const faults = [{ runtime: 'b', endpoint: 'endpoint-01', kind: 'refuse', httpStatus: 500 }];
    const world = createWorld(parseScenario({ runtimes, faults }), () => START);
    const roll = (runtime: string) => world.roll(runtime, world.read(runtime)[0]?.id ?? '', 2);
    expect(roll('a').targetVersion).toBe(2);
    expect(() => roll('b')).toThrow(expect.objectContaining({ httpStatus: 500 }));
  });
});
