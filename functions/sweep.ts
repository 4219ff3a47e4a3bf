import { openSweep } from '../lib/adapters/function/open-janitor.ts';
import { sweep } from '../lib/steps/sweep.ts';
import { createHandler } from './create-handler.ts';

/** Closes the rollouts that hold a lease and whose executions are dead. */
export const handler = createHandler('sweep', openSweep, (_event, context) => sweep(context));
