import { openService } from '../lib/adapters/lambda/step-context.ts';
import { listEndpoints } from '../lib/handlers/endpoints.ts';
import { createHandler } from './create-handler.ts';

/** Answers one page of a runtime's endpoints. */
export const handler = createHandler('list', openService, listEndpoints);
