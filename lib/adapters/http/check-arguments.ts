import * as z from 'zod';
import { parseInput } from '../../contract/parse-input.ts';
import { versionSchema } from '../../contract/rollout-input.ts';
import type { CreateInput, PageQuery } from '../../ports/endpoint-service.ts';

// Programs without types call the client too, and what does not fit would travel in a URL.

const pageSchema = z.object({ page: z.int().min(1), size: z.int().min(1) });
const createSchema = z.object({ name: z.string().min(1), version: versionSchema.optional() });
const rollSchema = z.object({ version: versionSchema });

/** @throws `InvalidInput` */
export function checkPageQuery(query: PageQuery): PageQuery {
  return parseInput(pageSchema, query, 'page');
}

/** @throws `InvalidInput` */
export function checkCreateInput({ name, version }: CreateInput): CreateInput {
  parseInput(createSchema, { name, version }, 'endpoint to create');
  return version === undefined ? { name } : { name, version };
}

/** @throws `InvalidInput` */
export function checkVersion(version: number): number {
  return parseInput(rollSchema, { version }, 'roll').version;
}
