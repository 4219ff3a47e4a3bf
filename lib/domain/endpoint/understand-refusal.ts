import { ErrorName, SteprollError } from '../errors.ts';
import { type Endpoint, isBusy, type StatusWords } from './endpoint.ts';

/**
 * What a service means that refuses the roll of an endpoint. Some services answer 400 while they are at work on an
 * endpoint: such a no is not final, because the same roll may succeed once the endpoint has come to rest.
 *
 * @param endpoint In the list on which the roll was decided.
 */
export function understandRefusal(
  error: unknown,
  endpoint: Endpoint | undefined,
  statuses: StatusWords,
): unknown {
  const isNo = error instanceof SteprollError && error.name === ErrorName.UpstreamRejected;
  if (!isNo || endpoint === undefined || !isBusy(endpoint, statuses)) return error;
  const { message, httpStatus } = error;
  return new SteprollError(ErrorName.UpstreamConflict, message, {
    cause: error,
    ...(httpStatus !== undefined && { httpStatus }),
  });
}
