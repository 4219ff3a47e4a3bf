import { ErrorName, errorMessageOf, errorNameOf } from '../domain/errors.ts';
import { Refusal } from './refusal.ts';

/** What a client is told of anything that was thrown while its request was dealt with. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) {
    return error;
  }
  if (errorNameOf(error) === ErrorName.InvalidInput) {
    return new Refusal(400, errorMessageOf(error));
  }
  const httpStatus = statusOf(error);
  switch (httpStatus) {
    case 413:
      return new Refusal(413, 'the request body is too large');
    case 415:
      return new Refusal(415, 'send the request body as application/json');
    default:
      return new Refusal(httpStatus, errorMessageOf(error));
  }
}

/** The framework's own errors carry a status; anything else is a bug of this server. */
function statusOf(error: unknown): number {
  const known = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  return typeof known === 'number' ? known : 500;
}
