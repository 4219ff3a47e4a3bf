import { describe, expect, test } from '@jest/globals';
import { openConfigSchema } from '../../../lib/contract/config/config.ts';
import { runtimesOfGroup } from '../../../lib/contract/config/groups.ts';
import { policyOfRuntime } from '../../../lib/contract/config/policies.ts';
import { DEFAULT_GROUP_POLICY } from '../../../lib/domain/rollout/group-policy.ts';
import { WHOLE_POLICY } from '../../support/whole-policy.ts';
import { mistakesIn } from '../mistakes-in.ts';

const runtimes = { 'eu-1': {}, 'eu-2': {}, us: {} };
const groupOf = (policy: object) => ({ runtimes, groups: { prod: { runtimes: ['us'], policy } } });

describe('a group of the configuration', () => {
  test('has the runtimes that its patterns match, in the order of the configuration', () => {
    const config = openConfigSchema.parse({
      runtimes,
      groups: { prod: { runtimes: ['us', 'eu-*'] }, eu: { runtimes: ['eu-*'] } },
    });
    expect(runtimesOfGroup(config, 'prod')).toEqual(['eu-1', 'eu-2', 'us']);
    expect(runtimesOfGroup(config, 'eu')).toEqual(['eu-1', 'eu-2']);
    expect(runtimesOfGroup(config, 'asia')).toBeNull();
    expect(runtimesOfGroup(config, 'constructor')).toBeNull();
  });

  test('has a policy of its own: what default says of endpoints does not hold for runtimes', () => {
    const config = openConfigSchema.parse({
      ...groupOf({ maxAtRisk: 3, verify: { alarms: ['errors'] } }),
      policies: { default: { bakeSeconds: 7 } },
    });
    expect(policyOfRuntime(config, 'group:prod')).toEqual({
      ...DEFAULT_GROUP_POLICY,
      maxAtRisk: 3,
      verify: { ...WHOLE_POLICY.verify, alarms: ['errors'] },
    });
  });

  test.each<[string, object, object | string]>([
    ['roll-back', { onFailure: 'roll-back' }, { stuck: 'roll-back', bad: 'roll-back' }],
    ['hold for stop-old', { onFailure: 'stop-old' }, { stuck: 'hold', bad: 'hold' }],
    [
      'each kind by itself',
      { onFailure: { stuck: 'stop-old', bad: 'roll-back' } },
      { stuck: 'hold', bad: 'roll-back' },
    ],
    ['hold, if nobody said anything', {}, 'hold'],
  ])('has what follows a failure from default: %s', (_, said, onFailure) => {
    const policies = { default: said };
    const inherits = openConfigSchema.parse({ ...groupOf({}), policies });
    expect(policyOfRuntime(inherits, 'group:prod').onFailure).toEqual(onFailure);
    const says = openConfigSchema.parse({ ...groupOf({ onFailure: 'hold' }), policies });
    expect(policyOfRuntime(says, 'group:prod').onFailure).toBe('hold');
  });

  test.each<[string, object, string]>([
    [
      'C: a pattern that no runtime matches',
      { runtimes, groups: { prod: { runtimes: ['us', 'ap-*'] } } },
      'groups.prod.runtimes[1]: "ap-*" is not allowed; use the id of an entry in runtimes, or a pattern that one matches',
    ],
    ['C: no runtimes', { runtimes, groups: { prod: { runtimes: [] } } }, 'groups.prod.runtimes'],
    [
      'C: a runtime that is called like a group',
      { runtimes: { 'group:prod': {} } },
      'use an id that does not begin with group:',
    ],
    ['C: a name with a space', { runtimes, groups: { 'a b': { runtimes: ['us'] } } }, 'groups'],
    ['C: a failure policy for endpoints', groupOf({ onFailure: 'stop-old' }), 'policy.onFailure'],
    ['C: what the policy of a runtime says', groupOf({ allowDowngrade: true }), 'allowDowngrade'],
    ['C: a probe, which a runtime has no URL for', groupOf({ verify: { probe: null } }), 'probe'],
    [
      'C: parts that do not fit together',
      groupOf({ pollSeconds: 60, progressDeadlineSeconds: 30 }),
      'groups.prod.policy.pollSeconds',
    ],
  ])('%s is a mistake', (_, config, told) => {
    const mistakes = mistakesIn(openConfigSchema, config);
    expect(mistakes).toHaveLength(1);
    expect(mistakes.join()).toContain(told);
  });

  test('C: a runtime has no limit of what is at risk in its group', () => {
    const config = { policies: { us: { maxAtRisk: 2 } }, runtimes: { us: { policy: 'us' } } };
    expect(mistakesIn(openConfigSchema, config).join()).toContain('maxAtRisk');
  });
});
