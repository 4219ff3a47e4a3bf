import * as z from 'zod';
import { OUTCOME_KINDS } from '../../domain/rollout/outcome.ts';
import { FAILURE_POLICIES, type FailurePolicy } from '../../domain/rollout/policy.ts';
import { namesWave } from '../../domain/signals/signal-kind.ts';
import { PERSONAL_SIGNALS } from '../../domain/signals/signals.ts';
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

/** How much of a runtime is wanted. */
export const runtimeQuerySchema = z.strictObject({
  versions: z.coerce.number().int().min(1).max(LOOKED_THROUGH).default(50),
});
export type RuntimeQuery = z.output<typeof runtimeQuerySchema>;

const reason = z.string().trim().max(1_000).default('');
const wave = z.int().min(1).describe('The wave that the person has seen waiting, or baking.');

/** What a person may do with a rollout, by the last part of the path: retry it, or send a signal. */
export interface Act {
  /** `retry`, or a kind of signal. */
  readonly act: string;
  readonly reason: string;
  /** 1-based. @default - it names no wave */
  readonly wave?: number | undefined;
  readonly onFailure?: FailurePolicy | undefined;
}

const ACTS: ReadonlyMap<string, z.ZodType<Omit<Act, 'act'>>> = new Map([
  ['retry', z.strictObject({ reason })],
  ...PERSONAL_SIGNALS.map((signal) => {
    const { kind, command } = signal;
    const { policy } = command;
    const ofWave = namesWave(signal) ? { wave } : {};
    const onFailure = z.enum(FAILURE_POLICIES).optional();
    const ofPolicy = policy === undefined ? {} : { onFailure };
    return [kind, z.strictObject({ reason, ...ofWave, ...ofPolicy })] as const;
  }),
]);

/** @throws `InvalidInput` that lists every mistake. @returns `null`: there is no such act. */
export function parseAct(act: string, said: unknown): Act | null {
  const schema = ACTS.get(act);
  return schema === undefined ? null : { act, ...parseInput(schema, said, act) };
}

/** What is rehearsed, as the options of `steproll rehearse` say it. */
export const rehearsalAskedSchema = z.strictObject({
  runtime: text,
  version: text,
  faults: z.enum(['none', 'few', 'many']).default('none'),
  seed: text.default('1'),
});
export type RehearsalAsked = z.output<typeof rehearsalAskedSchema>;
