import { openCreate } from '../lib/adapters/function/open-service.ts';
import { createEndpoint } from '../lib/steps/create-endpoint.ts';
import { createHandler } from './create-handler.ts';

/** Creates an endpoint on a runtime. */
export const handler = createHandler('create', openCreate, createEndpoint);
