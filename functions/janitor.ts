import { openJanitor } from '../lib/adapters/function/open-janitor.ts';
import { handleStatusChange } from '../lib/steps/close-abandoned.ts';
import { createHandler } from './create-handler.ts';

/** Closes the rollout of an execution that has just ended, where its own last step did not. */
export const handler = createHandler('janitor', openJanitor, handleStatusChange);
