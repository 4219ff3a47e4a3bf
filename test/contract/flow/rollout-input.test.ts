import { describe, expect, test } from '@jest/globals';
import {
  parseExecution,
  parsePolicy,
  parseRolloutInput,
} from '../../../lib/contract/flow/rollout-input.ts';
import { WHOLE_POLICY } from '../../support/whole-policy.ts';

const INPUT = { schemaVersion: 1, runtimeId: 'shop', version: 3 };
/** Both parts of what a rollout is asked for, as the first step reads them. */
const parse = (input: unknown) => {
  const wanted = parseRolloutInput(input);
  return { ...wanted, policy: parsePolicy(wanted.policy, WHOLE_POLICY) };
};
const refusal = (message: string) =>
  expect.objectContaining({ name: 'InvalidInput', message: expect.stringContaining(message) });

describe('the input of a rollout', () => {
  test('says what is rolled, and the deployed policy says how', () => {
    expect(parse(INPUT)).toEqual({ ...INPUT, policy: WHOLE_POLICY });
  });

  test('may take the version from an endpoint, and name the plan that was agreed to', () => {
    const input = {
      schemaVersion: 1,
      runtimeId: 'shop',
      versionFrom: { endpoint: 'staging' },
      plan: '0123456789abcdef',
    };
    expect(parse(input)).toEqual({ ...input, policy: WHOLE_POLICY });
  });

  test('may override parts of the policy', () => {
    expect(parse({ ...INPUT, policy: { bakeSeconds: 0 } }).policy).toEqual({
      ...WHOLE_POLICY,
      bakeSeconds: 0,
    });
  });

  test('narrows the selection down without losing what the policy excludes', () => {
    const selection = { names: ['web-*'], ids: ['e-1'], exclude: ['web-legacy'] };
    const configured = { ...WHOLE_POLICY, selection };
    const wanted = parseRolloutInput({ ...INPUT, policy: { selection: { names: ['api-*'] } } });
    expect(parsePolicy(wanted.policy, configured).selection).toEqual({
      ...selection,
      names: ['api-*'],
    });
    expect(parsePolicy({ bakeSeconds: 0 }, configured).selection).toEqual(selection);
  });

  test.each<[string, unknown]>([
    ['0', 0],
    ['-1', -1],
    ['1.5', 1.5],
    ['"3"', '3'],
    ['1e400', JSON.parse('1e400')],
    ['2^53', 2 ** 53],
    ['NaN', Number.NaN],
    ['null', null],
    ['true', true],
    ['[3]', [3]],
    ['missing', undefined],
  ])('C01: version %s is refused, never coerced', (_, version) => {
    expect(() => parse({ ...INPUT, version })).toThrow(refusal('\n  version: '));
  });

  test.each([1, 3, Number.MAX_SAFE_INTEGER])('C01: version %d is accepted', (version) => {
    expect(parse({ ...INPUT, version }).version).toBe(version);
  });

  test.each<[string, unknown, string]>([
    ['E06: an unknown key', { ...INPUT, baseUrl: 'http://x' }, '\n  baseUrl: unknown key'],
    ['E06: a selector', { ...INPUT, endpointIds: ['e1'] }, '\n  endpointIds: unknown key'],
    [
      'E06: __proto__',
      JSON.parse('{"schemaVersion":1,"runtimeId":"shop","version":3,"__proto__":{"version":1}}'),
      '\n  __proto__: unknown key',
    ],
    [
      'E06: __proto__ within the policy',
      JSON.parse('{"schemaVersion":1,"runtimeId":"shop","version":3,"policy":{"__proto__":{}}}'),
      '\n  policy.__proto__: unknown key',
    ],
    [
      'C04: a typo within the policy',
      { ...INPUT, policy: { maxUnavaliable: 1 } },
      '\n  policy.maxUnavaliable: unknown key (did you mean maxUnavailable?)',
    ],
    ['another schema version', { ...INPUT, schemaVersion: 2 }, '\n  schemaVersion: '],
    ['no schema version', { runtimeId: 'shop', version: 3 }, '\n  schemaVersion: '],
    ['an empty runtime id', { ...INPUT, runtimeId: '' }, '\n  runtimeId: '],
    ['a runtime id without end', { ...INPUT, runtimeId: 'r'.repeat(257) }, '\n  runtimeId: '],
    [
      'C05: a poll beyond the deployed deadline',
      { ...INPUT, policy: { pollSeconds: 601 } },
      '\n  pollSeconds: ',
    ],
    [
      'C05: a deadline below the deployed poll',
      { ...INPUT, policy: { progressDeadlineSeconds: 1 } },
      '\n  pollSeconds: ',
    ],
    [
      'E06: a version and where to take it from',
      { ...INPUT, versionFrom: { endpoint: 'staging' } },
      'use exactly one of version, versionFrom, versions and revert',
    ],
    [
      'E06: an endpoint without a name to take the version from',
      { ...INPUT, version: undefined, versionFrom: { endpoint: '' } },
      '\n  versionFrom.endpoint: ',
    ],
    [
      'E06: the version of another runtime',
      { ...INPUT, version: undefined, versionFrom: { endpoint: 'staging', runtimeId: 'other' } },
      '\n  versionFrom.runtimeId: unknown key',
    ],
    [
      'E06: a version as a word that is not "latest"',
      { ...INPUT, version: 'newest' },
      '\n  version: "newest" is not allowed; use a whole number of at least 1, or "latest"',
    ],
    [
      'E06: version 0',
      { ...INPUT, version: 0 },
      '\n  version: 0 is not allowed; use a number of at least 1',
    ],
    ['an empty plan', { ...INPUT, plan: '' }, '\n  plan: '],
    ['a plan that is no fingerprint', { ...INPUT, plan: 'zzz' }, '\n  plan: '],
    ['a preset that nobody knows', { ...INPUT, policy: { preset: 'yolo' } }, '\n  policy.preset: '],
    ['no policy', { ...INPUT, policy: null }, '\n  policy: '],
    ['nothing', undefined, 'use an object'],
    ['null', null, 'use an object'],
    ['a list', [INPUT], 'use an object'],
    ['text', JSON.stringify(INPUT), 'use an object'],
  ])('%s is refused', (_, input, message) => {
    expect(() => parse(input)).toThrow(refusal(message));
  });

  test('every mistake is reported at once', () => {
    const input = { version: 0, policy: { minServing: -1, waves: [] }, extra: 1 };
    expect(() => parse(input)).toThrow(refusal('Invalid rollout, 6 mistakes:'));
  });
});

describe('the time at which an execution started', () => {
  test.each([
    '2026-11-22T08:00:00Z',
    '2026-11-22T08:00:00.000Z',
    '2026-11-22T08:00:00+00:00',
    '2026-11-22T08:00:00.000000+00:00',
    '2026-11-22T10:30:00.000+02:30',
    '2026-11-21T23:00:00-09:00',
  ])('may be written as %s', (startTime) => {
    expect(parseExecution({ rolloutId: 'rollout-1', startTime })).toEqual({
      rolloutId: 'rollout-1',
      startTime: Date.parse('2026-11-22T08:00:00Z'),
    });
  });

  test.each(['2026-11-22T08:00:00', '2026-11-22', '1795334400', 'now', ''])(
    'is not %j',
    (startTime) => {
      expect(() => parseExecution({ rolloutId: 'rollout-1', startTime })).toThrow(/startTime/);
    },
  );
});
