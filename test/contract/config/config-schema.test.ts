import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { configJsonSchema } from '../../../lib/contract/config/config.ts';
import { DEFAULT_POLICY } from '../../../lib/domain/rollout/default-policy.ts';

const FILE = new URL('../../../schemas/steproll.config.schema.json', import.meta.url);

test('the schema of the configuration is what the code says: npm run schemas', () => {
  expect(JSON.parse(readFileSync(FILE, 'utf8'))).toEqual(
    JSON.parse(JSON.stringify(configJsonSchema())),
  );
});

test('it knows every field of a policy, and no other', () => {
  const { properties } = configJsonSchema() as {
    readonly properties: {
      readonly policies: { readonly additionalProperties: { readonly properties: object } };
    };
  };
  const policy = properties.policies.additionalProperties;
  expect(Object.keys(policy.properties).toSorted()).toEqual(
    [...Object.keys(DEFAULT_POLICY), 'preset', 'quarantine', 'locked'].toSorted(),
  );
  expect(policy).toMatchObject({ additionalProperties: false });
});
