import { describe, expect, test } from '@jest/globals';
import {
  inputOf,
  planOptionsSchema,
  startHereSchema,
  startOnAwsSchema,
} from '../../../lib/cli/options/rollout-options.ts';
import { checkInput, type Mistake, parseInput } from '../../../lib/contract/input/parse-input.ts';

const GIVEN = {
  'runtime-id': 'shop',
  '--version': '7',
  '--endpoint-url': 'https://example.com/runtime/',
};

const parse = (more: object = {}) =>
  parseInput(startHereSchema, { ...GIVEN, ...more }, 'arguments');

function mistakesIn(given: object): readonly Mistake[] {
  const checked = checkInput(startHereSchema, given);
  return 'mistakes' in checked ? checked.mistakes : [];
}

describe('options of rollout start', () => {
  test('what is left out has a default, or is left to the policy', () => {
    expect(parse()).toEqual({
      'runtime-id': 'shop',
      '--version': 7,
      '--endpoint-url': 'https://example.com/runtime',
      '--service': 'rest',
      '--engine': 'embedded',
      '--stack': 'Steproll',
      '--output': 'table',
      '--interactive': false,
      '--debug': false,
      '--debug-answers': false,
      '--yes': false,
      '--watch': false,
      '--again': false,
      '--take-over': false,
      '--detach': false,
      '--reason': '',
    });
  });

  test('a reason of spaces is none', () => {
    expect(parse({ '--reason': ' \t ' })).toMatchObject({ '--reason': '' });
  });

  test('C01 C02 C03 C06 H31: every mistake is reported at once, under the name that was typed', () => {
    const bad = {
      'runtime-id': '..',
      '--version': '1.5',
      '--endpoint-url': 'http://169.254.169.254/',
      '--waves': '50%,25%',
      '--max-unavailable': '150%',
      '--failure-threshold': 'some',
      '--bake': '5 minutes',
      '--preset': 'brave',
      '--select': '',
      '--exclude': 'web-1,,web-2',
      '--on-failure': 'panic',
      '--plan': 'zzz',
      '--output': 'xml',
    };
    const mistakes = mistakesIn(bad);
    expect(new Set(mistakes.map(({ key }) => key))).toEqual(new Set(Object.keys(bad)));
    expect(mistakes.map(({ text }) => text).join('\n')).toContain(
      '"25%" is not allowed; end with 100%',
    );
  });
});

describe('the version', () => {
  const { '--version': _, ...withoutVersion } = GIVEN;

  test('is a number, or the one of another endpoint', () => {
    expect(inputOf(parse())).toEqual({ schemaVersion: 1, runtimeId: 'shop', version: 7 });
    const from = { ...withoutVersion, '--version-from': 'staging', '--plan': '0123456789abcdef' };
    expect(inputOf(parseInput(startHereSchema, from, 'arguments'))).toEqual({
      schemaVersion: 1,
      runtimeId: 'shop',
      versionFrom: { endpoint: 'staging' },
      plan: '0123456789abcdef',
    });
  });

  test('may be the latest one, in no other spelling', () => {
    expect(inputOf(parse({ '--version': 'latest' }))).toMatchObject({ version: 'latest' });
    const mistakes = mistakesIn({ ...GIVEN, '--version': 'Latest' });
    expect(mistakes.map(({ text }) => text)).toEqual([
      '--version: "Latest" is not allowed; use a whole number of at least 1, or latest',
    ]);
  });

  test('missing in both forms is one mistake, which -i asks for', () => {
    expect(mistakesIn(withoutVersion)).toEqual([
      {
        key: '--version',
        isMissing: true,
        text: '--version: missing; use a whole number of at least 1, latest, or --version-from',
      },
    ]);
  });

  test('missing is told beside the other mistakes', () => {
    const keys = mistakesIn({ '--waves': 'all' }).map(({ key }) => key);
    expect(keys).toEqual(['--endpoint-url', '--waves', 'runtime-id', '--version']);
  });

  test('in both forms is one mistake', () => {
    expect(mistakesIn({ ...GIVEN, '--version-from': 'staging' })).toEqual([
      expect.objectContaining({
        isMissing: false,
        text: '--version: 7 is not allowed; leave out either --version or --version-from',
      }),
    ]);
  });

  test.each([
    [{ '--version': '0' }, '--version'],
    [{ '--version': 'seven' }, '--version'],
    [{ '--version-from': '' }, '--version-from'],
  ])('C01: %j is wrong, not missing', (given, key) => {
    const mistakes = mistakesIn({ ...withoutVersion, ...given });
    expect(mistakes).toEqual([expect.objectContaining({ key, isMissing: false })]);
  });
});

test('rollout plan takes neither a yes nor a fingerprint', () => {
  const checked = checkInput(planOptionsSchema, {
    ...GIVEN,
    '--yes': true,
    '--plan': '0123456789abcdef',
  });
  expect('mistakes' in checked && checked.mistakes.map(({ text }) => text)).toEqual([
    '--yes: unknown key',
    '--plan: unknown key',
  ]);
});

describe('a rollout that is left to itself', () => {
  const { '--endpoint-url': _, ...onAws } = GIVEN;
  const mistakes = (schema: typeof startHereSchema | typeof startOnAwsSchema, given: object) => {
    const checked = checkInput<unknown>(schema, given);
    return 'mistakes' in checked ? checked.mistakes.map(({ text }) => text) : [];
  };

  test('needs an engine that goes on without its process', () => {
    expect(mistakes(startOnAwsSchema, { ...onAws, '--detach': true })).toEqual([]);
    expect(mistakes(startHereSchema, { ...GIVEN, '--detach': true })).toEqual([
      expect.stringMatching(/^--detach: leave it out, .*steproll listen/),
    ]);
  });

  test('C01: a poll of half a second is refused, and whole seconds are asked for', () => {
    expect(mistakes(startHereSchema, { ...GIVEN, '--poll': '0.5' })).toEqual([
      '--poll: "0.5" is not allowed; use whole seconds of at least 1, or 5m, 12h or 1d',
    ]);
  });

  test('is not watched', () => {
    expect(mistakes(startOnAwsSchema, { ...onAws, '--detach': true, '--watch': true })).toEqual([
      expect.stringMatching(/^--detach: .*either --watch or --detach/),
    ]);
  });

  test('is told beside the other mistakes', () => {
    const given = { '--detach': true, '--waves': 'all' };
    expect(mistakes(startHereSchema, given)).toHaveLength(5);
  });
});
