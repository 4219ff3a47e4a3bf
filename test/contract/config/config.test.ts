import { describe, expect, test } from '@jest/globals';
import { readJsonFile } from '../../../lib/adapters/machine/files.ts';
import { openConfigSchema, parseConfig } from '../../../lib/contract/config/config.ts';
import { policyOfRuntime } from '../../../lib/contract/config/policies.ts';
import { checkInput } from '../../../lib/contract/input/parse-input.ts';
import { DEFAULT_WIRE } from '../../../lib/contract/service/wire.ts';
import { ErrorName } from '../../../lib/domain/errors.ts';
import { WHOLE_POLICY } from '../../support/whole-policy.ts';

const endpointUrl = 'https://endpoints.example.com/runtime';

describe('parseConfig', () => {
  test('the endpoint URL is enough', () => {
    expect(parseConfig({ endpointUrl })).toEqual({
      service: { kind: 'rest', endpointUrl, auth: { kind: 'none' }, wire: DEFAULT_WIRE },
      policies: {},
      runtimes: {},
    });
  });

  test('what is given replaces the default, field by field', () => {
    const config = parseConfig({
      $schema: './steproll.schema.json',
      endpointUrl: `${endpointUrl}/`,
      policies: {
        default: { bakeSeconds: 60, onFailure: 'hold' },
        shop: { onFailure: 'roll-back' },
      },
      runtimes: { shop: { policy: 'shop' } },
      wire: { endpoint: { replicas: null }, page: { endpoints: 'items' }, laterStatuses: [400] },
    });
    const wire = {
      endpoint: { ...DEFAULT_WIRE.endpoint, replicas: null },
      page: { ...DEFAULT_WIRE.page, endpoints: 'items' },
      laterStatuses: [400],
      sessions: { goOn: 'unknown', stateKept: 'unknown' },
    };
    expect(config).toEqual({
      service: { kind: 'rest', endpointUrl, auth: { kind: 'none' }, wire },
      policies: {
        default: { bakeSeconds: 60, onFailure: 'hold' },
        shop: { onFailure: 'roll-back' },
      },
      runtimes: { shop: { policy: 'shop' } },
    });
    const ofAll = { ...WHOLE_POLICY, bakeSeconds: 60, onFailure: 'hold' };
    expect(policyOfRuntime(config, 'cart')).toEqual(ofAll);
    expect(policyOfRuntime(config, 'shop')).toEqual({ ...ofAll, onFailure: 'roll-back' });
  });

  test('the example in the repository is valid', () => {
    expect(parseConfig(readJsonFile('steproll.config.json').value).service).toMatchObject({
      endpointUrl,
    });
  });

  test('C03 C04 C05 C06: every mistake is reported at once, each with its path', () => {
    const message = messageOf({
      endpointUrl: 'http://endpoints.example.com',
      policies: {
        default: { maxUnavaliable: { percent: 33 }, waves: [{ percent: 50 }], bakeSeconds: -1 },
      },
      wire: { endpoint: { id: '' } },
      zone: 'eu-central-1',
    });
    expect(message.split('\n')).toEqual([
      'Invalid configuration, 6 mistakes:',
      expect.stringMatching(/^ {2}wire\.endpoint\.id: "" /),
      expect.stringMatching(/^ {2}policies\.default\.waves\[0\]: .*100%/),
      expect.stringMatching(/^ {2}policies\.default\.bakeSeconds: -1 /),
      '  policies.default.maxUnavaliable: unknown key (did you mean maxUnavailable?)',
      expect.stringMatching(/^ {2}endpointUrl: "http:\/\/endpoints\.example\.com" .*use https/),
      '  zone: unknown key',
    ]);
  });

  test('C05: a poll interval beyond the deadline is refused, defaults counted in', () => {
    const policy = { pollSeconds: WHOLE_POLICY.progressDeadlineSeconds + 1 };
    expect(messageOf({ endpointUrl, policies: { default: policy } })).toContain(
      'policies.default.pollSeconds: 601 is not allowed',
    );
  });

  test('the region is filled into the endpoint URL', () => {
    const config = { endpointUrl: 'https://{region}.example/{region}', region: 'eu-1' };
    expect(parseConfig(config).service).toMatchObject({
      endpointUrl: 'https://eu-1.example/eu-1',
    });
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
      data: { policies: {}, runtimes: {} },
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

describe('a configuration for AgentCore', () => {
  const service = { kind: 'agentcore', region: 'eu-central-1' };

  test('says in which region the runtimes are, and nothing else is needed', () => {
    const filled = { service: { ...service, of: 'runtime' }, policies: {}, runtimes: {} };
    expect(parseConfig({ service })).toEqual(filled);
    expect(checkInput(openConfigSchema, { service })).toEqual({ data: filled });
  });

  test('C05: fields of the other kind of service are refused beside it, each by its name', () => {
    const both = {
      service,
      endpointUrl,
      region: 'eu-central-1',
      auth: { kind: 'none' },
      wire: { page: { paged: false } },
    };
    const mistakes = [
      expect.stringMatching(
        /^ {2}endpointUrl: "https:.*" is not allowed; leave it out, service is Am/,
      ),
      expect.stringMatching(
        /^ {2}region: "eu-central-1" .* leave it out, .*; its region is service\.r/,
      ),
      expect.stringMatching(/^ {2}auth: an object is not allowed; leave it out, service is Amazon/),
      expect.stringMatching(/^ {2}wire: an object is not allowed; leave it out, service is Amazon/),
    ];
    expect(messageOf(both).split('\n').slice(1)).toEqual(mistakes);
    const open = checkInput(openConfigSchema, both);
    const texts = 'mistakes' in open ? open.mistakes.map(({ text }) => `  ${text}`) : [];
    expect(texts).toEqual(mistakes);
  });

  test.each([
    [{ kind: 'agentcore' }, /service\.region: missing/],
    [{ kind: 'agentcore', region: 'EU' }, /service\.region: "EU" is not allowed/],
    [{ kind: 'rest', region: 'eu-1' }, /service\.kind: "rest" is not allowed; use "agentcore"/],
  ])('C05: the service %j is refused', (wrong, mistake) => {
    expect(messageOf({ service: wrong })).toMatch(mistake);
  });

  test('C05: of harnesses names what has their ids, which are shorter than those of runtimes', () => {
    const ofHarness = { ...service, of: 'harness' };
    const long = `${'a'.repeat(41)}-a1B2c3D4e5`;
    const runtimes = { 'shop-a1B2c3D4e5': {}, [long]: {} };
    expect(parseConfig({ service, runtimes })).toMatchObject({ service: { of: 'runtime' } });
    expect(messageOf({ service: ofHarness, runtimes })).toMatch(
      /, 1 mistake:\n {2}runtimes\.a{41}-.*use the id of a harness, which is its name of up to 40/,
    );
    expect(messageOf({ service: { ...service, of: 'gateway' } })).toMatch(
      /service\.of: "gateway" is not allowed; use one of "runtime", "harness"/,
    );
  });

  test('C05: a runtime has an id as AgentCore gives it, since permissions are made of it', () => {
    const runtimes = { 'shop-a1B2c3D4e5': {}, '*': {} };
    expect(messageOf({ service, runtimes })).toMatch(
      /, 1 mistake:\n {2}runtimes\["\*"\]: .*use the id of a runtime, which is its name, a hyphen/,
    );
  });
});

test('C05: a configuration that names no service is told which field is missing', () => {
  expect(messageOf({})).toMatch(/, 1 mistake:\n {2}endpointUrl: missing; use the base URL/);
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
