import { openVerifyContext } from '../lib/adapters/lambda/step-context.ts';
import { handleCheckWave } from '../lib/steps/check-wave.ts';
import { createHandler } from './create-handler.ts';

/** Reads the list, judges the wave, and asks the gates of those that have baked. */
export const handler = createHandler('checkWave', openVerifyContext, handleCheckWave);
