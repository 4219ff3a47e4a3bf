import { openRollContext } from '../lib/adapters/lambda/step-context.ts';
import { rollEndpoints } from '../lib/handlers/endpoints.ts';
import { withChildren } from '../lib/handlers/start-child.ts';
import { handleRollBatch } from '../lib/steps/roll-batch.ts';
import { createHandler } from './create-handler.ts';

/** Rolls a batch of a rollout, or the endpoints that a pipeline names. */
export const handler = createHandler('roll', openRollContext, async (payload, context) =>
  'batch' in payload
    ? handleRollBatch(payload, withChildren(payload, context))
    : rollEndpoints(payload, context),
);
