import { createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createSecretReader } from '../../../lib/adapters/credentials/secrets.ts';
import { createNetwork } from '../../../lib/adapters/http/network.ts';
import { createDeliverer } from '../../../lib/adapters/webhooks/deliver.ts';
import { type Webhook, webhooksSchema } from '../../../lib/contract/config/webhooks.ts';
import { toLifecycleEvent } from '../../../lib/contract/event.ts';
import type { RolloutEvent } from '../../../lib/domain/rollout/event.ts';
import { toBusText } from '../../../lib/telling/messages/webhook-message.ts';
import { everyEvent } from '../../domain/events/examples.ts';
import { createAuthority } from '../../support/certificates.ts';
import { type ReceivedRequest, type Respond, startHttpServer } from '../http/fault-server.ts';
import { startProxy } from '../http/proxy-server.ts';

const PATH = '/services/T0/canary?sig=canary';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steproll-webhook-'));
});
afterEach(() => rm(folder, { recursive: true }));

const [STARTED] = everyEvent() as [RolloutEvent];
const messageOf = (event: RolloutEvent) => ({
  eventId: event.eventId,
  text: toBusText(toLifecycleEvent(event)),
});

const NEVER = new AbortController().signal;

function deliverTo(
  webhook: object,
  event = STARTED,
  signal = NEVER,
  openSockets = createNetwork(),
) {
  const deliver = createDeliverer({ openSockets, readSecret: createSecretReader() });
  const [parsed] = webhooksSchema.parse([webhook]) as [Webhook];
  return deliver(parsed, messageOf(event), signal);
}

/** What a server that answers so is sent, and what is made of its answer. */
async function deliver(respond: Respond, said: object = {}, event = STARTED) {
  const server = await startHttpServer(respond);
  const delivery = await deliverTo({ url: `${server.url}${PATH}`, ...said }, event);
  return { delivery, received: server.received };
}

const answering =
  (status: number, headers = {}): Respond =>
  (_, response) =>
    response.writeHead(status, headers).end('ok');

