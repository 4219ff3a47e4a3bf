import { openCreate } from '../lib/adapters/lambda/step-context.ts';
import { createEndpoint } from '../lib/operations/endpoints.ts';
import { createHandler } from './create-handler.ts';

/** Creates an endpoint on a runtime. */
export const handler = createHandler('create', openCreate, createEndpoint);
