import * as z from 'zod';
import { policySchema } from '../../contract/config/policy.ts';
import { time } from '../../contract/event.ts';
import { askedVersionSchema } from '../../contract/input/checks.ts';
import { gateReading, rolloutPlan } from '../../domain/rollout/stored.ts';
import { recordOf } from '../../domain/stored.ts';

const count = z.int().min(0);
const seconds = z.number().min(0);
const span = z.strictObject({ startsAt: seconds, endsAt: seconds });
const meant = z
  .looseObject({ text: z.string() })
  .nullable()
  .describe('What it was perhaps meant to be, when it matches nothing. null: nothing is near.');

/** What `steproll rollout plan -o json` prints. Fields may be added. */
export const planViewSchema = z.strictObject({
  id: z.string().describe('The same as fingerprint.'),
  fingerprint: z.string().describe('The name of exactly this plan, for `--plan`.'),
  runtimeId: z.string(),
  desiredVersion: z.int().min(1),
  versions: recordOf(z.string(), askedVersionSchema)
    .optional()
    .describe('Of each runtime of a group, where they have versions of their own.'),
  passedOver: z
    .array(z.looseObject({ runtimeId: z.string(), version: z.number(), because: z.string() }))
    .optional()
    .describe('Versions that `latest` does not mean, because they are in quarantine.'),
  revert: z.string().optional().describe('The rollout that it undoes.'),
  endpointUrl: z.string().optional().describe('Base URL of the service.'),
  isBeingMade: z.boolean().describe('Whether a rollout would wait until the version is made.'),
  policy: policySchema,
  plan: rolloutPlan.describe(
    '`endpoints` in their order, `waves`, and what is `leftOut`, and why.',
  ),
  unanswerable: z.array(z.string()).describe('Why gates can never be answered, in sentences.'),
  unsaid: z.array(gateReading).describe('Gates that have no answer now, and why.'),
  matches: z
    .array(
      z.strictObject({
        place: z.string().describe('Where the policy has it: `waves[0].names[1]`.'),
        word: z.string(),
        endpoints: z.array(z.strictObject({ endpointId: z.string(), label: z.string() })),
        unseen: count.describe('Of so many endpoints the list does not show what is compared.'),
        meant,
      }),
    )
    .describe('What each name and pattern of the policy matches.'),
  words: z
    .array(z.strictObject({ word: z.string(), means: z.string(), endpoints: count }))
    .describe('The status words of the list, what each means, and on how many endpoints.'),
  begin: z
    .strictObject({
      at: time.nullable().describe('null: it would be refused, or nobody can say.'),
      endsAt: time.nullable().describe('If all goes well. null: nobody can say.'),
      message: z.string().nullable().describe('Why not at once. null: at once.'),
      waves: z
        .array(z.strictObject({ at: time }))
        .nullable()
        .describe('When each wave can begin.'),
      takesOver: z.string().nullable().describe('The dead rollout that a start would end.'),
    })
    .describe('When it would begin.'),
  estimate: z
    .strictObject({
      seconds: seconds.nullable().describe('null: nobody knows how long a roll takes.'),
      bakeSeconds: seconds,
      rounds: count.describe('How many rolls follow one another.'),
      roundSeconds: seconds.nullable().describe('How long a roll takes. null: not known.'),
      learnedFrom: count.describe('From how many rollouts that is known.'),
      rolls: count,
      listReads: count,
      transitions: count.describe('Of Step Functions.'),
      lambdaCalls: count,
      waves: z
        .array(span.extend({ convergesAt: seconds }))
        .nullable()
        .describe('Seconds after the begin.'),
      waits: z.array(span).nullable().describe('When nothing is rolled, because of windows.'),
    })
    .describe('What it takes, if all goes well.'),
  windows: z
    .strictObject({ faults: z.array(z.string()), doubts: z.array(z.string()) })
    .describe('What keeps windows from opening for it, in sentences. A fault refuses a start.'),
});

/** What `steproll config check -o json` prints. Fields may be added. */
export const configCheckSchema = z.strictObject({
  isGood: z.boolean().describe('Whether every check is `ok`.'),
  endpointUrl: z.string().optional().describe('Base URL of the service.'),
  urlFrom: z.string().describe('Which setting it comes from.'),
  checks: z.array(
    z.strictObject({
      check: z.string().describe('What was tried: `service`, `runtime`, `probe`, `pattern`.'),
      of: z.string().nullable().describe('Of which runtime, schedule, gate or place.'),
      result: z.enum(['ok', 'fault', 'unknown', 'untried']),
      message: z.string().describe('In sentences.'),
      next: time.nullable().describe('When a schedule starts next.'),
      matches: z
        .array(z.strictObject({ of: z.string(), endpointIds: z.array(z.string()), meant }))
        .optional()
        .describe('Of a pattern: what it matches in each runtime.'),
    }),
  ),
});
