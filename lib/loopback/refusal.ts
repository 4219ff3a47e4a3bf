import { STATUS_CODES } from 'node:http';

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
