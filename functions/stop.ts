import { openWriteContext } from '../lib/adapters/lambda/step-context.ts';
import { handleStop } from '../lib/operations/endpoints.ts';
import { createHandler } from './create-handler.ts';

/** Stops the old endpoints of a batch, or the endpoints that a pipeline names. */
export const handler = createHandler('stop', openWriteContext, handleStop);
