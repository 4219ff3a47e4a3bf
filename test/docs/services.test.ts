import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { createStack } from '../constructs/create-stack.ts';
import { EVERYTHING } from '../constructs/everything.ts';
import { resourcesOf } from '../constructs/read-template.ts';

test('docs/security.md names the services that a deployment needs', () => {
  const text = readFileSync('docs/security.md', 'utf8').replaceAll('\n', ' ');
  const [, list = ''] = /The stack has resources of (.*?);/.exec(text) ?? [];
  const resources = Object.values(resourcesOf(createStack({ base: EVERYTHING })));
  const services = new Set(resources.map(({ Type }) => Type.split('::')[1]));
  expect(list.split(/, | and /)).toEqual([...services].toSorted());
});
