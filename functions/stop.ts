import { openWriteContext } from '../lib/adapters/function/open-write-context.ts';
import { handleStop } from '../lib/steps/handle.ts';
import { createHandler } from './create-handler.ts';

/** Stops the old endpoints of a batch, or the endpoints that a pipeline names. */
export const handler = createHandler('stop', openWriteContext, handleStop);
