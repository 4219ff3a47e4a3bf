import * as z from 'zod';
import { OUTCOME_KINDS } from '../../domain/rollout/outcome.ts';
import { FAILURE_POLICIES } from '../../domain/rollout/policy.ts';
import { parseInput } from '../parsing/parse-input.ts';

// What the pages of the console ask its server for.

const text = z.string().min(1).max(256);
const day = z.iso.date('use a day such as 2026-01-31');

/** The newest rollouts that have ended are looked through, so many at most. */
export const LOOKED_THROUGH = 1_000;

/** The filters of the history, as they stand in the address of the page. */
export const historyQuerySchema = z.strictObject({
  runtime: text.optional(),
  group: text.optional(),
  outcome: z.enum(OUTCOME_KINDS).optional(),
  who: text.optional().describe('A part of the name of who or what started it.'),
  from: day.optional().describe('The first day, in UTC.'),
  to: day.optional().describe('The last day, in UTC.'),
  limit: z.coerce.number().int().min(1).max(LOOKED_THROUGH).default(50),
});
export type HistoryQuery = z.output<typeof historyQuerySchema>;

const reason = z.string().trim().max(1_000).default('');
const wave = z.int().min(1).describe('The wave that the person has seen waiting.');

/** What a person may do with a rollout, by the last part of the path. */
const ACTS = {
  approve: z.strictObject({ reason, wave }),
  reject: z.strictObject({ reason, wave, onFailure: z.enum(FAILURE_POLICIES).optional() }),
  abort: z.strictObject({ reason, onAbort: z.enum(FAILURE_POLICIES).default('hold') }),
  retry: z.strictObject({ reason }),
} as const;
type ActName = keyof typeof ACTS;
export type Act = {
  readonly [Name in ActName]: { readonly act: Name } & z.output<(typeof ACTS)[Name]>;
}[ActName];

export function isAct(name: string): name is ActName {
  return Object.hasOwn(ACTS, name);
}

/** @throws `InvalidInput` that lists every mistake. */
export function parseAct(act: ActName, said: unknown): Act {
  const schema: z.ZodType<object> = ACTS[act];
  return { act, ...parseInput(schema, said, act) } as Act;
}

/** What is rehearsed, as the options of `steproll rehearse` say it. */
export const rehearsalAskedSchema = z.strictObject({
  runtime: text,
  version: text,
  faults: z.enum(['none', 'few', 'many']).default('none'),
  seed: text.default('1'),
});
export type RehearsalAsked = z.output<typeof rehearsalAskedSchema>;
