import { describe, expect, test } from '@jest/globals';
import type * as z from 'zod';
import { openConfigSchema } from '../../../lib/contract/config/config.ts';
import {
  type Policies,
  policiesSchema,
  policyOfRuntime,
} from '../../../lib/contract/config/policies.ts';
import { retiredSchema } from '../../../lib/contract/config/retired.ts';
import { policiesIn, readPolicies } from '../../../lib/contract/functions/code-files.ts';
import { DEFAULT_WIRE } from '../../../lib/contract/service/wire.ts';
import { PRESETS } from '../../../lib/domain/rollout/default-policy.ts';
import { WHOLE_POLICY } from '../../support/whole-policy.ts';
import { mistakesIn } from '../mistakes-in.ts';

const schema: z.ZodType<Policies> = policiesSchema;
const SERVICE = {
  ...{ kind: 'rest' as const, endpointUrl: 'https://example.com' },
  ...{ auth: { kind: 'none' as const }, wire: DEFAULT_WIRE },
};

/** As a file has it: there `__proto__` is a key like any other. */
const parse = (json: string): Policies => schema.parse(JSON.parse(json));

describe('the policy of a runtime', () => {
  const config: Policies = {
    policies: {
      default: { bakeSeconds: 60, minServing: 2 },
      shop: { bakeSeconds: 7, onFailure: 'hold' },
    },
    runtimes: { shop: { policy: 'shop' } },
  };

  test('is what the policy it names says, then what default says, then what holds without any', () => {
    expect(policyOfRuntime(config, 'shop')).toEqual({
      ...WHOLE_POLICY,
      bakeSeconds: 7,
      minServing: 2,
      onFailure: 'hold',
    });
  });

  test('is default where it names none, or default itself', () => {
    const ofAll = { ...WHOLE_POLICY, bakeSeconds: 60, minServing: 2 };
    const { policies } = config;
    for (const cart of [{}, { policy: 'default' }]) {
      expect(policyOfRuntime({ policies, runtimes: { cart } }, 'cart')).toEqual(ofAll);
    }
    expect(policyOfRuntime(config, 'cart')).toEqual(ofAll);
    expect(policyOfRuntime({ policies: {}, runtimes: {} }, 'cart')).toEqual(WHOLE_POLICY);
  });

  test('a preset overrides what default says, field by field', () => {
    const read = parse(
      '{"policies": {"default": {"preset": "careful", "maxUnavailable": {"endpoints": 2}}, "web": {"preset": "canary"}}, "runtimes": {"shop": {"policy": "web"}}}',
    );
    expect(policyOfRuntime(read, 'cart').waves).toEqual(PRESETS.careful.waves);
    expect(policyOfRuntime(read, 'shop')).toEqual({
      ...WHOLE_POLICY,
      ...PRESETS.canary,
      maxUnavailable: { endpoints: 2 },
    });
  });

  test.each(['__proto__', 'constructor', 'toString'])(
    'a runtime called %s has the policy default, like any other that names none',
    (id) => {
      expect(policyOfRuntime(config, id)).toEqual(policyOfRuntime(config, 'cart'));
    },
  );

  test.each(['__proto__', 'constructor', 'toString'])(
    'a runtime and its policy may be called %s, also when deployed or retired, and no other has it',
    (id) => {
      const own = `"policies": {"${id}": {"bakeSeconds": 5}}, "runtimes": {"${id}": {"policy": "${id}"}}`;
      for (const json of [
        `{${own}}`,
        `{"policies": {"default": {"bakeSeconds": 300}}, "retired": [{${own}}]}`,
      ]) {
        const { retired, ...said } = JSON.parse(json);
        const read: Policies = {
          ...schema.parse(said),
          ...(retired && { retired: retiredSchema.parse(retired) }),
        };
        const file = JSON.parse(JSON.stringify(policiesIn(read)));
        const deployed = readPolicies(file, SERVICE);
        expect(deployed.isNamed(id)).toBe(true);
        for (const policyOf of [deployed.policyOf, (one: string) => policyOfRuntime(read, one)]) {
          expect(policyOf(id).bakeSeconds).toBe(5);
          const { locked: _, ...shop } = policyOf('shop');
          expect(shop).toEqual(WHOLE_POLICY);
        }
      }
    },
  );

  test('a mistake of a policy called __proto__ is told with its place', () => {
    const json = '{"policies": {"__proto__": {"bakeSeconds": -5}}}';
    expect(mistakesIn(policiesSchema, JSON.parse(json))).toEqual([
      expect.stringMatching(/^policies\.__proto__\.bakeSeconds: "?-5/),
    ]);
  });

  test('what is inherited was said by nobody', () => {
    const { policies, runtimes } = config;
    const inherited: Policies = { policies, runtimes: Object.create(runtimes) };
    expect(policyOfRuntime(inherited, 'shop')).toEqual(policyOfRuntime(config, 'cart'));
    const nobodys: Policies = { policies: Object.create(policies), runtimes };
    expect(policyOfRuntime(nobodys, 'cart')).toEqual(WHOLE_POLICY);
  });
});

describe('where the service is AgentCore', () => {
  const service = { kind: 'agentcore' } as const;

  test('a failed rollout rolls back, and the status words are those of that service', () => {
    expect(policyOfRuntime({ policies: {}, runtimes: {}, service }, 'shop')).toEqual({
      ...WHOLE_POLICY,
      onFailure: 'roll-back',
      statuses: {
        ...{ failed: ['*_FAILED'], stopped: ['DELETING'], unknown: 'wait' },
        ...{ serving: ['READY'], busy: ['CREATING', 'UPDATING'] },
      },
    });
    const said = parse('{"policies": {"default": {"onFailure": "hold"}}}');
    expect(policyOfRuntime({ ...said, service }, 'shop').onFailure).toBe('hold');
  });

  test('C05: stop-old is refused where it was written, and so is nothing else', () => {
    const stopOld = { onFailure: 'stop-old' };
    const policies = { web: stopOld, batch: { onFailure: 'roll-back' } };
    expect(mistakesIn(policiesSchema, { policies, service })).toEqual([
      'policies.web.onFailure: "stop-old" is not allowed; use "roll-back" or "hold": this service cannot stop endpoints',
    ]);
    expect(mistakesIn(policiesSchema, { policies: { default: stopOld }, service })).toEqual([
      expect.stringMatching(/^policies\.default\.onFailure: "stop-old" is not allowed/),
    ]);
    expect(mistakesIn(policiesSchema, { policies })).toEqual([]);
  });
});

describe('mistakes in policies', () => {
  test('C03 C04: those of all policies are told at once, each once and with its path', () => {
    expect(
      mistakesIn(schema, {
        policies: {
          default: { bakeSeconds: -1 },
          web: { waves: [{ percent: 50 }] },
          'web.eu': { pollSeconds: 0 },
          'web/1': {},
        },
        runtimes: { shop: { policy: 'web' }, cart: { polcy: 'web' } },
      }),
    ).toEqual([
      expect.stringMatching(/^policies\.default\.bakeSeconds: -1 is not allowed/),
      expect.stringMatching(/^policies\.web\.waves\[0\]: "50%" is not allowed/),
      expect.stringMatching(/^policies\["web\.eu"\]\.pollSeconds: 0 is not allowed/),
      expect.stringMatching(/^policies\["web\/1"\]: .*use 1 to 64 letters/),
      'runtimes.cart.polcy: unknown key (did you mean policy?)',
    ]);
  });

  test('C05: one that stands alone is told once too', () => {
    for (const name of ['default', 'web']) {
      const wrong = { policies: { [name]: { bakeSeconds: -1 } } };
      const told = [expect.stringMatching(`^policies.${name}.bakeSeconds: -1 `)];
      expect(mistakesIn(schema, wrong)).toEqual(told);
      const runtimes = { shop: { policy: name }, cart: { policy: name } };
      expect(mistakesIn(schema, { ...wrong, runtimes })).toEqual(told);
    }
  });

  test('C05: parts that do not fit together are told where they were written', () => {
    expect(
      mistakesIn(schema, {
        policies: {
          default: { progressDeadlineSeconds: 60 },
          web: { pollSeconds: 61 },
          batch: { pollSeconds: 62, progressDeadlineSeconds: 62 },
          tank: { progressDeadlineSeconds: 4 },
        },
        runtimes: { shop: { policy: 'web' }, cart: { policy: 'batch' } },
      }),
    ).toEqual([
      'policies.web.pollSeconds: 61 is not allowed; use at most progressDeadlineSeconds, 60',
      'policies.tank.pollSeconds: 5 is not allowed; use at most progressDeadlineSeconds, 4',
    ]);
  });

  test('C05: what is wrong in default is told once, and not again for each policy', () => {
    expect(
      mistakesIn(schema, {
        policies: { web: { minServing: 2 }, default: { pollSeconds: 601 } },
        runtimes: { shop: {}, cart: { policy: 'web' } },
      }),
    ).toEqual([
      'policies.default.pollSeconds: 601 is not allowed; use at most progressDeadlineSeconds, 600',
    ]);
  });

  test('a name that no policy has is refused with those that there are', () => {
    const policies = { web: {}, batch: {} };
    const runtimes = { a: { policy: 'wbe' }, b: { policy: 'toString' }, c: { policy: 'default' } };
    const names = 'use the name of one of policies: default, web, batch';
    const told = [
      `runtimes.a.policy: "wbe" is not allowed; ${names} (did you mean web?)`,
      `runtimes.b.policy: "toString" is not allowed; ${names}`,
    ];
    expect(mistakesIn(schema, { policies, runtimes })).toEqual(told);
    const retired = [{ policies, runtimes }];
    expect(mistakesIn(openConfigSchema, { policies, retired })).toEqual(
      told.map((line) => `retired[0].${line}`),
    );
  });

  test('a policy where its name belongs is told where to write it', () => {
    expect(mistakesIn(openConfigSchema, { policy: {}, runtimes: { a: { policy: {} } } })).toEqual([
      'runtimes.a.policy: an object is not allowed; use the name of one of policies, and write there what it says',
      'policy: unknown key (did you mean policies?)',
    ]);
  });

  test('a runtime id may not be empty', () => {
    expect(mistakesIn(schema, { runtimes: { '': {} } })).toHaveLength(1);
  });
});
