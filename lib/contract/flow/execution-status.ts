import * as z from 'zod';
import type { Execution } from '../../domain/ending/execution.ts';
import { parseInput } from '../input/parse-input.ts';
import { jsonOf } from '../input/written-json.ts';
import { rolloutIdSchema } from './rollout-input.ts';

/**
 * The event with which Step Functions reports that an execution has ended without success.
 * https://docs.aws.amazon.com/step-functions/latest/dg/eventbridge-integration.html
 */
export const STATUS_CHANGE = {
  source: 'aws.states',
  detailType: 'Step Functions Execution Status Change',
  statuses: ['FAILED', 'TIMED_OUT', 'ABORTED'],
} as const;

/** Reads the event of an execution of this state machine. @throws `InvalidInput` that lists every mistake. */
export function parseStatusChange(event: unknown, stateMachineArn: string) {
  const { detail } = parseInput(statusChangeSchema(stateMachineArn), event, 'status change');
  const { name, input, status, error } = detail;
  return {
    executionName: name,
    /** `null` when the event does not contain it. */
    input: jsonOf(input ?? '') ?? null,
    execution: { status, ...(typeof error === 'string' && { error }) },
  };
}

// Other keys are allowed, because AWS adds keys to its events.
function statusChangeSchema(stateMachineArn: string) {
  return z.object({
    source: z.literal(STATUS_CHANGE.source),
    'detail-type': z.literal(STATUS_CHANGE.detailType),
    detail: z.object({
      stateMachineArn: z.literal(stateMachineArn),
      name: rolloutIdSchema,
      input: z.string().nullish(),
      status: z.enum(STATUS_CHANGE.statuses),
      error: z.string().nullish(),
    }),
  });
}

/** How an execution stands. An unknown status, such as `PENDING_REDRIVE`, does not count as an end. */
export function toExecution(said: {
  status?: string | undefined;
  error?: string | undefined;
}): Execution {
  return {
    status: endedSchema.safeParse(said.status).data ?? 'RUNNING',
    ...(said.error !== undefined && { error: said.error }),
  };
}

const endedSchema = z.enum(['SUCCEEDED', ...STATUS_CHANGE.statuses]);
