const MAX_EXCERPT_LENGTH = 256;

const HIDDEN = '[hidden]';
// Bounded, because a hostile body must not cost more than one pass over it.
const SECRET_VALUE =
  /((?:token|secret|passw(?:or)?d|authorization|api[-_]?key|credential)[\w.-]{0,40}["']?\s{0,9}[:=]\s{0,9})(?:"(?:[^"\\]|\\.)*"?|(?:(?:bearer|basic)\s{1,9})?[^\s"',;&}<]+)/gi;
const CREDENTIAL = /\b(bearer|basic)\s+[\w.~+/=-]+/gi;

/**
 * The start of a body for an error message: at most 256 characters, on one line, without secrets.
 * `secrets` are hidden wherever they stand; what looks like a secret by its name is hidden too.
 */
export function excerptOf(body: string, secrets: readonly string[]): string {
  const text = secrets
    .flatMap(spellingsOf)
    .reduce((rest, secret) => rest.replaceAll(secret, HIDDEN), body)
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

/** A secret as it is, and as a page, a link or a log would write it. */
function spellingsOf(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const base64 = Buffer.from(secret).toString('base64');
  return [
    secret,
    json,
    json.replaceAll('/', '\\/'),
    encodeURIComponent(secret),
    base64,
    base64.replace(/=+$/, ''),
    Buffer.from(secret).toString('base64url'),
  ];
}
