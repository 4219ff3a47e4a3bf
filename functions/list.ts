import { openService } from '../lib/adapters/function/open-service.ts';
import { listEndpoints } from '../lib/steps/operations.ts';
import { createHandler } from './create-handler.ts';

/** Answers one page of a runtime's endpoints. */
export const handler = createHandler('list', openService, listEndpoints);
