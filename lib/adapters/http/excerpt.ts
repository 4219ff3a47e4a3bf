import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { hideCredentials } from './hide-secrets.ts';
import { startWithoutSecrets } from './known-secrets.ts';
import type { HttpAnswer } from './send-request.ts';

const EXCERPT_LENGTH = 256;
/** This is far more than an excerpt has, because hiding secrets and joining lines make a text shorter. */
export const LONGEST_EXCERPT = 65_536;

/**
 * The start of a text for people, on one line, without secrets: those that this process knows are hidden everywhere, and
 * so are values whose names look like those of secrets.
 *
 * @param length The most characters, at most `LONGEST_EXCERPT`. @default 256
 */
export function excerptOf(body: string, length = EXCERPT_LENGTH): string {
  const text = hideCredentials(startWithoutSecrets(body, LONGEST_EXCERPT))
    // Control and format characters could change the terminal that shows the message.
    .replace(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ')
    .trim();
  // The cut may be in the middle of a character.
  return text.length > length ? `${text.slice(0, length - 1).toWellFormed()}…` : text;
}

/**
 * The answer's JSON, or `undefined` for an empty body. Throws `UpstreamProtocol` for anything else: a proxy may
 * answer with a login page instead of the service, and that must not count as an empty list.
 */
export function readJson(answer: HttpAnswer, source: string): unknown {
  if (answer.body.length === 0) return undefined;
  const text = readText(answer, source);
  const type = headerOf(answer, 'content-type');
  if (type !== undefined && !/json|^text\/plain/i.test(type)) {
    throw protocol(source, `${type} in place of JSON: ${excerptOf(text)}`);
  }
  try {
    return JSON.parse(text);
  } catch {
    // The error has no cause, because the parser's message quotes the body.
    throw protocol(source, `not JSON: ${excerptOf(text)}`);
  }
}

/** For answers whose body has no meaning. Throws `UpstreamProtocol` for a page that is made for people. */
export function refuseHtml(answer: HttpAnswer, source: string): void {
  if (answer.body.length > 0 && /html/i.test(headerOf(answer, 'content-type') ?? '')) {
    throw protocol(source, `a page in place of an answer: ${excerptOf(readText(answer, source))}`);
  }
}

/** The start of any answer's body, for a message. A compressed body is only named, not shown. */
export function excerptOfBody(answer: HttpAnswer, length = EXCERPT_LENGTH): string {
  const encoding = encodingOf(answer);
  return encoding === IDENTITY || answer.body.length === 0
    ? excerptOf(answer.body.toString('utf8'), length)
    : `(a body in content-encoding ${excerptOf(encoding)})`;
}

export function headerOf(answer: HttpAnswer, name: string): string | undefined {
  const value = answer.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function readText(answer: HttpAnswer, source: string): string {
  const encoding = encodingOf(answer);
  if (encoding !== IDENTITY) {
    throw protocol(source, `content-encoding ${encoding}, which was not asked for`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(answer.body);
  } catch (cause) {
    throw new SteprollError(ErrorName.UpstreamProtocol, `${source}: not UTF-8`, { cause });
  }
}

const IDENTITY = 'identity';

function encodingOf(answer: HttpAnswer): string {
  return headerOf(answer, 'content-encoding')?.toLowerCase() ?? IDENTITY;
}

function protocol(source: string, message: string): SteprollError {
  return new SteprollError(ErrorName.UpstreamProtocol, `${source}: ${message}`);
}
