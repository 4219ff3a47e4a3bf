import { describe, expect, test } from '@jest/globals';
import * as z from 'zod';
import { policyOf, policyShape } from '../../../lib/cli/options/policy-shape.ts';
import type { Policies } from '../../../lib/contract/config/policies.ts';
import { checkInput, parseInput } from '../../../lib/contract/input/parse-input.ts';
import { WEEKDAYS } from '../../../lib/domain/local-time.ts';
import { PRESETS } from '../../../lib/domain/rollout/default-policy.ts';
import { WHOLE_POLICY } from '../../support/whole-policy.ts';

const schema = z.strictObject(policyShape);
const NOTHING: Policies = { policies: {}, runtimes: {} };

/** The policy of a rollout of `shop` that is started with these options. */
function policyFor(options: object, configured: Partial<Policies> = {}) {
  return policyOf(parseInput(schema, options, 'arguments'), { ...NOTHING, ...configured }, 'shop');
}

describe('options of a policy', () => {
  test('without any, the policy is the default one', () => {
    expect(policyFor({})).toEqual(WHOLE_POLICY);
  });

  test.each<[option: object, field: object]>([
    [{ '--waves': '2,50%,100%' }, { waves: [{ endpoints: 2 }, { percent: 50 }, { percent: 100 }] }],
    [{ '--max-unavailable': '4' }, { maxUnavailable: { endpoints: 4 } }],
    [{ '--failure-threshold': '0' }, { failureThreshold: { endpoints: 0 } }],
    [{ '--failure-threshold': '5%' }, { failureThreshold: { percent: 5 } }],
    [{ '--bake': '0' }, { bakeSeconds: 0 }],
    [{ '--progress-deadline': '5m' }, { progressDeadlineSeconds: 300 }],
    // How often is said: it does not grow.
    [{ '--poll': '7' }, { pollSeconds: 7, maxPollSeconds: 7 }],
    // C05: the list is read at most once a second.
    [{ '--on-failure': 'roll-back' }, { onFailure: 'roll-back' }],
    [{ '--allow-downgrade': true }, { allowDowngrade: true }],
    [{ '--max-version-step': '5000' }, { maxVersionStep: 5000 }],
    [{ '--any-time': true }, { windows: [], freezes: [] }],
    [{ '--on-conflict': 'latest' }, { onConflict: 'latest' }],
  ])('%j overrides its field alone', (option, field) => {
    const configured = {
      waves: [{ percent: 100 }],
      maxUnavailable: { endpoints: 9 },
      failureThreshold: { endpoints: 9 },
      bakeSeconds: 9,
      progressDeadlineSeconds: 900,
      pollSeconds: 9,
      maxPollSeconds: 99,
      onFailure: 'hold',
      minServing: 9,
      outsideWindow: 'refuse',
      onConflict: 'refuse',
    } as const;
    const policy = {
      ...configured,
      waves: [...configured.waves],
      windows: [{ days: [...WEEKDAYS], from: '09:00', to: '16:00', timeZone: 'UTC' }],
      freezes: [{ from: '2026-12-18T18:00', to: '2027-01-04T08:00', timeZone: 'UTC' }],
    };
    expect(policyFor(option, { policies: { default: policy } })).toEqual({
      ...WHOLE_POLICY,
      ...policy,
      ...field,
    });
  });

  test("the runtime's own policy is overridden, and that of another runtime is not looked at", () => {
    const configured: Policies = {
      policies: {
        default: { bakeSeconds: 60, minServing: 2, onFailure: 'hold' },
        shop: { bakeSeconds: 7, pollSeconds: 2 },
        cart: { bakeSeconds: 8, protect: ['web-1'] },
      },
      runtimes: {
        shop: { policy: 'shop' },
        cart: { policy: 'cart' },
      },
    };
    expect(policyFor({ '--poll': '3' }, configured)).toEqual({
      ...WHOLE_POLICY,
      bakeSeconds: 7,
      minServing: 2,
      onFailure: 'hold',
      pollSeconds: 3,
      maxPollSeconds: 3,
    });
  });
});

describe('--preset', () => {
  test('overrides the configured fields that it speaks of, and no others', () => {
    const policy = { waves: [{ percent: 100 }], onFailure: 'hold' } as const;
    const configured = { policies: { default: { ...policy, waves: [...policy.waves] } } };
    expect(policyFor({ '--preset': 'linear' }, configured)).toEqual({
      ...WHOLE_POLICY,
      ...PRESETS.linear,
      onFailure: 'hold',
    });
  });

  test('gives way to what is said beside it', () => {
    const options = { '--preset': 'all-at-once', '--max-unavailable': '2' };
    expect(policyFor(options)).toEqual({
      ...WHOLE_POLICY,
      ...PRESETS['all-at-once'],
      maxUnavailable: { endpoints: 2 },
    });
  });
});

describe('--select and --exclude', () => {
  test('take names, patterns and ids', () => {
    const options = { '--select': 'web-*, id:e-1,api-1', '--exclude': 'web-9,id:e-2' };
    expect(policyFor(options).selection).toEqual({
      names: ['web-*', 'api-1'],
      ids: ['e-1'],
      exclude: ['web-9', 'e-2'],
    });
  });

  const selection = { names: ['web-*'], ids: ['e-7'], exclude: ['web-1'] };

  test('--exclude leaves what is selected as it is configured: it never adds an endpoint', () => {
    const policy = policyFor({ '--exclude': 'web-2' }, { policies: { default: { selection } } });
    expect(policy.selection).toEqual({ ...selection, exclude: ['web-2'] });
  });

  test('--select leaves what is excluded as it is configured', () => {
    const policy = policyFor({ '--select': 'api-*' }, { policies: { default: { selection } } });
    expect(policy.selection).toEqual({ names: ['api-*'], ids: [], exclude: ['web-1'] });
  });
});

describe('mistakes', () => {
  test.each([
    ['--waves', '5%'],
    ['--waves', 'name:'],
    ['--waves', '1@8d,100%'],
    ['--max-unavailable', '0'],
    ['--failure-threshold', '101%'],
    ['--bake', '8d'],
    ['--poll', '2h'],
    ['--poll', '0'],
    ['--progress-deadline', '0'],
    ['--select', ','],
    ['--on-failure', 'rollback'],
    ['--on-conflict', 'queue'],
    ['--preset', 'Canary'],
  ])('C01 C02 C03: %s %s is refused under the name that was typed', (option, text) => {
    const checked = checkInput(schema, { [option]: text });
    expect('mistakes' in checked && checked.mistakes[0]?.key).toBe(option);
  });

  test('C05: a poll interval beyond the deadline is refused, wherever that comes from', () => {
    expect(() => policyFor({ '--poll': '20m' })).toThrow(/pollSeconds: 1200/);
    const policies = { default: { progressDeadlineSeconds: 60 } };
    expect(() => policyFor({ '--poll': '2m' }, { policies })).toThrow(/pollSeconds: 120/);
    const own = { '--poll': '2m', '--progress-deadline': '1m' };
    expect(() => policyFor(own)).toThrow(/pollSeconds: 120/);
  });
});
