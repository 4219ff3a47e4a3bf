import { openService } from '../lib/adapters/function/open-service.ts';
import { createEndpoint } from '../lib/steps/operations.ts';
import { createHandler } from './create-handler.ts';

/** Creates an endpoint on a runtime. */
export const handler = createHandler(openService, createEndpoint);
