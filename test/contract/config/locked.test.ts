import { describe, expect, test } from '@jest/globals';
import { LOCKABLE } from '../../../lib/contract/config/locked.ts';
import {
  completePolicy,
  partialPolicySchema,
  type WrittenPolicy,
} from '../../../lib/contract/config/policy.ts';
import { parsePolicy, parseRolloutInput } from '../../../lib/contract/flow/rollout-input.ts';
import { errorMessageOf } from '../../../lib/domain/errors.ts';

const of = (written: WrittenPolicy) => completePolicy(partialPolicySchema.parse(written));

/** The fields that are refused, of an override of a deployed policy as a person sends it. */
function refused(deployed: WrittenPolicy, asked: WrittenPolicy): readonly string[] {
  const input = { schemaVersion: 1, runtimeId: 'shop', version: 7, policy: asked };
  try {
    parsePolicy(parseRolloutInput(input).policy, of(deployed));
    return [];
  } catch (error) {
    const message = errorMessageOf(error);
    expect(error).toMatchObject({ name: 'PolicyLocked' });
    return [...message.matchAll(/^ {2}- ([\w.]+): /gm)].map(([, field = '']) => field);
  }
}

const alarms = ['shop-5xx'];
const check = (url: string, name = 'smoke') => ({ name, url });
const VERIFY = {
  alarms,
  approval: { timeoutSeconds: 600 },
  checks: [check('https://a.example/x')],
};

const COUNTED = { approval: { timeoutSeconds: 5, count: 2, notTheStarter: true } };

describe('a locked field', () => {
  test.each<[WrittenPolicy, WrittenPolicy]>([
    [{ maxVersionStep: 5 }, { maxVersionStep: 5 }],
    [{ maxVersionStep: 5 }, { maxVersionStep: 1 }],
    [{ protect: ['a'] }, { protect: ['b', 'a'] }],
    [{ bakeSeconds: 60 }, { bakeSeconds: 61 }],
    [{ preset: 'canary' }, { waves: [{ endpoints: 1 }, { percent: 100 }] }],
    [{ minServing: 2 }, { minServing: { endpoints: 3 } }],
    [{ failureThreshold: { percent: 5 } }, { failureThreshold: { endpoints: 0 } }],
    [{ allowDowngrade: true }, { allowDowngrade: false }],
    [{ onConflict: 'latest' }, { onConflict: 'refuse' }],
    [{ quarantine: { afterBad: '2d' } }, { quarantine: { afterBad: '72h' } }],
    [{ waves: LAST_AT_NINE(2) }, { waves: LAST_AT_NINE(2) }],
    [{ verify: VERIFY }, { verify: VERIFY }],
    [{ verify: VERIFY }, { verify: { ...VERIFY, alarms: [...alarms, 'shop-latency'] } }],
    [
      { verify: { approval: { timeoutSeconds: 5, count: 2 } } },
      { verify: { approval: { timeoutSeconds: 9, count: 3, notTheStarter: true } } },
    ],
    [{ verify: {} }, { verify: { approval: { timeoutSeconds: 5 } } }],
    [{ verify: { everySeconds: 60 } }, { verify: { everySeconds: 15 } }],
  ])('%j may be asked as %j', (deployed, asked) => {
    expect(refused({ ...deployed, locked: [...LOCKABLE] }, asked)).toEqual([]);
  });

  test.each<[string, WrittenPolicy, WrittenPolicy]>([
    ['maxVersionStep', { maxVersionStep: 5 }, { maxVersionStep: 6 }],
    ['protect', { protect: ['a', 'b'] }, { protect: ['a'] }],
    ['bakeSeconds', { bakeSeconds: 60 }, { bakeSeconds: 59 }],
    [
      'bakeSeconds',
      { bakeSeconds: 60 },
      { waves: [{ endpoints: 1, bakeSeconds: 0 }, { percent: 100 }] },
    ],
    ['bakeSeconds', { preset: 'careful' }, { bakeSeconds: 3600 }],
    ['waves', {}, { preset: 'all-at-once' }],
    ['maxUnavailable', {}, { preset: 'all-at-once' }],
    ['minServing', { minServing: 2 }, { minServing: { percent: 90 } }],
    ['onFailure', {}, { onFailure: 'hold' }],
    ['windows', { windows: [AT_NINE()] }, { windows: [] }],
    // The wave without windows takes what would have to wait.
    ['windows', { waves: LAST_AT_NINE(1) }, { waves: LAST_AT_NINE(50) }],
    ['windows', { waves: LAST_AT_NINE(1) }, { waves: [{ endpoints: 1 }, { percent: 100 }] }],
    ['freezes', { freezes: [CHRISTMAS()] }, { freezes: [] }],
    ['outsideWindow', { outsideWindow: 'refuse' }, { outsideWindow: 'wait' }],
    ['quarantine', {}, { quarantine: { afterBad: 0 } }],
    ['verify', { verify: COUNTED }, { verify: { approval: { ...COUNTED.approval, count: 1 } } }],
    ['verify', { verify: COUNTED }, { verify: { approval: { timeoutSeconds: 5, count: 3 } } }],
    ['verify', { verify: VERIFY }, { verify: { approval: null } }],
    ['verify', { verify: VERIFY }, { verify: { ...VERIFY, approval: null } }],
    ['verify', { verify: VERIFY }, { verify: { ...VERIFY, alarms: [] } }],
    [
      'verify',
      { verify: VERIFY },
      { verify: { ...VERIFY, approval: { timeoutSeconds: 1, onTimeout: 'approve' } } },
    ],
    ['verify', { verify: VERIFY }, { verify: { ...VERIFY, warmUpSeconds: 60 } }],
    ['verify', { verify: VERIFY }, { verify: { ...VERIFY, redAtStart: 'ignore' } }],
    [
      'verify',
      { verify: VERIFY },
      { verify: { ...VERIFY, checks: [...VERIFY.checks, check('https://a.example/x', 'again')] } },
    ],
  ])('%s is refused: %j, asked as %j', (field, deployed, asked) => {
    const locked: WrittenPolicy['locked'] = [field as never];
    expect(refused({ ...deployed, locked }, asked)).toEqual([field]);
    expect(refused(deployed, asked)).toEqual([]);
  });

  test('every one that is refused is named at once', () => {
    const locked: WrittenPolicy['locked'] = ['protect', 'maxVersionStep', 'verify'];
    const asked: WrittenPolicy = { protect: [], maxVersionStep: 9, verify: {}, bakeSeconds: 0 };
    expect(refused({ protect: ['a'], maxVersionStep: 1, verify: VERIFY, locked }, asked)).toEqual([
      'protect',
      'maxVersionStep',
      'verify',
    ]);
  });
});

