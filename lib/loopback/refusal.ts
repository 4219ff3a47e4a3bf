import { STATUS_CODES } from 'node:http';
import { ErrorName, errorMessageOf, errorNameOf } from '../domain/errors.ts';

/** The service says no: what the client is told, and how. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly httpStatus: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(httpStatus: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.httpStatus = httpStatus;
    this.headers = headers;
  }

  /** Stable, for programs: the words of the HTTP status, such as `NotFound`. */
  get code(): string {
    return (STATUS_CODES[this.httpStatus] ?? 'Refused').replaceAll(/\W/g, '');
  }
}

/** What a client is told of anything that was thrown while its request was dealt with. */
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

/** The framework's own errors carry a status; anything else is a bug of this server. */
function statusOf(error: unknown): number {
  const known = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  return typeof known === 'number' ? known : 500;
}
