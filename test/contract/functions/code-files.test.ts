import { describe, expect, test } from '@jest/globals';
import { parseConfig } from '../../../lib/contract/config/config.ts';
import { policyOfRuntime } from '../../../lib/contract/config/policies.ts';
import {
  policiesIn,
  readPolicies,
  readTriggers,
  writeTriggers,
} from '../../../lib/contract/functions/code-files.ts';
import { ECR_MAPPING, PIPELINE_MAPPING } from '../trigger-examples.ts';

const config = parseConfig({
  endpointUrl: 'https://endpoints.example.com',
  policies: {
    default: { bakeSeconds: 60 },
    shop: { preset: 'careful', maxUnavailable: { percent: 10 } },
    search: { onFailure: 'hold' },
  },
  runtimes: {
    shop: { policy: 'shop' },
    search: { policy: 'search' },
  },
  groups: {
    prod: { runtimes: ['s*'], policy: { maxAtRisk: 3, verify: { alarms: ['errors'] } } },
    plain: { runtimes: ['shop'] },
  },
});

describe('the policies', () => {
  test.each([
    'shop',
    'search',
    'no-entry',
    'constructor',
    '__proto__',
    'group:prod',
    'group:plain',
  ])('of %s are read as the configuration has them', (runtimeId) => {
    const { policyOf } = readPolicies(
      JSON.parse(JSON.stringify(policiesIn(config))),
      config.service,
    );
    expect(policyOf(runtimeId)).toEqual({
      ...policyOfRuntime(config, runtimeId),
      locked: ['verify', 'maxVersionStep', 'protect'],
    });
  });

  test('have what they lock, for all, for one runtime and for one group', () => {
    const locking = parseConfig({
      endpointUrl: 'https://endpoints.example.com',
      policies: { default: { locked: ['windows'] }, shop: { locked: [] } },
      runtimes: { shop: { policy: 'shop' }, search: {} },
      groups: {
        prod: { runtimes: ['s*'] },
        own: { runtimes: ['shop'], policy: { locked: ['waves'] } },
      },
    });
    const { policyOf } = readPolicies(
      JSON.parse(JSON.stringify(policiesIn(locking))),
      locking.service,
    );
    const ids = ['shop', 'search', 'group:prod', 'group:own'];
    expect(ids.map((id) => policyOf(id).locked)).toEqual([[], ['windows'], ['windows'], ['waves']]);
  });

  test('come with the runtimes of each group', () => {
    const { runtimesOf } = readPolicies(
      JSON.parse(JSON.stringify(policiesIn(config))),
      config.service,
    );
    expect(runtimesOf('prod')).toEqual(['shop', 'search']);
    expect(runtimesOf('plain')).toEqual(['shop']);
    for (const name of ['prd', 'constructor', '__proto__']) expect(runtimesOf(name)).toBeNull();
  });

  test('are completed for the service that the function calls', () => {
    const agentcore = { kind: 'agentcore', of: 'runtime', region: 'eu-central-1' } as const;
    const { policyOf } = readPolicies({ policies: {}, runtimes: {} }, agentcore);
    expect(policyOf('any')).toMatchObject({
      onFailure: 'roll-back',
      statuses: { stopped: ['DELETING'] },
    });
  });

  test.each([
    ['nothing', null, /^Invalid policies\.json, 1 mistake:/],
    ['no runtimes', { policies: {} }, /runtimes: missing/],
    ['something else too', { policies: {}, runtimes: {}, polcy: {} }, /polcy: unknown key/],
  ])('in a file with %s are InvalidInput', (_, json, message) => {
    expect(() => readPolicies(json, config.service)).toThrow(
      expect.objectContaining({ name: 'InvalidInput', message: expect.stringMatching(message) }),
    );
  });

  test('of a runtime are checked when they are asked for, with what default says', () => {
    const broken = {
      policies: { default: { waves: 'all' }, shop: { bakeSeconds: -1 } },
      runtimes: { shop: { policy: 'shop' } },
    };
    expect(() => readPolicies(broken, config.service).policyOf('shop')).toThrow(
      expect.objectContaining({
        name: 'InvalidInput',
        message: expect.stringMatching(
          /policies\.default\.waves: .*policies\.shop\.bakeSeconds: -1/s,
        ),
      }),
    );
  });
});

describe('the triggers', () => {
  const TRIGGERS = {
    rules: { runtimes: ['shop', 'search'], groups: ['prod'], maxAgeSeconds: 900 },
    releases: [ECR_MAPPING, PIPELINE_MAPPING],
  };

  test('are read as they were written', () => {
    expect(readTriggers(JSON.parse(writeTriggers(TRIGGERS)))).toEqual(TRIGGERS);
  });

  test('have no pattern and no bus: those are for the rules', () => {
    const release = { ...ECR_MAPPING, bus: 'default', pattern: { source: ['aws.ecr'] } };
    const text = writeTriggers({ ...TRIGGERS, releases: [release] });
    expect(text).not.toMatch(/default|pattern/);
    expect(readTriggers(JSON.parse(text)).releases).toEqual([ECR_MAPPING]);
  });

  test('without rules are InvalidInput', () => {
    expect(() => readTriggers({ releases: [] })).toThrow(
      expect.objectContaining({
        name: 'InvalidInput',
        message: expect.stringMatching(/^Invalid triggers\.json.*\n {2}rules: missing/),
      }),
    );
  });
});
