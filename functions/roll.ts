import { openWriteContext } from '../lib/adapters/lambda/step-context.ts';
import { rollEndpoints } from '../lib/operations/endpoints.ts';
import { handleRollBatch } from '../lib/steps/roll-batch.ts';
import { createHandler } from './create-handler.ts';

/** Rolls a batch of a rollout, or the endpoints that a pipeline names. */
export const handler = createHandler('roll', openWriteContext, async (payload, context) =>
  'batch' in payload ? handleRollBatch(payload, context) : rollEndpoints(payload, context),
);
