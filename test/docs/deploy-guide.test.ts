import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { Template } from 'aws-cdk-lib/assertions';
import { parseConfig } from '../../lib/contract/config/config.ts';
import { createStack } from '../constructs/create-stack.ts';

const GUIDE = readFileSync(new URL('../../docs/deploy.md', import.meta.url), 'utf8');
const COST = readFileSync(new URL('../../docs/cost.md', import.meta.url), 'utf8');
const { Resources } = Template.fromStack(createStack()).toJSON();
const resources: readonly {
  readonly Type: string;
  readonly DeletionPolicy?: string;
  readonly Properties?: { readonly Metrics?: readonly { readonly MetricStat?: object }[] };
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

test('the page of cost counts the metrics of the alarms, and adds up', () => {
  const alarms = resources.filter(({ Type }) => Type === 'AWS::CloudWatch::Alarm');
  const metrics = alarms.reduce((sum, { Properties }) => sum + metricsOf(Properties?.Metrics), 0);
  expect(COST).toContain(`| alarms | ${metrics} metrics × 0.10 | ${(metrics / 10).toFixed(2)} |`);
  expect(COST).toContain(`**${(metrics / 10 + 3 + 0.4 + 0.36).toFixed(2)}**`);
});

/** An alarm looks at one metric, or at those that an expression names. */
function metricsOf(metrics: readonly { readonly MetricStat?: object }[] | undefined): number {
  return metrics?.filter(({ MetricStat }) => MetricStat !== undefined).length ?? 1;
}

test.each([1, 2, 3])('the months of the page of cost add up: column %s', (column) => {
  const [, table = ''] = /^\| \| small \|.*\n((?:\|.*\n)+)/m.exec(COST) ?? [];
  const cells = table.split('\n').flatMap((line) => line.split('|')[column + 1] ?? []);
  const dollars = cells.slice(3).map((cell) => Number(/([\d.]+)\D*$/.exec(cell)?.[1]));
  const together = dollars.pop() ?? 0;
  expect(dollars).toHaveLength(6);
  expect(dollars.reduce((sum, each) => sum + each, 0)).toBeCloseTo(together, 2);
});
