import { describe, expect, test } from '@jest/globals';
import type * as z from 'zod';
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
  const policies: Policies = {
    policy: { bakeSeconds: 60, minServing: 2 },
    runtimes: { shop: { policy: { bakeSeconds: 7, onFailure: 'hold' } } },
  };

  test('is what it says itself, then what is said for all, then the default', () => {
    expect(policyOfRuntime(policies, 'shop')).toEqual({
      ...WHOLE_POLICY,
      bakeSeconds: 7,
      minServing: 2,
      onFailure: 'hold',
    });
  });

  test('is what is said for all where it says nothing', () => {
    const ofAll = { ...WHOLE_POLICY, bakeSeconds: 60, minServing: 2 };
    expect(policyOfRuntime(policies, 'cart')).toEqual(ofAll);
    expect(policyOfRuntime({ policy: {}, runtimes: {} }, 'cart')).toEqual(WHOLE_POLICY);
  });

  test('a preset of its own overrides what is said for all, field by field', () => {
    const { policy, runtimes } = parse(
      '{"policy": {"preset": "careful", "maxUnavailable": {"endpoints": 2}}, "runtimes": {"shop": {"policy": {"preset": "canary"}}}}',
    );
    expect(policyOfRuntime({ policy, runtimes }, 'cart').waves).toEqual(PRESETS.careful.waves);
    expect(policyOfRuntime({ policy, runtimes }, 'shop')).toEqual({
      ...WHOLE_POLICY,
      ...PRESETS.canary,
      maxUnavailable: { endpoints: 2 },
    });
  });

  test.each(['__proto__', 'constructor', 'toString'])(
    'a runtime called %s has the policy for all, like any other that says nothing',
    (id) => {
      expect(policyOfRuntime(policies, id)).toEqual(policyOfRuntime(policies, 'cart'));
    },
  );

  test.each(['__proto__', 'constructor', 'toString'])(
    'a runtime called %s may have its own, also when it is deployed or retired, and no other gets it',
    (id) => {
      const runtimes = `{"${id}": {"policy": {"bakeSeconds": 5}}}`;
      for (const json of [
        `{"runtimes": ${runtimes}}`,
        `{"policy": {"bakeSeconds": 300}, "retired": [{"policy": {"bakeSeconds": 300}, "runtimes": ${runtimes}}]}`,
      ]) {
        const { retired, ...said } = JSON.parse(json);
        const own: Policies = {
          ...schema.parse(said),
          ...(retired && { retired: retiredSchema.parse(retired) }),
        };
        const file = JSON.parse(JSON.stringify(policiesIn(own)));
        const deployed = readPolicies(file, SERVICE);
        expect(deployed.isNamed(id)).toBe(true);
        for (const policyOf of [deployed.policyOf, (one: string) => policyOfRuntime(own, one)]) {
          expect(policyOf(id).bakeSeconds).toBe(5);
          const { locked: _, ...shop } = policyOf('shop');
          expect(shop).toEqual(WHOLE_POLICY);
        }
      }
    },
  );

  test('a mistake of a runtime called __proto__ is told with its place', () => {
    const json = '{"runtimes": {"__proto__": {"policy": {"bakeSeconds": -5}}}}';
    expect(mistakesIn(policiesSchema, JSON.parse(json))).toEqual([
      expect.stringMatching(/^runtimes\.__proto__\.policy\.bakeSeconds: "?-5/),
    ]);
  });

  test('what is inherited was said by nobody', () => {
    const { runtimes } = policies;
    const inherited: Policies = { policy: {}, runtimes: Object.create(runtimes) };
    expect(policyOfRuntime(inherited, 'shop')).toEqual(WHOLE_POLICY);
  });
});

