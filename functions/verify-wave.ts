import { openVerifyContext } from '../lib/adapters/function/open-verify-context.ts';
import { handleVerifyWave } from '../lib/steps/handle.ts';
import { createHandler } from './create-handler.ts';

/** Reads the list after the bake. */
export const handler = createHandler('verifyWave', openVerifyContext, handleVerifyWave);
