import * as z from 'zod';
import { endpointAnswerSchema, pageAnswerSchema, rowsAnswerSchema } from './operation-answers.ts';
import {
  createInputSchema,
  listInputSchema,
  rollInputSchema,
  stopInputSchema,
} from './operations.ts';

/**
 * What the functions that pipelines call take and answer, as JSON Schemas (draft 2020-12) by the name
 * of their file in `schemas/functions`.
 */
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
  'list.output': { title: 'Answer of list: a page', schema: pageAnswerSchema },
  'create.input': { title: 'Input of create', schema: createInputSchema },
  'create.output': { title: 'Answer of create: the endpoint', schema: endpointAnswerSchema },
  'roll.input': { title: 'Input of roll', schema: rollInputSchema },
  'roll.output': { title: 'Answer of roll: a row per endpoint', schema: rowsAnswerSchema },
  'stop.input': { title: 'Input of stop', schema: stopInputSchema },
  'stop.output': { title: 'Answer of stop: a row per endpoint', schema: rowsAnswerSchema },
};
