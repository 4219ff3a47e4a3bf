import { openCreate } from '../lib/adapters/lambda/step-context.ts';
import { createEndpoint } from '../lib/handlers/endpoints.ts';
import { createHandler } from './create-handler.ts';

/** Creates an endpoint on a runtime. */
export const handler = createHandler('create', openCreate, createEndpoint);
