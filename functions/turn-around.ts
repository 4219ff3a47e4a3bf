import { openStepContext } from '../lib/adapters/lambda/step-context.ts';
import { handleTurnAround } from '../lib/steps/turn-around.ts';
import { createHandler } from './create-handler.ts';

/** Draws the plan of the way back and freezes it. */
export const handler = createHandler('turnAround', openStepContext, handleTurnAround);
