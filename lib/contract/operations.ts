import * as z from 'zod';
import { idSchema } from './id.ts';
import { versionSchema } from './rollout-input.ts';

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

/** Input of the `list` function: one page, as the interface pages. */
export const listInputSchema = z.strictObject({
  runtimeId: runtimeIdSchema,
  page: z.int().min(1).default(1).describe('Counted from 1.'),
  size: z.int().min(1).default(10).describe('Endpoints a page.'),
});

/** Input of the `create` function. */
export const createInputSchema = z.strictObject({
  runtimeId: runtimeIdSchema,
  name: z.string().min(1).describe('Name of the endpoint.'),
  version: versionSchema.exactOptional().describe('The service chooses when it is left out.'),
});

/** Input of the `roll` function when a pipeline calls it. */
export const rollInputSchema = z.strictObject({
  runtimeId: runtimeIdSchema,
  version: versionSchema.describe('The version to roll to.'),
  endpointIds: endpointIdsSchema,
});

/** Input of the `stop` function when a pipeline calls it. */
export const stopInputSchema = z.strictObject({
  runtimeId: runtimeIdSchema,
  endpointIds: endpointIdsSchema,
});
