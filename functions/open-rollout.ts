import { openOpeningContext } from '../lib/adapters/function/open-step-context.ts';
import { handleOpenRollout } from '../lib/steps/handle.ts';
import { createHandler } from './create-handler.ts';

/** Takes the lease and freezes the plan. */
export const handler = createHandler('openRollout', openOpeningContext, handleOpenRollout);
