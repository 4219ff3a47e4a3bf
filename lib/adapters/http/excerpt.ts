import { LONGEST_ESCAPE } from './decode-escapes.ts';
import { hideSecrets } from './hide-secrets.ts';

const MAX_EXCERPT_LENGTH = 256;
/** Far more than is shown, because hiding and joining lines make a text shorter. */
const MAX_SEARCHED_LENGTH = 65_536;

const HIDDEN = '[hidden]';
// Bounded, because a hostile body must not cost more than one pass over it.
const SECRET_VALUE =
  /((?:token|secret|passw(?:or)?d|authorization|api[-_]?key|credential)[\w.-]{0,40}["']?\s{0,9}[:=]\s{0,9})(?:"(?:[^"\\]|\\.)*"?|(?:(?:bearer|basic)\s{1,9})?[^\s"',;&}<]+)/gi;
const CREDENTIAL = /\b(bearer|basic)\s+[\w.~+/=-]+/gi;

/**
 * The start of a text for an error message: at most 256 characters, on one line, without secrets.
 * `secrets` are hidden wherever they stand; what looks like a secret by its name is hidden too.
 */
export function excerptOf(body: string, secrets: readonly string[]): string {
  const text = startWithout(secrets, body)
    .replace(SECRET_VALUE, `$1${HIDDEN}`)
    .replace(CREDENTIAL, `$1 ${HIDDEN}`)
    // Control and format characters could rewrite the terminal that shows the message.
    .replace(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ')
    .trim();
  // The cut may fall into the middle of a character.
  return text.length > MAX_EXCERPT_LENGTH
    ? `${text.slice(0, MAX_EXCERPT_LENGTH - 1).toWellFormed()}…`
    : text;
}

function startWithout(secrets: readonly string[], body: string): string {
  const longest = Math.max(0, ...secrets.map((secret) => secret.length)) * LONGEST_ESCAPE;
  const start = body.slice(0, MAX_SEARCHED_LENGTH + longest);
  const text = hideSecrets(start, secrets);
  // What was cut off may have been the rest of a secret.
  return start.length < body.length ? text.slice(0, Math.max(text.length - longest, 0)) : text;
}
