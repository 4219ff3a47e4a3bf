import * as z from 'zod';
import { openConfigSchema } from './config.ts';

/** `steproll.config.json` as a JSON Schema (draft 2020-12), for editors. */
export function configJsonSchema(): object {
  const { $schema, ...rest } = z.toJSONSchema(openConfigSchema, { io: 'input' });
  return { $schema, title: 'Configuration of steproll', ...rest };
}
