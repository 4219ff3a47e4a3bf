import { openSweep } from '../lib/adapters/function/open-janitor.ts';
import { sweepLeases } from '../lib/steps/sweep-leases.ts';
import { createHandler } from './create-handler.ts';

/** Closes the rollouts that hold a lease and whose executions are dead. */
export const handler = createHandler('sweep', openSweep, (_event, context) => sweepLeases(context));
