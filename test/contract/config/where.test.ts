import { describe, expect, test } from '@jest/globals';
import { parseConfig } from '../../../lib/contract/config/config.ts';
import { errorMessageOf } from '../../../lib/domain/errors.ts';

const wire = { endpoint: { attributes: { tier: 'serviceTier', region: 'region' } } };
const base = { endpointUrl: 'https://endpoints.example.com', wire };
const REST = { percent: 100 };

const runtimes = {
  a: { attributes: { cell: 'one' } },
  b: { attributes: { tier: 'internal' } },
};

function mistakesIn(config: object): string[] {
  try {
    parseConfig({ ...base, ...config });
    return [];
  } catch (error) {
    return errorMessageOf(error)
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
  }
}

const waves = (...said: readonly unknown[]) => ({
  policies: { default: { waves: [...said, REST] } },
});

describe('rings', () => {
  test('are possible in waves, in the selection and in what is protected', () => {
    const where = { tier: ['free', 'pro*'], region: 'eu' };
    const policy = {
      waves: [{ where: { tier: 'internal' } }, { where, percent: 10, bakeSeconds: 5 }, REST],
      selection: { where },
      protect: ['web-1', { where }],
    };
    const group = { waves: [{ where: { cell: 'one' }, endpoints: 1 }, REST] };
    const config = {
      policies: { default: policy },
      runtimes,
      groups: { all: { runtimes: ['*'], policy: group } },
    };
    expect(parseConfig({ ...base, ...config })).toMatchObject(config);
  });

  test('may begin again with a lower size, and a ring goes by itself', () => {
    const said = waves(
      { percent: 5 },
      { where: { tier: 'free' }, percent: 50 },
      { where: { tier: 'pro' }, percent: 20 },
      { where: { tier: 'pro' } },
      { where: { tier: 'free' } },
      { percent: 20 },
    );
    expect(mistakesIn(said)).toEqual([]);
  });

  test.each<[what: string, config: object, mistake: string]>([
    [
      'an attribute that the service does not send',
      waves({ where: { teir: 'internal' } }),
      'policies.default.waves[0].where: "teir" is not allowed; use an attribute of wire.endpoint.attributes: tier, region',
    ],
    [
      'one that nothing is mapped to',
      { wire: {}, ...waves({ where: { tier: 'internal' } }) },
      'policies.default.waves[0].where: "tier" is not allowed; map it to a field of the list first: wire.endpoint.attributes',
    ],
    [
      'one of a selection',
      {
        policies: { a: { selection: { where: { plan: 'x' } } } },
        runtimes: { a: { policy: 'a' } },
      },
      'policies.a.selection.where: "plan" is not allowed; use an attribute of wire.endpoint.attributes: tier, region',
    ],
    [
      'one that is protected',
      { policies: { default: { protect: ['web-1', { where: { plan: 'x' } }] } } },
      'policies.default.protect[1].where: "plan" is not allowed; use an attribute of wire.endpoint.attributes: tier, region',
    ],
    [
      'one at a service that sends none',
      {
        ...{ endpointUrl: undefined, wire: undefined },
        service: { kind: 'agentcore', region: 'eu-central-1' },
        ...waves({ where: { tier: 'x' } }),
      },
      'policies.default.waves[0].where: "tier" is not allowed; leave it out: this service sends no attributes',
    ],
    [
      'one that no runtime of the group has',
      {
        runtimes,
        groups: { g: { runtimes: ['a'], policy: { waves: [{ where: { tier: 'x' } }, REST] } } },
      },
      'groups.g.policy.waves[0].where: "tier" is not allowed; use an attribute of its runtimes: cell',
    ],
    [
      'one of a group whose runtimes have none',
      {
        runtimes: { a: {} },
        groups: { g: { runtimes: ['a'], policy: { waves: [{ where: { tier: 'x' } }, REST] } } },
      },
      'groups.g.policy.waves[0].where: "tier" is not allowed; give its runtimes attributes first: runtimes.ID.attributes',
    ],
    [
      'no attribute',
      waves({ where: {} }),
      'policies.default.waves[0].where: an object is not allowed; name an attribute: {"tier": "internal"}',
    ],
    [
      'no value',
      waves({ where: { tier: [] } }),
      'policies.default.waves[0].where.tier: an empty list is not allowed; use a list of at least 1',
    ],
    [
      'a value that is no text',
      waves({ where: { tier: 3 } }),
      'policies.default.waves[0].where.tier: 3 is not allowed; use a string or a list',
    ],
    [
      'a text instead of attributes',
      waves({ where: 'internal' }),
      'policies.default.waves[0].where: "internal" is not allowed; use an object',
    ],
    [
      'a ring and names',
      waves({ where: { tier: 'internal' }, names: ['web-1'] }),
      'policies.default.waves[0].where: an object is not allowed; leave it out beside names',
    ],
    [
      'more than the ring',
      waves({ where: { tier: 'internal' }, percent: 101 }),
      'policies.default.waves[0].percent: 101 is not allowed; use a number of at most 100',
    ],
    [
      'sizes of a ring that do not rise',
      waves(
        { where: { tier: ['free', 'pro'] }, percent: 20 },
        { where: { tier: ['free', 'pro'] }, percent: 10 },
      ),
      'policies.default.waves[1]: "10% of tier=free|pro" is not allowed; use more than in the wave before of this ring, sizes are cumulative',
    ],
    [
      'a ring after all of it',
      waves({ where: { tier: 'free' } }, { where: { tier: 'free' }, percent: 10 }),
      'policies.default.waves[1]: "10% of tier=free" is not allowed; use more than in the wave before of this ring, sizes are cumulative',
    ],
    [
      'a ring at the end',
      { policies: { default: { waves: [{ where: { tier: 'free' } }] } } },
      'policies.default.waves[0]: "100% of tier=free" is not allowed; end with 100%, or part of the fleet would stay behind',
    ],
    [
      'an attribute without a name',
      { wire: { endpoint: { attributes: { '': 'tier' } } } },
      'wire.endpoint.attributes[""]: "" is not allowed; use a name of 1 to 128 letters, digits, spaces, and _ . : / = + - @',
    ],
    [
      'a field without a name',
      { wire: { endpoint: { attributes: { tier: '' } } } },
      'wire.endpoint.attributes.tier: "" is not allowed; use at least 1 character',
    ],
    [
      'an attribute of a runtime that is no text',
      { runtimes: { a: { attributes: { tier: 1 } } } },
      'runtimes.a.attributes.tier: 1 is not allowed; use a string',
    ],
    [
      'something else in what is protected',
      { policies: { default: { protect: [{ where: { tier: 'x' }, names: ['web-1'] }] } } },
      'policies.default.protect[0].names: unknown key',
    ],
  ])('cannot have %s', (_, config, mistake) => {
    expect(mistakesIn(config)).toEqual([mistake]);
  });
});
