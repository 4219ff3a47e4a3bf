import * as z from 'zod';
import type { Where } from '../../domain/endpoint/attributes.ts';
import { matchesGlob } from '../../domain/glob.ts';
import { recordOf } from '../../domain/stored.ts';
import { attributeName, checkAlways, word, words } from '../input/checks.ts';

/** What the configuration says of a runtime, for the waves of its groups. */
export const runtimeAttributes = recordOf(attributeName, word).describe(
  'What where may mean the runtime by in its groups: {"tier": "internal"}. Default: nothing.',
);

export const whereSchema: z.ZodType<Where, Where> = recordOf(
  attributeName,
  z.union([word, words.min(1)]),
)
  .refine((where) => Object.keys(where).length > 0, 'name an attribute: {"tier": "internal"}')
  .describe(
    'Attributes that it must have, each with its value or a list of possible ones; * stands for any run of characters.',
  );

/** Checks that each attribute that a policy names can be there: the service sends it, or runtimes of the group have it. */
export const checkAttributes = checkAlways<object>((config, report) => {
  for (const { path, policy, known, whence, otherwise } of namingPolicies(Object(config))) {
    const advice =
      known.length === 0 ? otherwise : `use an attribute ${whence}: ${known.join(', ')}`;
    for (const named of namedIn(policy)) {
      if (!known.includes(named.name)) report([...path, ...named.path], named.name, advice);
    }
  }
});

/** The policies of a configuration that may be wrong in any way, and the attributes that each may name. */
function namingPolicies({
  wire,
  service,
  policies,
  runtimes,
  groups,
}: Readonly<Record<string, unknown>>) {
  const known = Object.keys(Object(Object(Object(wire).endpoint).attributes));
  const otherwise = service === undefined ? MAP_IT : NONE_SENT;
  const ofService = entriesOf(policies).map(([name, policy]) => ({
    ...{ path: ['policies', name], policy, known, otherwise },
    whence: 'of wire.endpoint.attributes',
  }));
  const ofGroups = entriesOf(groups).map(([name, group]) => ({
    ...{ path: ['groups', name, 'policy'], policy: Object(group).policy as unknown },
    known: attributesOfRuntimes(runtimes, Object(group).runtimes),
    whence: 'of its runtimes',
    otherwise: GIVE_ONE,
  }));
  return [...ofService, ...ofGroups];
}

const MAP_IT = 'map it to a field of the list first: wire.endpoint.attributes';
const NONE_SENT = 'leave it out: this service sends no attributes';
const GIVE_ONE = 'give its runtimes attributes first: runtimes.ID.attributes';

function entriesOf(record: unknown): [string, unknown][] {
  return Object.entries(Object(record) as Record<string, unknown>);
}

/** Where a policy names which attribute. */
function namedIn(policy: unknown) {
  const { selection, waves, protect } = Object(policy);
  const places: { readonly path: PropertyKey[]; readonly where: unknown }[] = [
    { path: ['selection', 'where'], where: Object(selection).where },
    ...listed('waves', waves),
    ...listed('protect', protect),
  ];
  return places.flatMap(({ path, where }) =>
    typeof where === 'object' ? Object.keys(where ?? {}).map((name) => ({ path, name })) : [],
  );
}

function listed(field: string, list: unknown) {
  return (Array.isArray(list) ? list : []).map((one, index) => {
    return { path: [field, index, 'where'], where: Object(one).where as unknown };
  });
}

function attributesOfRuntimes(runtimes: unknown, patterns: unknown): readonly string[] {
  const those = (Array.isArray(patterns) ? patterns : []).filter((one) => typeof one === 'string');
  const names = entriesOf(runtimes)
    .filter(([id]) => those.some((pattern) => matchesGlob(pattern, id)))
    .flatMap(([, runtime]) => Object.keys(Object(Object(runtime).attributes)));
  return [...new Set(names)];
}
