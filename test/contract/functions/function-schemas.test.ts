import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { functionSchemas } from '../../../lib/contract/functions/operations.ts';

const FOLDER = new URL('../../../schemas/functions/', import.meta.url);
const schemas = functionSchemas();

test('there is a file for each schema, and no other', () => {
  expect(readdirSync(FOLDER).toSorted()).toEqual(Object.keys(schemas).toSorted());
});

test.each(Object.entries(schemas))('%s is what the code says: npm run schemas', (name, schema) => {
  expect(JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'))).toEqual(schema);
});

describe('an input', () => {
  const inputs = Object.entries(schemas).filter(([name]) => name.endsWith('.input.json'));

  test.each(inputs)('%s is strict, of draft 2020-12, and says what each key is', (_, schema) => {
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      additionalProperties: false,
    });
    const { properties } = schema as { readonly properties: Record<string, object> };
    for (const property of Object.values(properties)) {
      expect(property).toMatchObject({ description: expect.stringMatching(/\.$/) });
    }
  });
});
