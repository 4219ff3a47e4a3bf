import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { parseConfig } from '../../lib/contract/config/config.ts';
import {
  AGENTCORE_RESOURCES,
  type AgentCoreResource,
  SERVICES,
} from '../../lib/contract/service/services.ts';
import { createStack } from '../constructs/create-stack.ts';
import { describePermissions } from '../constructs/describe-permissions.ts';
import { AGENTCORE } from '../constructs/everything.ts';

const GUIDE = readFileSync('docs/agentcore.md', 'utf8');

const PERMISSIONS = readFileSync('docs/permissions.md', 'utf8');

/** Each row of the table of permissions: who, the actions for runtimes and those for harnesses, and on what. */
const ROWS = [
  ...PERMISSIONS.matchAll(/^\| ([^|]+?) \| (`\w+`[^|]*?) \| ([^|]+?) \| (`\*`|it.*?) \|$/gm),
];

test('the configuration in the guide is one', () => {
  const [, example = ''] = /^```json\n(.+?)^```$/ms.exec(GUIDE) ?? [];
  const { service } = JSON.parse(example);
  expect(parseConfig(JSON.parse(example))).toMatchObject({ service });
});

test.each(AGENTCORE_RESOURCES)(
  'the table of permissions for a %s names what each function may do, and on what',
  (of) => {
    const service = { kind: 'agentcore', of, region: 'eu-central-1' } as const;
    const lines = describePermissions(createStack({ base: { ...AGENTCORE, service } }));
    const given = lines.flatMap((line) => {
      const [, name = '', actions = '', on = ''] =
        /^(?:Operations|Steps)\/(\w+): (.*bedrock-agentcore:.+) on (.+)$/.exec(line) ?? [];
      return [...actions.matchAll(/bedrock-agentcore:(\w+)/g)].map(([, action = '']) => {
        return { action, name, on: placeOf(on, of) };
      });
    });
    const told = ROWS.flatMap(([, who = '', runtime = '', harness = '', on = '']) => {
      const [, functions] = /functions? (`.+`)$/.exec(who) ?? [];
      // The row for everybody names nobody.
      const names = functions?.replaceAll('`', '').split(', ') ?? CALLERS;
      return [...(of === 'runtime' ? runtime : harness).matchAll(/`(\w+)`/g)].flatMap(
        ([, action = '']) => names.map((name) => ({ action, name, on: on.replaceAll('`', '') })),
      );
    });
    const sorted = (all: readonly object[]) => all.map((one) => JSON.stringify(one)).toSorted();
    expect(ROWS).toHaveLength(5);
    expect(sorted(told)).toEqual(sorted(given));
  },
);

const CALLERS = ['create', 'list', 'openRollout', 'roll', 'look', 'turnAround', 'stop'];

function placeOf(resources: string, of: AgentCoreResource): string {
  if (resources === '*') return '*';
  return resources.includes(`/${of}-endpoint/*`) ? 'it and its endpoints' : 'it';
}

test('the guide names the defaults that differ', () => {
  const { onFailure, statuses } = SERVICES.agentcore.policy;
  const { unknown: _, ...lists } = statuses;
  const words = [onFailure, ...Object.values(lists).flat()];
  expect(words.filter((word) => !GUIDE.includes(`\`${word}\``))).toEqual([]);
});
