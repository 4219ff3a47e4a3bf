import { describe, expect, test } from '@jest/globals';
import { parseRolloutOptions } from '../../lib/cli/rollout-options.ts';
import { DEFAULT_POLICY } from '../../lib/domain/defaults.ts';
import { ErrorName } from '../../lib/domain/errors.ts';

const GIVEN = {
  'runtime-id': 'shop',
  '--version': '7',
  '--endpoint-url': 'https://example.com/runtime/',
  '--output': 'table',
};

describe('options of rollout start', () => {
  test('what is left out is as in the default policy', () => {
    expect(parseRolloutOptions(GIVEN)).toEqual({
      runtimeId: 'shop',
      version: 7,
      endpointUrl: 'https://example.com/runtime',
      policy: DEFAULT_POLICY,
      output: 'table',
      yes: false,
      debug: false,
    });
  });

  test('what is given overrides it', () => {
    const options = parseRolloutOptions({
      ...GIVEN,
      '--waves': '2,50%,100%',
      '--max-unavailable': '4',
      '--bake': '0',
      '--poll': '30',
      '--progress-deadline': '5m',
      '--on-failure': 'hold',
      '--yes': true,
    });
    expect(options.yes).toBe(true);
    expect(options.policy).toEqual({
      ...DEFAULT_POLICY,
      waves: [{ endpoints: 2 }, { percent: 50 }, { percent: 100 }],
      maxUnavailable: { endpoints: 4 },
      bakeSeconds: 0,
      pollSeconds: 30,
      progressDeadlineSeconds: 300,
      onFailure: 'hold',
    });
  });

  test('C05: --poll 0 polls as often as is allowed, once a second', () => {
    expect(parseRolloutOptions({ ...GIVEN, '--poll': '0' }).policy.pollSeconds).toBe(1);
  });

  test('C01 C02 C03 C06: every mistake is reported at once, under the name that was typed', () => {
    const bad = {
      '--version': '1.5',
      '--endpoint-url': 'http://169.254.169.254/',
      '--waves': '50%,25%',
      '--max-unavailable': '150%',
      '--bake': '5 minutes',
      '--on-failure': 'roll-back',
      '--output': 'xml',
    };
    const message = messageOf(() => parseRolloutOptions(bad));
    for (const name of ['runtime-id', ...Object.keys(bad)]) {
      expect(message).toMatch(new RegExp(`^  ${name}`, 'm'));
    }
    expect(message).toContain('it is not there yet');
    expect(message).toContain('"25%" is not allowed; end with 100%');
  });

  test('C05: a poll interval beyond the deadline is refused', () => {
    const given = { ...GIVEN, '--poll': '20m' };
    expect(messageOf(() => parseRolloutOptions(given))).toContain('pollSeconds: 1200');
  });
});

function messageOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    expect(error).toMatchObject({ name: ErrorName.InvalidInput });
    return (error as Error).message;
  }
  throw new Error('nothing was thrown');
}
