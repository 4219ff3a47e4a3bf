import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { Template } from 'aws-cdk-lib/assertions';
import { createStack } from '../stacks/create-stack.ts';
import { EVERYTHING } from '../stacks/everything.ts';

test('docs/security.md names the services that a deployment needs', () => {
  const text = readFileSync('docs/security.md', 'utf8').replaceAll('\n', ' ');
  const [, list = ''] = /The stack has resources of (.*?);/.exec(text) ?? [];
  const { Resources } = Template.fromStack(createStack({ base: EVERYTHING })).toJSON();
  const types = Object.values(Resources as Record<string, { readonly Type: string }>);
  const services = new Set(types.map(({ Type }) => Type.split('::')[1]));
  expect(list.split(/, | and /)).toEqual([...services].toSorted());
});
