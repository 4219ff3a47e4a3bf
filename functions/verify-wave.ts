import { openStepContext } from '../lib/adapters/function/open-step-context.ts';
import { handleVerifyWave } from '../lib/steps/handle.ts';
import { createHandler } from './create-handler.ts';

/** Reads the list after the bake. */
export const handler = createHandler('verifyWave', openStepContext, handleVerifyWave);
