import { openWriteContext } from '../lib/adapters/lambda/step-context.ts';
import { handleRoll } from '../lib/operations/endpoints.ts';
import { createHandler } from './create-handler.ts';

/** Rolls a batch of a rollout, or the endpoints that a pipeline names. */
export const handler = createHandler('roll', openWriteContext, handleRoll);
