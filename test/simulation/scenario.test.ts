import { describe, expect, test } from '@jest/globals';
import { parseScenario } from '../../lib/simulation/scenario.ts';

const web = { id: 'shop', endpoints: [{ name: 'web-01' }] };

test('a number of endpoints spells out their names, padded so that they sort', () => {
  const names = (endpoints: number) =>
    parseScenario({ runtimes: [{ id: 'shop', endpoints }] }).runtimes[0]?.endpoints.map(
      ({ name }) => name,
    );
  expect(names(0)).toEqual([]);
  expect(names(2)).toEqual(['endpoint-01', 'endpoint-02']);
  expect(names(100)?.at(0)).toBe('endpoint-001');
  expect(names(100)?.at(-1)).toBe('endpoint-100');
});

test('an endpoint takes what it leaves out from its runtime, and the runtime from the defaults', () => {
  const own = { name: 'web-02', version: 4, replicas: 1, rollSeconds: 0.5 };
  const endpoints = [{ name: 'web-01' }, own];
  expect(parseScenario({ runtimes: [{ id: 'shop', version: 3, endpoints }] })).toEqual({
    runtimes: [
      {
        id: 'shop',
        version: 3,
        replicas: 3,
        rollSeconds: 2,
        endpoints: [{ name: 'web-01', version: 3, replicas: 3, rollSeconds: 2 }, own],
      },
    ],
    faults: [],
    abilities: { stops: true, repeatsRolls: false, highestVersion: null, movedByService: [] },
    maxPageSize: null,
  });
});

test('every kind of fault is read', () => {
  const faults = [
    { endpoint: 'web-01', kind: 'slow', rollSeconds: 9 },
    { endpoint: 'web-01', kind: 'stuck', afterReplicas: 2 },
    { endpoint: 'web-01', kind: 'fail', afterReplicas: 0, version: 3 },
    { endpoint: 'web-01', kind: 'refuse', httpStatus: 503, times: 2, runtime: 'shop' },
    { endpoint: 'web-01', kind: 'regress', afterSeconds: 1 },
    { endpoint: 'web-01', kind: 'take-back', afterSeconds: 1, status: 'ERROR', reason: 'no' },
    { endpoint: 'web-01', kind: 'vanish', afterSeconds: 1 },
  ];
  expect(parseScenario({ runtimes: [web], faults, maxPageSize: 5 })).toMatchObject({
    faults,
    maxPageSize: 5,
  });
});

describe('C04: mistakes are refused by name', () => {
  test.each<[string, unknown, string[]]>([
    [
      'every mistake at once, unknown keys too',
      {
        runtimes: [{ id: '', endpoints: [{ name: 'a', verison: 2 }], replcias: 1 }],
        faults: [{ endpoint: 'a', kind: 'stcuk' }],
        maxPageSize: 0,
      },
      [
        'runtimes[0].id: "" is not allowed; use at least 1 character',
        'runtimes[0].endpoints[0].verison: unknown key (did you mean version?)',
        'runtimes[0].replcias: unknown key (did you mean replicas?)',
        'faults[0].kind: "stcuk" is not allowed; use one of "slow", "stuck", "fail", "refuse", "busy", "regress", "crash", "unhealthy", "take-back", "vanish"',
        'maxPageSize: 0 is not allowed; use a number of at least 1',
      ],
    ],
    [
      'names that are taken or do not exist, beside other mistakes',
      {
        runtimes: [
          { id: 'shop', endpoints: [{ name: 'a' }, { name: 'b' }, { name: 'a' }] },
          { id: 'shop', endpoints: 1 },
        ],
        faults: [
          { runtime: 'shpo', endpoint: 'a', kind: 'stuck' },
          { endpoint: 'c', kind: 'stuck' },
          { runtime: 'shop', endpoint: 'd', kind: 'stuck' },
        ],
        maxPageSize: 0,
        extra: true,
      },
      [
        'maxPageSize: 0 is not allowed; use a number of at least 1',
        'extra: unknown key',
        'runtimes[1].id: "shop" is not allowed; another runtime has this id',
        'runtimes[0].endpoints[2].name: "a" is not allowed; another endpoint of the runtime has this name',
        'faults[0].runtime: "shpo" is not allowed; use the id of a runtime of the scenario',
        'faults[1].endpoint: "c" is not allowed; use the name of an endpoint of the scenario',
        'faults[2].endpoint: "d" is not allowed; use the name of an endpoint of that runtime',
      ],
    ],
    [
      'names beside values of the wrong kind, but no name of what cannot be read',
      {
        runtimes: [
          { id: 'shop', version: '1', endpoints: [{ name: 'a' }, { name: 7 }, { name: 'a' }] },
          { id: 'shop' },
          'shop',
        ],
        faults: [
          { runtime: 'shpo', endpoint: 'a', kind: 'stcuk' },
          { runtime: 'shop', endpoint: 'c', kind: 'stuck' },
          { endpoint: 'c', kind: 'slow' },
        ],
      },
      [
        'runtimes[0].version: "1" is not allowed; use a number',
        'runtimes[0].endpoints[1].name: 7 is not allowed; use a string',
        'runtimes[1].endpoints: missing; use a number or a list',
        'runtimes[2]: "shop" is not allowed; use an object',
        'faults[0].kind: "stcuk" is not allowed; use one of "slow", "stuck", "fail", "refuse", "busy", "regress", "crash", "unhealthy", "take-back", "vanish"',
        'faults[2].rollSeconds: missing; use a number',
        'runtimes[1].id: "shop" is not allowed; another runtime has this id',
        'runtimes[0].endpoints[2].name: "a" is not allowed; another endpoint of the runtime has this name',
      ],
    ],
    [
      'names beside values of the wrong kind',
      {
        runtimes: [{ id: 'shop', version: '1', endpoints: [{ name: 'a' }] }],
        faults: [
          { runtime: 'shpo', endpoint: 'a', kind: 'stcuk' },
          { runtime: 'shop', endpoint: 'c', kind: 'slow' },
        ],
      },
      [
        'runtimes[0].version: "1" is not allowed; use a number',
        'faults[0].kind: "stcuk" is not allowed; use one of "slow", "stuck", "fail", "refuse", "busy", "regress", "crash", "unhealthy", "take-back", "vanish"',
        'faults[1].rollSeconds: missing; use a number',
        'faults[0].runtime: "shpo" is not allowed; use the id of a runtime of the scenario',
        'faults[1].endpoint: "c" is not allowed; use the name of an endpoint of that runtime',
      ],
    ],
    ['nothing', null, ['null is not allowed; use an object']],
    [
      'no runtime',
      { runtimes: [] },
      ['runtimes: an empty list is not allowed; use a list of at least 1'],
    ],
    [
      'a name that no URL can carry',
      { runtimes: [{ id: 'a\ud800', endpoints: 1 }] },
      ['runtimes[0].id: "a\\ud800" is not allowed; use well-formed Unicode'],
    ],
    [
      'a fault without its number',
      { runtimes: [web], faults: [{ endpoint: 'web-01', kind: 'vanish' }] },
      ['faults[0].afterSeconds: missing; use a number'],
    ],
    [
      'a status that is not a refusal',
      { runtimes: [web], faults: [{ endpoint: 'web-01', kind: 'refuse', httpStatus: 200 }] },
      ['faults[0].httpStatus: 200 is not allowed; use a number of at least 400'],
    ],
  ])('%s', (_title, json, lines) => {
    let message = '';
    try {
      parseScenario(json);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message.split('\n').slice(1)).toEqual(lines.map((line) => `  ${line}`));
  });
});
