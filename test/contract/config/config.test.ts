import { describe, expect, test } from '@jest/globals';
import { readJsonFile } from '../../../lib/adapters/machine/files.ts';
import { openConfigSchema, parseConfig } from '../../../lib/contract/config/config.ts';
import { policyOfRuntime } from '../../../lib/contract/config/policies.ts';
import { checkInput } from '../../../lib/contract/parsing/parse-input.ts';
import { DEFAULT_WIRE } from '../../../lib/contract/service/wire.ts';
import { ErrorName } from '../../../lib/domain/errors.ts';
import { DEFAULT_POLICY } from '../../../lib/domain/rollout/default-policy.ts';

const endpointUrl = 'https://endpoints.example.com/runtime';

describe('parseConfig', () => {
  test('the endpoint URL is enough', () => {
    expect(parseConfig({ endpointUrl })).toEqual({
      endpointUrl,
      auth: { kind: 'none' },
      policy: {},
      runtimes: {},
      wire: DEFAULT_WIRE,
    });
  });

  test('what is given replaces the default, field by field', () => {
    const config = parseConfig({
      $schema: './steproll.schema.json',
      endpointUrl: `${endpointUrl}/`,
      policy: { bakeSeconds: 60, onFailure: 'hold' },
      runtimes: { shop: { policy: { onFailure: 'roll-back' } } },
      wire: { endpoint: { replicas: null }, page: { endpoints: 'items' } },
    });
    expect(config).toEqual({
      endpointUrl,
      auth: { kind: 'none' },
      policy: { bakeSeconds: 60, onFailure: 'hold' },
      runtimes: { shop: { policy: { onFailure: 'roll-back' } } },
      wire: {
        endpoint: { ...DEFAULT_WIRE.endpoint, replicas: null },
        page: { ...DEFAULT_WIRE.page, endpoints: 'items' },
      },
    });
    const ofAll = { ...DEFAULT_POLICY, bakeSeconds: 60, onFailure: 'hold' };
    expect(policyOfRuntime(config, 'cart')).toEqual(ofAll);
    expect(policyOfRuntime(config, 'shop')).toEqual({ ...ofAll, onFailure: 'roll-back' });
  });

  test('the example in the repository is valid', () => {
    expect(parseConfig(readJsonFile('steproll.config.json')).endpointUrl).toBe(endpointUrl);
  });

  test('C03 C04 C05 C06: every mistake is reported at once, each with its path', () => {
    const message = messageOf({
      endpointUrl: 'http://endpoints.example.com',
      policy: { maxUnavaliable: { percent: 33 }, waves: [{ percent: 50 }], bakeSeconds: -1 },
      wire: { endpoint: { id: '' } },
      zone: 'eu-central-1',
    });
    expect(message.split('\n')).toEqual([
      'Invalid configuration, 6 mistakes:',
      expect.stringMatching(/^ {2}wire\.endpoint\.id: "" /),
      expect.stringMatching(/^ {2}policy\.waves\[0\]: .*100%/),
      expect.stringMatching(/^ {2}policy\.bakeSeconds: -1 /),
      '  policy.maxUnavaliable: unknown key',
      expect.stringMatching(/^ {2}endpointUrl: "http:\/\/endpoints\.example\.com" .*use https/),
      '  zone: unknown key',
    ]);
  });

  test('C05: a poll interval beyond the deadline is refused, defaults counted in', () => {
    const policy = { pollSeconds: DEFAULT_POLICY.progressDeadlineSeconds + 1 };
    expect(messageOf({ endpointUrl, policy })).toContain('policy.pollSeconds: 601 is not allowed');
  });

  test('the region is filled into the endpoint URL', () => {
    const config = { endpointUrl: 'https://{region}.example/{region}', region: 'eu-1' };
    expect(parseConfig(config).endpointUrl).toBe('https://eu-1.example/eu-1');
  });

  test('{region} without a region, and a region that is none, are one mistake each', () => {
    const endpointUrl = 'https://{region}.example';
    expect(messageOf({ endpointUrl })).toMatch(
      /, 1 mistake:\n {2}endpointUrl: .*no region is set$/,
    );
    expect(messageOf({ endpointUrl, region: 'a.b' })).toMatch(/, 1 mistake:\n {2}region: "a\.b"/);
  });

  test('where other sources may say more, the endpoint URL may be missing and is not checked', () => {
    expect(checkInput(openConfigSchema, {})).toEqual({
      data: { policy: {}, runtimes: {}, wire: DEFAULT_WIRE },
    });
    expect(checkInput(openConfigSchema, { endpointUrl: '{region}' })).toMatchObject({
      data: { endpointUrl: '{region}' },
    });
    expect(checkInput(openConfigSchema, { policy: { bakeSeconds: -1 } })).toHaveProperty(
      'mistakes',
    );
  });

  test.each([
    ['a password', 'https://joe:hunter2@endpoints.example.com'],
    ['a password in something that is no URL', 'joe:hunter2@:endpoints'],
    ['a token in the query', 'https://endpoints.example.com/?token=hunter2'],
  ])('C06: %s in the endpoint URL stays out of the message', (_, url) => {
    const message = messageOf({ endpointUrl: url });
    expect(message).toContain('endpointUrl: ');
    expect(message).not.toContain('hunter2');
  });

  test.each([null, [], 'text', 7])('%j is refused', (json) => {
    expect(() => parseConfig(json)).toThrow(
      expect.objectContaining({ name: ErrorName.InvalidInput }),
    );
  });
});

function messageOf(json: unknown): string {
  try {
    parseConfig(json);
  } catch (error) {
    expect(error).toMatchObject({ name: ErrorName.InvalidInput });
    return String((error as Error).message);
  }
  throw new Error('nothing was thrown');
}
