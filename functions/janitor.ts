import { openJanitor } from '../lib/adapters/lambda/execution-context.ts';
import { handleStatusChange } from '../lib/handlers/janitor.ts';
import { createHandler } from './create-handler.ts';

/** Closes the rollout of an execution that has just ended, if its own last step did not. */
export const handler = createHandler('janitor', openJanitor, handleStatusChange);
