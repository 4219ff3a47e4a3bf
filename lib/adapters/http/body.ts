import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { EXCERPT_LENGTH, excerptOf } from './excerpt.ts';
import type { HttpAnswer } from './send-request.ts';

/**
 * The answer's JSON, or `undefined` for an empty body. Throws `UpstreamProtocol` for anything else: a proxy may
 * answer with a login page instead of the service, and that must not count as an empty list.
 */
export function readJson(answer: HttpAnswer, source: string, secrets: readonly string[]): unknown {
  if (answer.body.length === 0) return undefined;
  const text = readText(answer, source);
  const type = headerOf(answer, 'content-type');
  if (type !== undefined && !/json|^text\/plain/i.test(type)) {
    throw protocol(source, `${type} in place of JSON: ${excerptOf(text, secrets)}`);
  }
  try {
    return JSON.parse(text);
  } catch {
    // The error has no cause, because the parser's message quotes the body.
    throw protocol(source, `not JSON: ${excerptOf(text, secrets)}`);
  }
}

/** For answers whose body has no meaning. Throws `UpstreamProtocol` for a page that is made for people. */
export function refuseHtml(answer: HttpAnswer, source: string, secrets: readonly string[]): void {
  if (answer.body.length > 0 && /html/i.test(headerOf(answer, 'content-type') ?? '')) {
    throw protocol(
      source,
      `a page in place of an answer: ${excerptOf(readText(answer, source), secrets)}`,
    );
  }
}

/** The start of any answer's body, for a message. A compressed body is only named, not shown. */
export function excerptOfBody(
  answer: HttpAnswer,
  secrets: readonly string[],
  length = EXCERPT_LENGTH,
): string {
  const encoding = encodingOf(answer);
  return encoding === IDENTITY || answer.body.length === 0
    ? excerptOf(answer.body.toString('utf8'), secrets, length)
    : `(a body in content-encoding ${excerptOf(encoding, secrets)})`;
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
