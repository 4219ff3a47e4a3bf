import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { Template } from 'aws-cdk-lib/assertions';
import { parseConfig } from '../../lib/contract/config/config.ts';
import { createStack } from '../constructs/create-stack.ts';

const GUIDE = readFileSync(new URL('../../docs/deploy.md', import.meta.url), 'utf8');
const { Resources } = Template.fromStack(createStack()).toJSON();
const resources: readonly {
  readonly Type: string;
  readonly DeletionPolicy?: string;
}[] = Object.values(Resources);

test('the example of the guide is a configuration', () => {
  const [, example = ''] = /^```json\n(.+?)^```$/ms.exec(GUIDE) ?? [];
  expect(parseConfig(JSON.parse(example)).runtimes).toHaveProperty('shop');
});

test('a stack that is destroyed leaves what the guide says: the table, and versions that go with functions', () => {
  const retained = resources.filter(({ DeletionPolicy }) => DeletionPolicy?.startsWith('Retain'));
  expect([...new Set(retained.map(({ Type }) => Type))].toSorted()).toEqual([
    'AWS::DynamoDB::Table',
    'AWS::Lambda::Version',
  ]);
});
