import { openStepContext } from '../lib/adapters/lambda/step-context.ts';
import { handleCheckWave } from '../lib/steps/check-wave.ts';
import { createHandler } from './create-handler.ts';

/** Reads the list and judges the wave. */
export const handler = createHandler('checkWave', openStepContext, handleCheckWave);
