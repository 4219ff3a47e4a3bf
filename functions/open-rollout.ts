import { openOpeningContext } from '../lib/adapters/lambda/opening-context.ts';
import { handleOpenRollout } from '../lib/steps/open-rollout.ts';
import { createHandler } from './create-handler.ts';

/** Takes the lease and freezes the plan. */
export const handler = createHandler('openRollout', openOpeningContext, handleOpenRollout);
