import * as z from 'zod';
import { LIFECYCLE_EVENTS } from './lifecycle-event.ts';

/**
 * The details of the lifecycle events as JSON Schemas (draft 2020-12) by the name of their file in
 * `schemas/events`. They take keys that they do not know, because later versions may add some.
 */
export function eventSchemas(): Record<string, object> {
  return Object.fromEntries(
    Object.values(LIFECYCLE_EVENTS).map(({ detailType, detail }) => {
      const { $schema, ...rest } = z.toJSONSchema(detail, { override: allowMore });
      return [eventSchemaFile(detailType), { $schema, title: detailType, ...rest }];
    }),
  );
}

/** `Rollout Started` is in `rollout-started.json`. */
function eventSchemaFile(detailType: string): string {
  return `${detailType.toLowerCase().replaceAll(' ', '-')}.json`;
}

function allowMore({ jsonSchema }: { readonly jsonSchema: { additionalProperties?: unknown } }) {
  delete jsonSchema.additionalProperties;
}
