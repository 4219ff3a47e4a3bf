import * as z from 'zod';
import { TOLD_EVENTS } from '../../domain/events/told-events.ts';
import { checkAlways, withoutFault } from '../input/checks.ts';
import { secretSourceSchema } from '../input/secret-source.ts';
import {
  allowHttpSchema,
  type EndpointUrlOptions,
  faultOfCalledUrl,
  faultOfPlainHttp,
  faultsOfEndpointUrl,
} from '../service/endpoint-url.ts';

const WEBHOOK_FORMATS = ['json', 'slack', 'teams'] as const;

/** Which hosts may be called over plain http is said elsewhere: `checkWebhooks`. */
const urlSchema = z
  .string()
  .check(withoutFault((url) => faultOfCalledUrl(withoutQuery(url))))
  .describe('The URL itself.');

/** Which events somebody wants to be told: of webhooks on one machine, and of notifications on AWS. */
export const eventKindsSchema = z.array(z.enum(TOLD_EVENTS)).min(1);

const webhook = z.strictObject({
  url: z
    .union([urlSchema, secretSourceSchema])
    .describe(
      'Gets each event with a POST: a URL, https, or http to this machine or to a host in allowHttp; or, where the URL is a secret, {environment}, {file} or {awsSecret} that says where it is kept.',
    ),
  secret: secretSourceSchema
    .describe('Signs each message, as Standard Webhooks says. Default: no signature.')
    .exactOptional(),
  format: z
    .enum(WEBHOOK_FORMATS)
    .default('json')
    .describe('json: the event for programs; slack, teams: sentences for people.'),
  events: eventKindsSchema
    .describe(
      'Kinds of events that are sent. Default: all; of slack and teams all but kept-out and nothing-to-do.',
    )
    .exactOptional(),
});
export type Webhook = z.output<typeof webhook>;

export const webhooksSchema = z
  .array(webhook)
  .max(20)
  .check(
    checkAlways<readonly unknown[]>((list, report) => {
      const urls = list.map((one) => JSON.stringify(Object(one).url));
      urls.forEach((url, index) => {
        if (url === undefined || urls.indexOf(url) === index) return;
        report([index, 'url'], url, 'use each URL once');
      });
    }),
  )
  .describe(
    'On one machine: who gets the events of rollouts and holds over HTTP; see docs/notifications.md. Default: nobody.',
  );

/** What is wrong with the URL of a webhook. It may have a query, because those of Teams have their secret there. */
export function faultsOfWebhookUrl(url: string, options: EndpointUrlOptions): string[] {
  return faultsOfEndpointUrl(withoutQuery(url), options);
}

function withoutQuery(url: string): string {
  return url.replace(/\?[^#]*/s, '');
}

interface Given {
  readonly notifications?: { readonly webhooks?: readonly { readonly url?: unknown }[] };
  readonly allowHttp?: unknown;
}

/** Checks that webhooks with plain http go to hosts that the same configuration allows. */
export const checkWebhooks = checkAlways<object>((config, report) => {
  const { notifications, allowHttp: said } = config as Given;
  const allowHttp = allowHttpSchema.safeParse(said).data;
  const webhooks = notifications?.webhooks;
  if (!Array.isArray(webhooks)) return;
  webhooks.forEach((one: unknown, index) => {
    const { url } = Object(one) as { readonly url?: unknown };
    if (typeof url !== 'string') return;
    const fault = faultOfPlainHttp(withoutQuery(url), allowHttp);
    if (fault !== undefined) report(['notifications', 'webhooks', index, 'url'], url, fault);
  });
});

/** Refuses webhooks where no process of ours stays that could send to them again. */
export const refuseWebhooks = checkAlways<object>((config, report) => {
  const { webhooks } = (config as Given).notifications ?? {};
  if (webhooks === undefined) return;
  report(['notifications', 'webhooks'], webhooks, NOT_ON_AWS);
});

const NOT_ON_AWS =
  'webhooks are for one machine; on AWS give a rule of EventBridge an API destination (docs/events.md), or use notifications.emails or notifications.topicArn';
