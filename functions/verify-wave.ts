import { openVerifyContext } from '../lib/adapters/lambda/step-context.ts';
import { handleVerifyWave } from '../lib/steps/verify-wave.ts';
import { createHandler } from './create-handler.ts';

/** Reads the list after the bake. */
export const handler = createHandler('verifyWave', openVerifyContext, handleVerifyWave);
