import { openRecordContext } from '../lib/adapters/lambda/record-context.ts';
import { handleTurnAround } from '../lib/steps/turn-around.ts';
import { createHandler } from './create-handler.ts';

/** Freezes the plan of a rollback. */
export const handler = createHandler('turnAround', openRecordContext, handleTurnAround);
