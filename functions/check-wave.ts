import { openStepContext } from '../lib/adapters/function/open-step-context.ts';
import { handleCheckWave } from '../lib/steps/handle.ts';
import { createHandler } from './create-handler.ts';

/** Reads the list and judges the wave. */
export const handler = createHandler('checkWave', openStepContext, handleCheckWave);
