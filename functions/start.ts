import { openStart } from '../lib/adapters/lambda/execution-context.ts';
import { takeRecordedTrigger } from '../lib/handlers/start.ts';
import { createHandler } from './create-handler.ts';

/** Starts the rollout that a release event or a schedule asks for. */
export const handler = createHandler('start', openStart, takeRecordedTrigger);