describe('a message', () => {
  test('is the event, at the path and the query of the URL, with an id that stays', async () => {
    const { delivery, received } = await deliver(answering(204));
    expect(delivery).toEqual({ result: 'delivered' });
    const [{ method, url, headers, body }] = received as [ReceivedRequest];
    expect([method, url]).toEqual(['POST', PATH]);
    const { detailType, detail } = toLifecycleEvent(STARTED);
    expect(JSON.parse(body)).toEqual({ source: 'steproll', 'detail-type': detailType, detail });
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': STARTED.eventId,
    });
    expect(headers).not.toHaveProperty('webhook-signature');
  });

  test('is signed over time, id and body', async () => {
    const file = join(folder, 'secret');
    await writeFile(file, 'open sesame\n');
    const { received } = await deliver(answering(200), { secret: { file } });
    const [{ headers, body }] = received as [ReceivedRequest];
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const hmac = createHmac('sha256', 'open sesame').update(signed).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${hmac}`);
    expect(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(3_600);
  });

  test('is not sent without its secret', async () => {
    const { delivery, received } = await deliver(answering(200), {
      secret: { file: join(folder, 'none') },
    });
    expect(delivery).toMatchObject({ result: 'failed', why: expect.stringContaining('none') });
    expect(received).toEqual([]);
  });
});

describe('a URL in a secret', () => {
  test('is called like one in the configuration, and may be replaced', async () => {
    const [one, two] = [
      await startHttpServer(answering(200)),
      await startHttpServer(answering(200)),
    ];
    const file = join(folder, 'url');
    for (const { url } of [one, two]) {
      await writeFile(file, `${url}${PATH}\n`);
      expect(await deliverTo({ url: { file } })).toEqual({ result: 'delivered' });
    }
    expect([one.received, two.received].map(([request]) => request?.url)).toEqual([PATH, PATH]);
  });

  test.each(['http://hooks.example.com/canary', 'https://me:canary@hooks.example.com', 'canary'])(
    '%s is not called, and not shown',
    async (url) => {
      const file = join(folder, 'url');
      await writeFile(file, url);
      const delivery = await deliverTo({ url: { file } });
      expect(delivery).toMatchObject({ result: 'failed' });
      expect(JSON.stringify(delivery)).not.toContain('canary');
    },
  );
});

describe('an answer', () => {
  test.each([
    ['500', answering(500), { result: 'failed', why: '500', waitMs: 0 }],
    ['404', answering(404), { result: 'failed', why: '404', waitMs: 0 }],
    ['400', answering(400), { result: 'refused', why: '400' }],
    ['422', answering(422), { result: 'refused', why: '422' }],
    [
      '429 with a time',
      answering(429, { 'retry-after': '7' }),
      { result: 'failed', why: '429', waitMs: 7_000 },
    ],
    [
      'a socket that is closed',
      (_, response) => response.destroy(),
      { result: 'failed', why: expect.stringContaining('no answer') },
    ],
  ] as [string, Respond, object][])('%s is no delivery', async (_, respond, expected) => {
    const { delivery } = await deliver(respond);
    expect(delivery).toMatchObject(expected);
    expect(JSON.stringify(delivery)).not.toContain('canary');
  });

  test.each<[string, Respond]>([
    ['is endless', (_, response) => void response.writeHead(200).write('ok')],
    [
      'is cut',
      (_, response) => {
        response.writeHead(202, { 'content-length': '99' }).write('ok');
        setImmediate(() => response.destroy());
      },
    ],
    ['is too large', (_, response) => response.writeHead(200).end('x'.repeat(6_000_000))],
    ['is no JSON', (_, response) => response.writeHead(201).end('<html>')],
  ])('2xx is a delivery, although its body %s', async (_, respond) => {
    expect((await deliver(respond)).delivery).toEqual({ result: 'delivered' });
  });

  test('400 is a refusal, although its body is endless', async () => {
    const { delivery } = await deliver((_, response) => void response.writeHead(400).write('no'));
    expect(delivery).toEqual({ result: 'refused', why: '400' });
  });

  test('H21: that sends elsewhere is not followed', async () => {
    const other = await startHttpServer(answering(200));
    const { delivery } = await deliver(answering(307, { location: other.url }));
    expect(delivery).toMatchObject({ result: 'failed', why: '307, redirects are not followed' });
    expect(other.received).toEqual([]);
  });

  test('that does not come is not waited for when the process ends', async () => {
    const ending = new AbortController();
    const server = await startHttpServer(() => ending.abort());
    const delivery = await deliverTo({ url: server.url }, STARTED, ending.signal);
    expect(delivery).toMatchObject({ result: 'failed' });
  });
});

/** A sentence with what formats take for their own. */
const MARKED: RolloutEvent = { ...STARTED, message: 'shop: <!channel> & *canary*_1_ `x`.' };

describe('for people', () => {
  test('Slack gets a text and blocks, in which nothing becomes a mention', async () => {
    const { received } = await deliver(answering(200), { format: 'slack' }, MARKED);
    const { text, blocks, ...more } = JSON.parse(received[0]?.body ?? '');
    expect(more).toEqual({});
    expect(text).toContain('shop: &lt;!channel&gt; &amp; ');
    expect(blocks).toEqual([
      {
        type: 'section',
        text: {
          type: 'plain_text',
          text: 'shop: &lt;!channel&gt; &amp; *canary*_1_ `x`.',
          emoji: false,
        },
      },
      {
        type: 'section',
        text: { type: 'mrkdwn', text: `\`steproll rollout watch ${STARTED.rolloutId}\`` },
      },
    ]);
  });

  test('Teams gets a message with an Adaptive Card of text without Markdown', async () => {
    const { received } = await deliver(answering(202), { format: 'teams' }, MARKED);
    const { type, attachments } = JSON.parse(received[0]?.body ?? '');
    expect(type).toBe('message');
    expect(attachments).toHaveLength(1);
    const [{ contentType, content }] = attachments;
    expect(contentType).toBe('application/vnd.microsoft.card.adaptive');
    expect(content).toMatchObject({ type: 'AdaptiveCard', version: expect.any(String) });
    const blocks: { type: string; inlines: { text: string }[] }[] = content.body;
    expect(blocks.map((block) => block.type)).toEqual(['RichTextBlock', 'RichTextBlock']);
    expect(blocks.flatMap(({ inlines }) => inlines.map((run) => run.text))).toEqual([
      MARKED.message,
      `steproll rollout watch ${STARTED.rolloutId}`,
    ]);
  });

  test.each(everyEvent())('$kind has the command that helps', async (event) => {
    const { received } = await deliver(answering(200), { format: 'slack' }, event);
    const command = { 'approval-wanted': 'approve', failing: 'show', ended: 'show' };
    const expected = (command as Record<string, string>)[event.kind] ?? 'watch';
    expect(received[0]?.body).toContain(`steproll rollout ${expected} ${event.rolloutId}`);
  });
});

test('messages go through a proxy, trust a private authority, and show no client certificate', async () => {
  const authority = createAuthority();
  const own = authority.issue('the client');
  const shown: boolean[] = [];
  const server = createServer(
    {
      ...authority.issue('hooks', ['hooks.example.com']),
      ca: authority.cert,
      requestCert: true,
      rejectUnauthorized: false,
    },
    (request, response) => {
      shown.push(Object.keys((request.socket as never as TLS).getPeerCertificate()).length > 0);
      response.end('ok');
    },
  ).listen(0, '127.0.0.1');
  try {
    await new Promise((resolve) => server.once('listening', resolve));
    const port = (server.address() as AddressInfo).port;
    const proxy = await startProxy({ to: `https://127.0.0.1:${port}` });
    const trust = async (shows: boolean) => ({ ca: authority.cert, ...(shows && own) });
    const through = createNetwork(trust, { HTTPS_PROXY: proxy.url });
    const webhook = { url: 'https://hooks.example.com/x' };
    expect(await deliverTo(webhook, STARTED, NEVER, through)).toEqual({ result: 'delivered' });
    expect(proxy.asked).toEqual(['CONNECT hooks.example.com:443']);
    expect(shown).toEqual([false]);
    const stranger = createNetwork(undefined, { HTTPS_PROXY: proxy.url });
    const refused = await deliverTo(webhook, STARTED, NEVER, stranger);
    expect(refused).toMatchObject({ result: 'failed' });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

interface TLS {
  getPeerCertificate(): object;
}
