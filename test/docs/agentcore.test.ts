import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { parseConfig } from '../../lib/contract/config/config.ts';
import { SERVICES } from '../../lib/contract/service/services.ts';
import { createStack } from '../constructs/create-stack.ts';
import { describePermissions } from '../constructs/describe-permissions.ts';
import { AGENTCORE } from '../constructs/everything.ts';

const GUIDE = readFileSync('docs/agentcore.md', 'utf8');

/** Each action in the table of permissions, with the row around it. */
const ROWS = [...GUIDE.matchAll(/^\| (.+?) \| `(bedrock-agentcore:\w+)`.*? \| (.+?) \|$/gm)];

test('the configuration in the guide is one', () => {
  const [, example = ''] = /^```json\n(.+?)^```$/ms.exec(GUIDE) ?? [];
  const { service } = JSON.parse(example);
  expect(parseConfig(JSON.parse(example))).toMatchObject({ service });
});

test('the table of permissions names what each function may do, and on what', () => {
  const given = describePermissions(createStack({ base: AGENTCORE })).flatMap((line) => {
    const [, name = '', actions = '', on = ''] =
      /^(?:Operations|Steps)\/(\w+): (.*bedrock-agentcore:.+) on (.+)$/.exec(line) ?? [];
    return actions
      .split(', ')
      .filter((action) => action.startsWith('bedrock-agentcore:'))
      .map((action) => ({ action, name, on: placeOf(on) }));
  });
  expect(ROWS).toHaveLength(new Set(given.map(({ action }) => action)).size);
  for (const [, who = '', action, on] of ROWS) {
    const owners = given.filter((one) => one.action === action);
    expect([action, on?.replaceAll('`', '')]).toEqual([action, owners[0]?.on]);
    const [, functions] = /functions? (`.+`)$/.exec(who) ?? [];
    // The row for everybody names nobody.
    const named = functions?.replaceAll('`', '').split(', ') ?? CALLERS;
    expect([action, owners.map(({ name }) => name).toSorted()]).toEqual([action, named.toSorted()]);
  }
});

const CALLERS = ['create', 'list', 'openRollout', 'roll', 'look', 'turnAround', 'stop'];

function placeOf(resources: string): string {
  if (resources === '*') return '*';
  return resources.includes('/runtime-endpoint/*')
    ? 'the runtime and its endpoints'
    : 'the runtime';
}

test('the guide names the defaults that differ', () => {
  const { onFailure, statuses } = SERVICES.agentcore.policy;
  const { unknown: _, ...lists } = statuses;
  const words = [onFailure, ...Object.values(lists).flat()];
  expect(words.filter((word) => !GUIDE.includes(`\`${word}\``))).toEqual([]);
});
