import { openWriteContext } from '../lib/adapters/function/open-write-context.ts';
import { handleRoll } from '../lib/steps/handle.ts';
import { createHandler } from './create-handler.ts';

/** Rolls a batch of a rollout, or the endpoints that a pipeline names. */
export const handler = createHandler('roll', openWriteContext, handleRoll);
