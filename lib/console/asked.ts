import * as z from 'zod';
import { reasonSchema } from '../contract/input/checks.ts';
import { parseInput } from '../contract/input/parse-input.ts';
import { ENDING_KINDS, LONGEST_HOLD_MS } from '../domain/holds/hold.ts';
import { OUTCOME_KINDS } from '../domain/rollout/outcome.ts';
import { FAILURE_POLICIES } from '../domain/rollout/policy.ts';
import { namesWave, type SignalRequest } from '../domain/signals/signal-kind.ts';
import { PERSONAL_SIGNALS } from '../domain/signals/signals.ts';

// What the pages of the console ask its server for.

const text = z.string().min(1).max(256);
const day = z.iso.date('use a day such as 2026-01-31');

/** The newest rollouts that have ended are looked through, so many at most. */
export const LOOKED_THROUGH = 1_000;

/** The filters of the history, as they stand in the address of the page. */
export const historyQuerySchema = z.strictObject({
  runtime: text.optional(),
  group: text.optional(),
  version: z.coerce.number().int().min(1).optional().describe('The version that was asked for.'),
  id: text.optional().describe('The id of a rollout, or its beginning.'),
  outcome: z
    .string()
    .transform((kinds) => kinds.split(','))
    .pipe(z.array(z.enum(OUTCOME_KINDS)))
    .optional()
    .describe('One or several, with commas between them.'),
  who: text.optional().describe('A part of the name of who or what started it.'),
  from: day.optional().describe('The first day, in UTC.'),
  to: day.optional().describe('The last day, in UTC.'),
  limit: z.coerce.number().int().min(1).max(LOOKED_THROUGH).default(50),
});
export type HistoryQuery = z.output<typeof historyQuerySchema>;

/** A page exchanges the code of its link. */
export const linkAskedSchema = z.strictObject({
  code: text,
  key: z.uuid().describe('Of the page: it gets the same answer again if the first one is lost.'),
});
export type LinkAsked = z.output<typeof linkAskedSchema>;

/** What happened since a time, as `steproll report --since` says it. */
export const reportQuerySchema = z.strictObject({ since: text.default('8h') });
export type ReportQuery = z.output<typeof reportQuerySchema>;

/** A page has seen a look, and asks for a newer one. */
export const lookQuerySchema = z.strictObject({
  seen: text.optional().describe('The id of the look.'),
});

/** An endpoint that is looked for in every runtime. */
export const endpointQuerySchema = z.strictObject({
  endpoint: text.describe('Its name or id, or the beginning of it.'),
});

export const runtimeQuerySchema = z.strictObject({
  versions: z.coerce.number().int().min(1).max(LOOKED_THROUGH).default(50),
});
export type RuntimeQuery = z.output<typeof runtimeQuerySchema>;

/** What a dialog makes has its key as its id, or as the beginning of its id. Whoever asks twice has it done once. */
export const actKey = z.uuid().optional();

const reason = z.string().trim().max(1_000).default('');
const wave = z.int().min(1).describe('The wave that the person has seen waiting, or baking.');

/** What starts a rollout because of another one, or goes on with one. They are no signals. */
const RUNNING_ACTS = ['retry', 'revert', 'resume'] as const;

/** What a person may do with a rollout, by the last part of the path: run something for it, or send a signal. */
export interface Act extends SignalRequest {
  readonly key?: string | undefined;
  /** One of `RUNNING_ACTS`, or a kind of signal. */
  readonly act: string;
}

const ACTS: ReadonlyMap<string, z.ZodType<Omit<Act, 'act'>>> = new Map([
  ...RUNNING_ACTS.map((act) => [act, z.strictObject({ key: actKey, reason })] as const),
  ...PERSONAL_SIGNALS.map((signal) => {
    const { kind, command } = signal;
    const { policy } = command;
    const ofWave = namesWave(signal) ? { wave } : {};
    const ofBake = signal.endsBake ? { isFull: z.boolean().optional() } : {};
    const onFailure = z.enum(FAILURE_POLICIES).optional();
    const ofPolicy = policy === undefined ? {} : { onFailure };
    return [
      kind,
      z.strictObject({ key: actKey, reason, ...ofWave, ...ofBake, ...ofPolicy }),
    ] as const;
  }),
]);

/** @throws `InvalidInput` that lists every mistake. @returns `null`: there is no such act. */
export function parseAct(act: string, said: unknown): Act | null {
  const schema = ACTS.get(act);
  return schema === undefined ? null : { act, ...parseInput(schema, said, act) };
}

/** What is held, as `steproll hold add` says it. Several kinds have one id, and are lifted together. */
export const holdAskedSchema = z.strictObject({
  key: actKey,
  seen: z
    .array(text)
    .max(10_000)
    .optional()
    .describe(
      'The ids of the holds that the person has seen. Another one that holds the same was added meanwhile.',
    ),
  kinds: z.array(z.enum(ENDING_KINDS)).min(1).max(ENDING_KINDS.length),
  runtimeId: text.optional().describe('@default - everything'),
  rolloutId: text.optional(),
  version: z.int().min(1).optional().describe('Only of a quarantine.'),
  seconds: z
    .int()
    .min(60)
    .max(LONGEST_HOLD_MS / 1_000)
    .describe('For how long.'),
  reason: reasonSchema,
});
export type HoldAsked = z.output<typeof holdAskedSchema>;

export const liftAskedSchema = z.strictObject({
  key: actKey,
  reason: reasonSchema,
  isForced: z.boolean().default(false).describe("Whether it may be another person's."),
});
export type LiftAsked = z.output<typeof liftAskedSchema>;

/** What is rehearsed, as the options of `steproll rehearse` say it. */
export const rehearsalAskedSchema = z.strictObject({
  runtime: text,
  version: text,
  faults: z.enum(['none', 'few', 'many']).default('none'),
  seed: text.default('1'),
});
export type RehearsalAsked = z.output<typeof rehearsalAskedSchema>;
