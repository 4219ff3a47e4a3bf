import { ErrorName, SteprollError } from '../domain/errors.ts';

/**
 * Answers a token that can stand in a header as it is. Node trims a newline at a header's end without
 * a word, so a token that is off is refused.
 *
 * @param from What the place is called that it came from. @default - it has no name
 * @throws `InvalidCredential`, without the token.
 */
export function checkBearerToken(token: string, from?: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  const place = from === undefined ? '' : `${from}: `;
  throw new SteprollError(
    ErrorName.InvalidCredential,
    `${place}the token must be visible ASCII, without white space`,
  );
}
