import * as z from 'zod';
import { configCheckSchema, planViewSchema } from './plan-view.ts';
import { rolloutViewSchema } from './rollout-view.ts';
import { WATCH_LINES } from './watch-lines.ts';

/**
 * What `-o json` prints, by the names of the files: the record of `show`, each line of `watch`, a plan, and a check of a
 * configuration. Later versions may add keys, so unknown ones are allowed.
 */
export function outputSchemas(): Readonly<Record<string, object>> {
  const schemas = {
    'rollout.json': rolloutViewSchema,
    'plan.json': planViewSchema,
    'config-check.json': configCheckSchema,
    ...Object.fromEntries(
      Object.entries(WATCH_LINES).map(([kind, schema]) => [`watch.${kind}.json`, schema]),
    ),
  };
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      z.toJSONSchema(schema, { io: 'input', override: allowMore }),
    ]),
  );
}

function allowMore({ jsonSchema }: { readonly jsonSchema: { additionalProperties?: unknown } }) {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
}
