import { excerptOfBody, headerOf } from './body.ts';
import { excerptOf } from './excerpt.ts';
import type { HttpAnswer } from './send-request.ts';

export interface Named {
  readonly method: string;
  readonly path: string;
}

/** Method and path, with which every message about an exchange starts. */
export function describe({ method, path }: Named): string {
  return `${method} ${path}`;
}

/**
 * The request and the service's answer: the status, the target of a redirect, the milliseconds that it wants us to
 * wait, and the start of the body.
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

/** A placeholder for the service itself. A relative address does not need the service's name. */
const HERE = 'http://service.invalid';

/** The query is left out, because a login puts its tokens there. */
function describeRedirect(asked: Named, answer: HttpAnswer, secrets: readonly string[]): string {
  const location = headerOf(answer, 'location');
  const isRedirect = answer.status >= 300 && answer.status < 400;
  const url = isRedirect && location !== undefined ? URL.parse(location, HERE + asked.path) : null;
  if (url === null) return '';
  const origin = url.origin === HERE ? '' : `${url.protocol}//${url.host}`;
  return `to ${excerptOf(origin + url.pathname, secrets)}`;
}