describe('where the service is AgentCore', () => {
  const service = { kind: 'agentcore' } as const;

  test('a failed rollout rolls back, and the status words are those of that service', () => {
    expect(policyOfRuntime({ policy: {}, runtimes: {}, service }, 'shop')).toEqual({
      ...WHOLE_POLICY,
      onFailure: 'roll-back',
      statuses: {
        ...{ failed: ['*_FAILED'], stopped: ['DELETING'], unknown: 'wait' },
        ...{ serving: ['READY'], busy: ['CREATING', 'UPDATING'] },
      },
    });
    const { policy } = parse('{"policy": {"onFailure": "hold"}}');
    expect(policyOfRuntime({ policy, runtimes: {}, service }, 'shop').onFailure).toBe('hold');
  });

  test('C05: stop-old is refused where it was written, and so is nothing else', () => {
    const stopOld = { policy: { onFailure: 'stop-old' } };
    const runtimes = { shop: stopOld, cart: { policy: { onFailure: 'roll-back' } } };
    expect(mistakesIn(policiesSchema, { runtimes, service })).toEqual([
      'runtimes.shop.policy.onFailure: "stop-old" is not allowed; use "roll-back" or "hold": this service cannot stop endpoints',
    ]);
    expect(mistakesIn(policiesSchema, { ...stopOld, service })).toEqual([
      expect.stringMatching(/^policy\.onFailure: "stop-old" is not allowed/),
    ]);
    expect(mistakesIn(policiesSchema, { ...stopOld, runtimes })).toEqual([]);
  });
});

describe('mistakes in policies', () => {
  test('C03 C04: those of all runtimes are told at once, each once and with its path', () => {
    expect(
      mistakesIn(schema, {
        policy: { bakeSeconds: -1 },
        runtimes: {
          shop: { policy: { waves: [{ percent: 50 }] } },
          'web/1': { policy: { pollSeconds: 0 } },
          cart: { polcy: {} },
        },
      }),
    ).toEqual([
      expect.stringMatching(/^policy\.bakeSeconds: -1 is not allowed/),
      expect.stringMatching(/^runtimes\.shop\.policy\.waves\[0\]: "50%" is not allowed/),
      expect.stringMatching(/^runtimes\["web\/1"\]\.policy\.pollSeconds: 0 is not allowed/),
      expect.stringMatching(/^runtimes\.cart\.policy: missing/),
      'runtimes.cart.polcy: unknown key (did you mean policy?)',
    ]);
  });

  test('C05: one that stands alone is told once too', () => {
    const wrong = { policy: { bakeSeconds: -1 } };
    const ofAll = /^policy\.bakeSeconds: -1 /;
    const ofShop = /^runtimes\.shop\.policy\.bakeSeconds: -1 /;
    expect(mistakesIn(schema, wrong)).toEqual([expect.stringMatching(ofAll)]);
    expect(mistakesIn(schema, { runtimes: { shop: wrong } })).toEqual([
      expect.stringMatching(ofShop),
    ]);
    expect(mistakesIn(schema, { ...wrong, runtimes: { shop: { policy: {} } } })).toEqual([
      expect.stringMatching(ofAll),
    ]);
  });

  test('C05: parts that do not fit together are told where they were written', () => {
    expect(
      mistakesIn(schema, {
        policy: { progressDeadlineSeconds: 60 },
        runtimes: {
          shop: { policy: { pollSeconds: 61 } },
          cart: { policy: { pollSeconds: 62, progressDeadlineSeconds: 62 } },
          tank: { policy: { progressDeadlineSeconds: 4 } },
        },
      }),
    ).toEqual([
      'runtimes.shop.policy.pollSeconds: 61 is not allowed; use at most progressDeadlineSeconds, 60',
      'runtimes.tank.policy.pollSeconds: 5 is not allowed; use at most progressDeadlineSeconds, 4',
    ]);
  });

  test('C05: what is wrong for all is told once, and not again for each runtime', () => {
    expect(
      mistakesIn(schema, {
        policy: { pollSeconds: 601 },
        runtimes: { shop: { policy: {} }, cart: { policy: { minServing: 2 } } },
      }),
    ).toEqual(['policy.pollSeconds: 601 is not allowed; use at most progressDeadlineSeconds, 600']);
  });

  test('a runtime id may not be empty', () => {
    expect(mistakesIn(schema, { runtimes: { '': { policy: {} } } })).toHaveLength(1);
  });
});
