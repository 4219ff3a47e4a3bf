import { openRecordContext } from '../lib/adapters/function/open-record-context.ts';
import { handleCloseRollout } from '../lib/steps/handle.ts';
import { createHandler } from './create-handler.ts';

/** Writes the outcome down and gives the lease back. */
export const handler = createHandler('closeRollout', openRecordContext, handleCloseRollout);
