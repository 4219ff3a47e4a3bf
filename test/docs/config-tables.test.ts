import { expect, test } from '@jest/globals';
import { SERVICES } from '../../lib/contract/service/services.ts';
import { DEFAULT_GROUP_POLICY } from '../../lib/domain/rollout/group-policy.ts';
import type { RolloutPolicy } from '../../lib/domain/rollout/policy.ts';
import { configTables, groupPolicyTable } from './config-tables.ts';

const ROWS = configTables()
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) =>
    line
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim())
      .slice(1, -1),
  );

test('every key has a type, and a word about what it is', () => {
  expect(ROWS.length).toBeGreaterThan(90);
  for (const [key, type, , meaning] of ROWS) {
    expect({ key, type, meaning }).toEqual({
      key,
      type: expect.stringMatching(/./),
      meaning: expect.stringMatching(/\.$/),
    });
  }
});

test.each([
  [
    '`onFailure`',
    '`stop-old`, `roll-back`, `hold` or `{stuck, bad}`',
    'stop-old for stuck, roll-back for bad; with AgentCore roll-back for both',
  ],
  [
    '`waves`',
    'list of `{where, percent}`, `{where, endpoints}`, `{endpoints}`, `{percent}`, `{names}` or `{where}`, 100 at most',
    '1 endpoint, 25 %, 100 %',
  ],
  ['`maxUnavailable.percent`', 'number, more than 0, at most 100', ''],
  ['`verify.probe`', '`{path, hosts}` or null', 'none'],
  ['`verify.probe.path`', 'text', 'required'],
  ['`kind`', '`none`, `bearer` or `client-credentials`', 'required'],
  ['`secret`', 'object', ''],
  ['`runtimes`', 'object by id', ''],
  ['`releases[].runtimeId`', 'text or `{path}`', ''],
])('the row of %s: %s, by default %s', (key, type, byDefault) => {
  expect(ROWS.find(([name]) => name === key)?.slice(0, 3)).toEqual([key, type, byDefault]);
});

test('the defaults of a policy are those that hold, for each kind of service', () => {
  const { rest, agentcore } = SERVICES;
  const scalars = Object.entries(rest.policy).filter(([, value]) => typeof value !== 'object');
  expect(scalars.length).toBeGreaterThan(5);
  for (const [name, value] of scalars) {
    const row = ROWS.find(([key]) => key === `\`${name}\``);
    const other = agentcore.policy[name as keyof RolloutPolicy];
    const both = other === value ? `${value}` : `${value}; with AgentCore ${other}`;
    expect([name, row?.[2]]).toEqual([name, both]);
  }
});

test('the defaults of the policy of a group are those that hold', () => {
  const rows = [...groupPolicyTable().matchAll(/^\| `(\w+)` \| whole number.*? \| (\d+) \|/gm)];
  expect(rows.length).toBeGreaterThan(4);
  for (const [, key = '', byDefault] of rows) {
    expect([key, byDefault]).toEqual([key, `${DEFAULT_GROUP_POLICY[key as keyof RolloutPolicy]}`]);
  }
});
