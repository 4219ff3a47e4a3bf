import { openRecordContext } from '../lib/adapters/lambda/record-context.ts';
import { handleCloseRollout } from '../lib/steps/close-rollout.ts';
import { createHandler } from './create-handler.ts';

/** Writes down the outcome and gives back the lease. */
export const handler = createHandler('closeRollout', openRecordContext, handleCloseRollout);
