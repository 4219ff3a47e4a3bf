import { openVerifyContext } from '../lib/adapters/lambda/step-context.ts';
import { handleLook } from '../lib/steps/look.ts';
import { createHandler } from './create-handler.ts';

/** Looks at a wave after each wait. */
export const handler = createHandler('look', openVerifyContext, handleLook);
