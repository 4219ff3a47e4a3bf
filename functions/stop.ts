import { openWriteContext } from '../lib/adapters/lambda/step-context.ts';
import { stopEndpoints } from '../lib/handlers/endpoints.ts';
import { handleStopBatch } from '../lib/steps/stop-batch.ts';
import { createHandler } from './create-handler.ts';

/** Stops the old endpoints of a batch, or the endpoints that a pipeline names. */
export const handler = createHandler('stop', openWriteContext, async (payload, context) =>
  'batch' in payload ? handleStopBatch(payload, context) : stopEndpoints(payload, context.service),
);
