import { ErrorName, errorNameOf } from '../../domain/errors.ts';
import { type CheckAnswer, readHookAnswer } from '../../gates/check-answer.ts';
import type { SentQuestion } from '../../gates/checks.ts';
import { silent } from '../../gates/gate.ts';
import { codeOf } from '../http/classify-exchange.ts';
import { jsonWithoutSecrets } from '../http/known-secrets.ts';
import type { OpenSockets } from '../http/network.ts';
import { postOnce, signatureOf } from '../http/post-once.ts';
import { systemClock } from '../machine/clock.ts';

interface HowToAsk {
  readonly timeoutSeconds: number;
  /** @default - with nothing but the environment's proxies */
  readonly openSockets?: OpenSockets | undefined;
  /** The shared secret that signs the request. @default - it is not signed */
  readonly key?: string;
  /** Gives the question up. @default - nobody does */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Asks a check once, with a POST on a socket of its own. It is held to its own host, so no redirect is followed. Only a
 * 2xx with one of the words of a hook is an answer.
 */
export async function askUrl(
  url: string,
  question: SentQuestion,
  { timeoutSeconds, openSockets, key, signal }: HowToAsk,
): Promise<CheckAnswer> {
  const body = JSON.stringify(question);
  const headers = {
    'content-type': 'application/json',
    ...signatureOf(question.attemptId, body, systemClock.now(), key),
  };
  const result = await postOnce({ url, headers, body, timeoutSeconds, openSockets, signal });
  if (result.kind === 'no-answer') return silent(whyNoAnswer(result.cause, timeoutSeconds));
  const { status } = result;
  if (status >= 300 && status < 400) return silent(`${status}, redirects are not followed`);
  if (status < 200 || status >= 300) return silent(`${status}, which is no answer`);
  return readHookAnswer(jsonWithoutSecrets(result.body.toString(), ['message']), `${status}`);
}

/** Why there is no answer, for people. */
export function whyNoAnswer(cause: unknown, timeoutSeconds: number): string {
  if (errorNameOf(cause) === ErrorName.UpstreamTimeout) return `no answer in ${timeoutSeconds} s`;
  return `no answer: ${codeOf(cause) || errorNameOf(cause)}`;
}
