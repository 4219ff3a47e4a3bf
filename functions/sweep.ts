import { openJanitor } from '../lib/adapters/lambda/execution-context.ts';
import { sweep } from '../lib/handlers/janitor.ts';
import { createHandler } from './create-handler.ts';

/** Closes the rollouts that hold a lease and whose executions are dead. */
export const handler = createHandler('sweep', openJanitor, (_event, context) => sweep(context));
