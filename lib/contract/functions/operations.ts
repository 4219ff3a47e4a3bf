import * as z from 'zod';
import { idSchema, versionSchema } from '../input/checks.ts';
import { endpointSchema, pageSchema } from '../service/wire.ts';

const runtimeIdSchema = idSchema().describe('Id of the runtime.');

const endpointIdsSchema = z
  .array(idSchema())
  .min(1)
  .max(100)
  .check(({ value, issues }) => {
    const twice = new Set(value.filter((id, index) => value.indexOf(id) !== index));
    if (twice.size > 0) {
      const message = `use each id once: ${[...twice].map((id) => JSON.stringify(id)).join(', ')}`;
      issues.push({ code: 'custom', message, input: value });
    }
  })
  .meta({ uniqueItems: true, description: 'Ids of the endpoints, each once.' });

/** Input of the `list` function: one page, with the same numbers as in the interface. */
export const listInputSchema = z.strictObject({
  runtimeId: runtimeIdSchema,
  page: z.int().min(1).default(1).describe('Counted from 1.'),
  size: z.int().min(1).default(10).describe('Endpoints a page.'),
});

export const createInputSchema = z.strictObject({
  runtimeId: runtimeIdSchema,
  name: z.string().min(1).describe('Name of the endpoint.'),
  version: versionSchema.exactOptional().describe('The service chooses when it is left out.'),
});

export const rollInputSchema = z.strictObject({
  runtimeId: runtimeIdSchema,
  version: versionSchema.describe('The version to roll to.'),
  endpointIds: endpointIdsSchema,
});

export const stopInputSchema = z.strictObject({
  runtimeId: runtimeIdSchema,
  endpointIds: endpointIdsSchema,
});

/** The result for each endpoint that was asked for, in the order of the input. */
export const rowsAnswerSchema = z.array(
  z.object({
    endpointId: z.string(),
    result: z
      .enum(['accepted', 'rejected', 'unknown', 'not-sent'])
      .describe(
        'accepted: the service said yes. rejected: certainly not carried out, and the reason says why. unknown: sent, and no answer came; a list shows the result. not-sent: nothing was sent.',
      ),
    reason: z
      .string()
      .exactOptional()
      .describe(
        'Name of an error; "at-version"; or "not-live" when the version is only its target, or it failed.',
      ),
    message: z.string().exactOptional().describe('For people.'),
    retryAfterSeconds: z
      .int()
      .min(0)
      .exactOptional()
      .describe('How long the service asked us to wait.'),
  }),
);

/** What pipelines call, as JSON Schemas (draft 2020-12), by the name of their file in `schemas/functions`. */
export function functionSchemas(): Record<string, object> {
  return Object.fromEntries(
    Object.entries(SCHEMAS).map(([name, { title, schema }]) => {
      const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input' });
      return [`${name}.json`, { $schema, title, ...rest }];
    }),
  );
}

const SCHEMAS: Readonly<Record<string, { readonly title: string; readonly schema: z.ZodType }>> = {
  'list.input': { title: 'Input of list', schema: listInputSchema },
  'list.output': { title: 'Answer of list: a page', schema: pageSchema },
  'create.input': { title: 'Input of create', schema: createInputSchema },
  'create.output': { title: 'Answer of create: the endpoint', schema: endpointSchema },
  'roll.input': { title: 'Input of roll', schema: rollInputSchema },
  'roll.output': { title: 'Answer of roll: a row per endpoint', schema: rowsAnswerSchema },
  'stop.input': { title: 'Input of stop', schema: stopInputSchema },
  'stop.output': { title: 'Answer of stop: a row per endpoint', schema: rowsAnswerSchema },
};
