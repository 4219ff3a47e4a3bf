import * as z from 'zod';
import { FAILURE_POLICIES } from '../../domain/rollout/policy.ts';
import { parseInput } from '../input/parse-input.ts';

/** What a person answers to a wave over HTTP. That it is a yes or a no is the last part of the path. */
const answerSchema = z.strictObject({
  wave: z.int().min(1).describe('The wave that the person has looked at.'),
  reason: z.string().trim().max(1_000).default(''),
  onFailure: z
    .enum(FAILURE_POLICIES)
    .optional()
    .describe('Only of a no. Default: as in the policy of the rollout.'),
});
export type PersonAnswer = z.output<typeof answerSchema>;

/** @throws `InvalidInput` that lists every mistake. */
export function parseAnswer(said: unknown): PersonAnswer {
  return parseInput(answerSchema, said, 'answer');
}
