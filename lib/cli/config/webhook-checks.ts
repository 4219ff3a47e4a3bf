import type { OpenConfig } from '../../contract/config/config.ts';
import type { Webhook } from '../../contract/config/webhooks.ts';
import { sentenceOf } from './lists.ts';
import { wayTo } from './network-checks.ts';
import type { Check } from './tried.ts';

/** Whether each webhook has a URL and a secret that can be used. Nothing is sent to it. */
export async function webhookChecks({
  notifications: { webhooks = [] } = {},
  allowHttp,
}: Pick<OpenConfig, 'notifications' | 'allowHttp'>): Promise<Check[]> {
  if (webhooks.length === 0) return [];
  const { readWebhookUrl } = await import('../../adapters/webhooks/deliver.ts');
  const { createSecretReader } = await import('../../adapters/gates/secret-reader.ts');
  const readSecret = createSecretReader();
  const check = async (webhook: Webhook, index: number): Promise<Check> => {
    const about = { check: 'webhook', of: `notifications.webhooks[${index}]` };
    try {
      const url = await readWebhookUrl(webhook, { readSecret, allowHttp });
      if (webhook.secret !== undefined) await readSecret(webhook.secret);
      return { ...about, result: 'ok', message: describe(webhook, url) };
    } catch (error) {
      return { ...about, result: 'fault', message: sentenceOf(error) };
    }
  };
  return Promise.all(webhooks.map(check));
}

/** The path of the URL is not told, because it may be the secret. */
function describe({ format, events, secret }: Webhook, url: string): string {
  const { protocol, origin } = new URL(url);
  const what = events === undefined ? 'Every event' : `The events ${events.join(', ')}`;
  const signed = secret === undefined ? 'not signed' : 'signed';
  const plain = protocol === 'http:' ? ', over plain http' : '';
  return `${what} to ${origin} as ${format}, ${signed}${plain}, ${wayTo(url)}. Nothing was sent.`;
}
