import { openStart } from '../lib/adapters/function/open-start.ts';
import { takeRecordedTrigger } from '../lib/steps/take-trigger.ts';
import { createHandler } from './create-handler.ts';

/** Starts the rollout that a release event or a schedule asks for. */
export const handler = createHandler('start', openStart, takeRecordedTrigger);
