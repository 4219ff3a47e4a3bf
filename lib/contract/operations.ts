import * as z from 'zod';
import { runtimeIdSchema, versionSchema } from './rollout-input.ts';

const endpointIdsSchema = z.array(z.string().min(1).max(256)).min(1).max(100);

/** Input of the `list` function: one page, as the interface pages. */
export const listInputSchema = z.strictObject({
  runtimeId: runtimeIdSchema,
  /** 1-based. */
  page: z.int().min(1).default(1),
  size: z.int().min(1).default(10),
});

/** Input of the `create` function. */
export const createInputSchema = z.strictObject({
  runtimeId: runtimeIdSchema,
  name: z.string().min(1),
  version: versionSchema.exactOptional(),
});

/** Input of the `roll` function when a pipeline calls it. */
export const rollInputSchema = z.strictObject({
  runtimeId: runtimeIdSchema,
  version: versionSchema,
  endpointIds: endpointIdsSchema,
});

/** Input of the `stop` function when a pipeline calls it. */
export const stopInputSchema = z.strictObject({
  runtimeId: runtimeIdSchema,
  endpointIds: endpointIdsSchema,
});
