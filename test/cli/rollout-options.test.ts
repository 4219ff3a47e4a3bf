import { describe, expect, test } from '@jest/globals';
import { policyOf, rolloutOptionsSchema } from '../../lib/cli/rollout-options.ts';
import { checkInput, parseInput } from '../../lib/contract/parse-input.ts';
import { DEFAULT_POLICY } from '../../lib/domain/defaults.ts';

const GIVEN = {
  'runtime-id': 'shop',
  '--version': '7',
  '--endpoint-url': 'https://example.com/runtime/',
};

const parse = (more: object = {}) =>
  parseInput(rolloutOptionsSchema, { ...GIVEN, ...more }, 'arguments');

describe('options of rollout start', () => {
  test('what is left out is as in the default policy', () => {
    const options = parse();
    expect(options).toMatchObject({ 'runtime-id': 'shop', '--version': 7, '--yes': false });
    expect(policyOf(options, {})).toEqual(DEFAULT_POLICY);
  });

  test('single fields override the configured policy, and that the defaults', () => {
    const options = parse({
      '--waves': '2,50%,100%',
      '--max-unavailable': '4',
      '--bake': '0',
      '--poll': '30',
      '--progress-deadline': '5m',
    });
    const configured = { bakeSeconds: 9, onFailure: 'hold', minServing: 2 } as const;
    expect(policyOf(options, configured)).toEqual({
      ...DEFAULT_POLICY,
      waves: [{ endpoints: 2 }, { percent: 50 }, { percent: 100 }],
      maxUnavailable: { endpoints: 4 },
      bakeSeconds: 0,
      pollSeconds: 30,
      progressDeadlineSeconds: 300,
      onFailure: 'hold',
      minServing: 2,
    });
    expect(policyOf(parse({ '--on-failure': 'stop-old' }), configured).onFailure).toBe('stop-old');
  });

  test('C05: --poll 0 polls as often as is allowed, once a second', () => {
    expect(policyOf(parse({ '--poll': '0' }), {}).pollSeconds).toBe(1);
  });

  test('C01 C02 C03 C06 H31: every mistake is reported at once, under the name that was typed', () => {
    const bad = {
      'runtime-id': '..',
      '--version': '1.5',
      '--endpoint-url': 'http://169.254.169.254/',
      '--waves': '50%,25%',
      '--max-unavailable': '150%',
      '--bake': '5 minutes',
      '--on-failure': 'panic',
      '--output': 'xml',
    };
    const checked = checkInput(rolloutOptionsSchema, bad);
    const mistakes = 'mistakes' in checked ? checked.mistakes : [];
    expect(new Set(mistakes.map(({ key }) => key))).toEqual(new Set(Object.keys(bad)));
    expect(mistakes.map(({ text }) => text).join('\n')).toContain(
      '"25%" is not allowed; end with 100%',
    );
  });

  test('C05: a poll interval beyond the deadline is refused, configured or not', () => {
    expect(() => policyOf(parse({ '--poll': '20m' }), {})).toThrow(/pollSeconds: 1200/);
    expect(() => policyOf(parse({ '--poll': '2m' }), { progressDeadlineSeconds: 60 })).toThrow(
      /pollSeconds: 120/,
    );
  });
});
