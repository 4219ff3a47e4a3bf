import { STATUS_CODES } from 'node:http';
import { ErrorName, errorMessageOf, errorNameOf } from '../domain/errors.ts';

/** A refusal of the service, with the answer to the client. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly httpStatus: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(httpStatus: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.httpStatus = httpStatus;
    this.headers = headers;
  }

  /** A stable name for programs, from the words of the HTTP status: `NotFound`. */
  get code(): string {
    return (STATUS_CODES[this.httpStatus] ?? 'Refused').replaceAll(/\W/g, '');
  }
}

/** The answer to the client for anything that was thrown while its request was handled. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (errorNameOf(error) === ErrorName.InvalidInput) return new Refusal(400, errorMessageOf(error));
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

/** The framework's own errors have a status. Any other error is a bug of this server. */
function statusOf(error: unknown): number {
  const known = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  return typeof known === 'number' ? known : 500;
}
