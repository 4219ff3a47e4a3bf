import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { outputSchemas } from '../../../lib/telling/view/output-schemas.ts';

const FOLDER = new URL('../../../schemas/output/', import.meta.url);
const schemas = Object.entries(outputSchemas());

test('there is a file for each schema, and no other', () => {
  expect(readdirSync(FOLDER).toSorted()).toEqual(schemas.map(([name]) => name).toSorted());
});

test.each(schemas)('%s is what the code says: npm run schemas', (name, schema) => {
  expect(JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'))).toEqual(schema);
  // Later versions may add keys: a program that checks what is printed must not refuse those.
  expect(JSON.stringify(schema)).not.toContain('"additionalProperties":false');
});
