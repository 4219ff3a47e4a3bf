import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { killPrograms } from '../../cli/program-process.ts';
import { openBrowser } from './chromium.ts';
import { openConsole, type Stage, setStage } from './stage.ts';

let browser: Browser;
let stage: Stage;
let foreign: Server;
/** The path of a rollout that has rolled an endpoint and waits for somebody. */
let rollout: string;
let token: string;

beforeAll(async () => {
  browser = await openBrowser();
  stage = await setStage();
  token = stage.token;
  stage.start('rollout', 'start', 'pay', '--version', '2', '--yes');
  const { page } = await openConsole(browser, stage);
  await page.getByText('Wave 1 of 2: waits for approval').waitFor();
  const link = page.getByRole('link', { name: 'pay to version 2', exact: true });
  rollout = (await link.getAttribute('href')) ?? '';
  await page.close();
  foreign = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<title>evil</title>');
  });
  await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await browser.close();
  await stage.remove();
  foreign.close();
  killPrograms();
});

/** Somebody's page in the browser in which the console is open. It has the same site, as every port of a host has. */
async function openForeign(host: string): Promise<Page> {
  const { page } = await openConsole(browser, stage);
  await page.getByText('Wave 1 of 2: waits for approval').waitFor();
  await page.goto(`http://${host}:${(foreign.address() as AddressInfo).port}/`);
  return page;
}

const BODY = JSON.stringify({ reason: 'evil', onFailure: 'roll-back' });

async function signals(): Promise<unknown> {
  const id = rollout.split('/').at(-1) ?? '';
  const { stdout } = await stage.run('rollout', 'show', id, '-o', 'json');
  const { log } = JSON.parse(stdout) as { readonly log: readonly { readonly kind: string }[] };
  return log.filter(({ kind }) => kind === 'signal');
}

describe.each(['127.0.0.1', 'localhost'])(
  'a page of another port of %s, which knows the token,',
  (host) => {
    let page: Page;
    let written: number;
    beforeAll(async () => {
      page = await openForeign(host);
      written = stage.writes.length;
    });
    afterAll(() => page.close());

    test('gets no answer to any fetch, and opens no stream', async () => {
      const tried = await page.evaluate(
        async ({ origin, rollout, token, body }) => {
          const authorization = `Bearer ${token}`;
          const asJson = { 'content-type': 'application/json', authorization };
          const abort = `/api${rollout}/abort`;
          const asked: [string, RequestInit][] = [
            ['/', {}],
            ['/console.js', { mode: 'no-cors' }],
            ['/api/rollouts', { headers: { authorization } }],
            ['/api/look', { headers: { authorization } }],
            ['/api/look', { mode: 'no-cors', credentials: 'include' }],
            [abort, { method: 'POST', headers: asJson, body }],
            ['/api/session', { method: 'POST', headers: asJson, body }],
            ['/api/link', { method: 'POST', mode: 'no-cors' }],
            [abort, { method: 'POST', mode: 'no-cors', body }],
            [abort, { method: 'POST', mode: 'no-cors', credentials: 'include', body }],
            [abort, { method: 'POST', mode: 'no-cors', body: new URLSearchParams({ body }) }],
          ];
          const answers = await Promise.all(
            asked.map(([path, init]) => fetch(origin + path, init).then(String, () => 'refused')),
          );
          const stream = await new Promise((resolve) => {
            const source = new EventSource(`${origin}/api/look`, { withCredentials: true });
            source.onmessage = ({ data }) => resolve(data);
            source.onerror = () => resolve('refused');
          });
          navigator.sendBeacon(origin + abort, body);
          return [...answers, stream];
        },
        { origin: stage.origin, rollout, token, body: BODY },
      );
      expect(tried).toEqual(Array(12).fill('refused'));
    });

    test('loads nothing of the console as its own', async () => {
      const tried = await page.evaluate(async (origin) => {
        const parts: [string, object][] = [
          ['script', { src: `${origin}/console.js`, type: 'module' }],
          ['script', { src: `${origin}/api/rollouts` }],
          ['img', { src: `${origin}/icon.svg` }],
          ['link', { href: `${origin}/console.css`, rel: 'stylesheet' }],
        ];
        return Promise.all(
          parts.map(
            ([name, said]) =>
              new Promise((resolve) => {
                const part = Object.assign(document.createElement(name), said);
                part.addEventListener('load', () => resolve('loaded'));
                part.addEventListener('error', () => resolve('refused'));
                document.head.append(part);
              }),
          ),
        );
      }, stage.origin);
      expect(tried).toEqual(Array(4).fill('refused'));
    });

    test.each(['/', '/rollouts/x', '/api/rollouts', '/icon.svg'])(
      'shows %s in no frame',
      async (path) => {
        const address = stage.origin + path;
        const failed = page.waitForEvent('requestfailed', (one) => one.url() === address);
        await page.evaluate((src) => {
          document.body.append(Object.assign(document.createElement('iframe'), { src }));
        }, address);
        expect((await failed).failure()?.errorText).toBe('net::ERR_BLOCKED_BY_RESPONSE');
        await page.evaluate(() => document.querySelector('iframe')?.remove());
      },
    );

    test('does not reach into a window of the console that it has opened', async () => {
      const opened = page.waitForEvent('popup');
      await page.evaluate((link) => {
        Object.assign(globalThis, { other: window.open(link) });
      }, stage.origin);
      const popup = await opened;
      await popup.getByText('Wave 1 of 2: waits for approval').waitFor();
      expect(await popup.evaluate(() => window.opener)).toBeNull();
      expect(
        await page.evaluate(() => (globalThis as unknown as { other: Window }).other.closed),
      ).toBe(true);
      await popup.close();
    });

    test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])(
      'is refused with a form of %s',
      async (enctype) => {
        const answered = page
          .context()
          .waitForEvent('response', (response) => response.url().endsWith('/abort'));
        await page.evaluate(
          ({ action, enctype, body }) => {
            const form = Object.assign(document.createElement('form'), {
              action,
              enctype,
              method: 'post',
              target: '_blank',
            });
            const field = Object.assign(document.createElement('input'), {
              name: body.slice(0, -1),
              value: '"}',
            });
            form.append(field);
            document.body.append(form);
            form.submit();
          },
          { action: `${stage.origin}/api${rollout}/abort`, enctype, body: BODY },
        );
        expect((await answered).status()).toBe(403);
      },
    );

    test('has said nothing to the rollout, and nothing was written to the service', async () => {
      expect(await signals()).toEqual([]);
      expect(stage.writes.slice(written)).toEqual([]);
    });
  },
);

test('under another name that leads here, the console answers nothing', async () => {
  const { port } = new URL(stage.origin);
  const page = await browser.newPage();
  const answer = await page.goto(`http://evil.localhost:${port}/`);
  expect(answer?.status()).toBe(403);
  await page.close();
});

test('the page of the console itself aborts with the same request, and then the service is written to', async () => {
  const { page } = await openConsole(browser, stage);
  const before = stage.writes.length;
  const status = await page.evaluate(
    async ({ rollout, token, body }) => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
      const answer = await fetch(`/api${rollout}/abort`, { method: 'POST', headers, body });
      return answer.status;
    },
    { rollout, token, body: BODY },
  );
  expect(status).toBe(200);
  await page.goto(stage.origin + rollout);
  await page.locator('.badge', { hasText: 'Aborted' }).waitFor();
  expect(await signals()).toMatchObject([{ reason: 'evil' }]);
  expect(stage.writes.length).toBeGreaterThan(before);
  await page.close();
});
