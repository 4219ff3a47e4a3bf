import { faultsOfWebhookUrl, type Webhook } from '../../contract/config/webhooks.ts';
import type { SecretSource } from '../../contract/input/secret-source.ts';
import { ErrorName, errorMessageOf, SteprollError } from '../../domain/errors.ts';
import { webhookBody } from '../../telling/messages/webhook-message.ts';
import { whyNoAnswer } from '../gates/ask-url.ts';
import { headerOf } from '../http/excerpt.ts';
import { hideKnownSecrets } from '../http/known-secrets.ts';
import type { OpenSockets } from '../http/network.ts';
import { postOnce, signatureOf } from '../http/post-once.ts';
import { parseRetryAfter } from '../http/retry-after.ts';
import type { IsEnough } from '../http/send-request.ts';
import { systemClock } from '../machine/clock.ts';
import type { Message } from './outbox.ts';

/**
 * What became of one try.
 * - `failed`: a later try may help, not before `waitMs`.
 * - `refused`: the server does not want this message.
 */
export type Delivery =
  | { readonly result: 'delivered' }
  | { readonly result: 'refused'; readonly why: string }
  | { readonly result: 'failed'; readonly why: string; readonly waitMs: number };

/** Tries once to deliver a message. Never throws. */
export type Deliver = (
  webhook: Webhook,
  message: Message,
  signal: AbortSignal,
) => Promise<Delivery>;

interface HowToDeliver {
  readonly openSockets: OpenSockets;
  readonly readSecret: (source: SecretSource) => Promise<string>;
  /** Hosts that may be called over plain http. @default - this machine alone */
  readonly allowHttp?: readonly string[] | undefined;
}

/** Seconds for one try. */
const TIMEOUT_SECONDS = 10;
/** The answers that are about the message, and not about the way to the server. */
const REFUSALS: readonly number[] = [400, 413, 422];
/** Whatever follows the status, the server has the message or has not. */
const HAS_STATUS: IsEnough = (status) => status >= 200;

export function createDeliverer(how: HowToDeliver): Deliver {
  return async (webhook, { eventId, text }, signal) => {
    const failed = (why: string, waitMs = 0) => ({ result: 'failed', why, waitMs }) as const;
    try {
      const url = await readWebhookUrl(webhook, how);
      const key = webhook.secret && (await how.readSecret(webhook.secret));
      const body = webhookBody(webhook.format, text);
      const answer = await postOnce({
        ...{ url, body, signal, timeoutSeconds: TIMEOUT_SECONDS, openSockets: how.openSockets },
        isEnough: HAS_STATUS,
        headers: {
          'content-type': 'application/json',
          ...signatureOf(eventId, body, systemClock.now(), key),
        },
      });
      if (answer.kind === 'no-answer') return failed(whyNoAnswer(answer.cause, TIMEOUT_SECONDS));
      const { status } = answer;
      if (status >= 200 && status < 300) return { result: 'delivered' };
      if (status >= 300 && status < 400) return failed(`${status}, redirects are not followed`);
      if (REFUSALS.includes(status)) return { result: 'refused', why: `${status}` };
      const [after, date] = [headerOf(answer, 'retry-after'), headerOf(answer, 'date')];
      return failed(`${status}`, parseRetryAfter(after, date, systemClock.now()) ?? 0);
    } catch (error) {
      return failed(hideKnownSecrets(errorMessageOf(error)));
    }
  };
}

/** @throws `SecretUnavailable`, `InvalidInput`. No message has a part of the URL. */
export async function readWebhookUrl(
  { url }: Pick<Webhook, 'url'>,
  { readSecret, allowHttp }: Pick<HowToDeliver, 'readSecret' | 'allowHttp'>,
): Promise<string> {
  if (typeof url === 'string') return url;
  const read = await readSecret(url);
  const faults = faultsOfWebhookUrl(read, { allowHttp });
  if (faults.length === 0) return read;
  throw new SteprollError(ErrorName.InvalidInput, `the URL in its secret: ${faults.join('; ')}`);
}
