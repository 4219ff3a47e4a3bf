import { describe, expect, test } from '@jest/globals';
import { readStartEnv, writeStartEnv } from '../../../lib/contract/functions/environment.ts';
import { ECR_MAPPING, PIPELINE_MAPPING } from '../trigger-examples.ts';

const STATE_MACHINE = 'arn:aws:states:eu-central-1:123456789012:stateMachine:rollout';
const SETTINGS = {
  stateMachineArn: STATE_MACHINE,
  tableName: 'rollouts',
  rules: { runtimes: ['shop', 'search'], maxAgeSeconds: 900 },
  releases: [ECR_MAPPING, PIPELINE_MAPPING],
};

const KNOWN = { STATE_MACHINE_ARN: STATE_MACHINE, TABLE_NAME: 'rollouts' };

describe('the environment of the start function', () => {
  test('is read as it was written, among variables of others', () => {
    expect(readStartEnv({ AWS_REGION: 'eu-1', ...writeStartEnv(SETTINGS) })).toEqual(SETTINGS);
  });

  test('holds no pattern and no bus: those are for the rules', () => {
    const release = { ...ECR_MAPPING, bus: 'default', pattern: { source: ['aws.ecr'] } };
    const environment = writeStartEnv({ ...SETTINGS, releases: [release] });
    expect(JSON.stringify(environment)).not.toMatch(/default|pattern/);
    expect(readStartEnv(environment).releases).toEqual([ECR_MAPPING]);
  });

  test('is refused before the deployment where it is too large for Lambda', () => {
    const runtimes = Array.from({ length: 500 }, (_, index) => `runtime-${index}`);
    expect(() => writeStartEnv({ ...SETTINGS, rules: { ...SETTINGS.rules, runtimes } })).toThrow(
      expect.objectContaining({
        name: 'InvalidInput',
        message: expect.stringMatching(/^triggers\.releases, runtimes: they are \d+ bytes/),
      }),
    );
  });

  test.each([
    ['nothing', {}, /STATE_MACHINE_ARN: missing.*TABLE_NAME: missing.*TRIGGERS: missing/s],
    ['no JSON', { ...KNOWN, TRIGGERS: '{' }, /TRIGGERS: "{" .*use JSON/],
    ['no rules', { ...KNOWN, TRIGGERS: '{}' }, /TRIGGERS\.rules: missing/],
  ])('with %s is InvalidInput', (_, environment, message) => {
    expect(() => readStartEnv(environment)).toThrow(
      expect.objectContaining({ name: 'InvalidInput', message: expect.stringMatching(message) }),
    );
  });
});