describe('with any list of locked fields', () => {
  const probe = { path: '/health', hosts: ['*.shop.example'] };

  test('gates call only what the configuration names', () => {
    const deployed = { verify: VERIFY, locked: [] };
    expect(refused(deployed, { verify: { checks: [check('https://a.example/x')] } })).toEqual([]);
    expect(refused(deployed, { verify: { checks: [check('https://a.example/y')] } })).toEqual([
      'verify.checks',
    ]);
    expect(refused(deployed, { verify: { probe } })).toEqual(['verify.probe']);
    expect(refused({ verify: { probe }, locked: [] }, { verify: { probe } })).toEqual([]);
  });

  test('what undoes a rollout is never locked', () => {
    const deployed = of({ verify: VERIFY, locked: ['verify', 'waves'] });
    expect(() => parsePolicy({ preset: 'all-at-once' }, deployed, LOCKABLE)).not.toThrow();
  });

  test('nobody overrides the list itself', () => {
    const input = { schemaVersion: 1, runtimeId: 'shop', version: 7, policy: { locked: [] } };
    expect(() => parseRolloutInput(input)).toThrow(/policy\.locked|"locked"/);
  });
});

function AT_NINE() {
  return { days: ['mon' as const], from: '09:00', to: '17:00', timeZone: 'Etc/UTC' };
}

function LAST_AT_NINE(endpoints: number) {
  return [{ endpoints }, { percent: 100, windows: [AT_NINE()] }];
}

function CHRISTMAS() {
  return { from: '2026-12-24T00:00', to: '2026-12-27T00:00', timeZone: 'Etc/UTC' };
}
