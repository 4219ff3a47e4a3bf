import { excerptOfBody, headerOf } from './body.ts';
import { excerptOf } from './excerpt.ts';
import type { HttpAnswer } from './send-request.ts';

export interface Named {
  readonly method: string;
  readonly path: string;
}

/** Method and path, as every message about an exchange starts. */
export function describe({ method, path }: Named): string {
  return `${method} ${path}`;
}

/**
 * What was asked and what the service said: status, where it redirects to, how many milliseconds it
 * wants us to wait, and the start of the body.
 */
export function describeAnswer(
  asked: Named,
  answer: HttpAnswer,
  waitMs: number,
  secrets: readonly string[],
): string {
  const notes = [
    `${describe(asked)}: ${answer.status}`,
    describeRedirect(asked, answer, secrets),
    waitMs > 0 ? `(again in ${Math.ceil(waitMs / 1_000)} s)` : '',
    excerptOfBody(answer, secrets),
  ];
  return notes.filter((note) => note !== '').join(' ');
}

/** Stands in for the service itself, whose name a relative address does not need. */
const HERE = 'http://service.invalid';

/** The query is left out: that is where a login keeps its tokens. */
function describeRedirect(asked: Named, answer: HttpAnswer, secrets: readonly string[]): string {
  const location = headerOf(answer, 'location');
  const isRedirect = answer.status >= 300 && answer.status < 400;
  const url = isRedirect && location !== undefined ? URL.parse(location, HERE + asked.path) : null;
  if (url === null) return '';
  const origin = url.origin === HERE ? '' : `${url.protocol}//${url.host}`;
  return `to ${excerptOf(origin + url.pathname, secrets)}`;
}
