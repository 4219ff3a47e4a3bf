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

/** Each one more is read by everybody who looks for another, and a promise once it is released. */
const MOST_PATHS = 330;

test('it has so few paths that somebody can know them', () => {
  expect(pathsIn(configJsonSchema(), '').size).toBeLessThanOrEqual(MOST_PATHS);
});

interface Node {
  readonly anyOf?: readonly Node[];
  readonly oneOf?: readonly Node[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: Node | boolean;
  readonly items?: Node;
}

/** Where something may be written: `policies.*.waves[].percent`. */
function pathsIn(node: Node, path: string): Set<string> {
  const { anyOf = [], oneOf = [], properties = {}, additionalProperties, items } = node;
  const own = Object.entries(properties).map(([key, of]) => [`${path}.${key}`, of] as const);
  const below = [
    ...[...anyOf, ...oneOf].map((of) => [path, of] as const),
    ...own,
    ...(typeof additionalProperties === 'object'
      ? ([[`${path}.*`, additionalProperties]] as const)
      : []),
    ...(items === undefined ? [] : ([[`${path}[]`, items]] as const)),
  ];
  return new Set([
    ...own.map(([one]) => one),
    ...below.flatMap(([one, of]) => [...pathsIn(of, one)]),
  ]);
}
