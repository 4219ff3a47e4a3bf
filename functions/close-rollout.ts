import { openRecordContext } from '../lib/adapters/lambda/record-context.ts';
import { handleCloseRollout } from '../lib/steps/close-rollout.ts';
import { createHandler } from './create-handler.ts';

/** Writes the outcome down and gives the lease back. */
export const handler = createHandler('closeRollout', openRecordContext, handleCloseRollout);
