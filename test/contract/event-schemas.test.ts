import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { eventSchemas, HOLD_EVENTS, LIFECYCLE_EVENTS } from '../../lib/contract/event.ts';

const FOLDER = new URL('../../schemas/events/', import.meta.url);
const schemas = Object.entries(eventSchemas());

test('there is a schema for each detail type', () => {
  const titles = schemas.map(([, schema]) => (schema as { title?: string }).title);

  const events = [...Object.values(LIFECYCLE_EVENTS), ...Object.values(HOLD_EVENTS)];
  expect(titles).toEqual(events.map(({ detailType }) => detailType));
});

test('there is a file for each schema, and no other', () => {
  expect(readdirSync(FOLDER).toSorted()).toEqual(schemas.map(([name]) => name).toSorted());
});

test.each(schemas)('%s is what the code says: npm run schemas', (name, schema) => {
  expect(JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'))).toEqual(schema);
});

test.each(schemas)('%s is of draft 2020-12, says what each key is, and takes more', (_, schema) => {
  expect(schema).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    description: expect.stringMatching(/\.$/),
  });
  // Later versions may add keys: whoever checks events must not refuse those.
  expect(JSON.stringify(schema)).not.toContain('additionalProperties');
  const { properties } = schema as { readonly properties: Record<string, object> };
  for (const property of Object.values(properties)) {
    expect(property).toMatchObject({ description: expect.stringMatching(/\.$/) });
  }
});
