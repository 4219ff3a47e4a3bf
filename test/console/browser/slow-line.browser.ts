import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { openSqliteLedger } from '../../../lib/adapters/ledger/sqlite/ledger.ts';
import { type Looked, learn, lookOf, NOTHING_KNOWN } from '../../../lib/console/server/looks.ts';
import { killPrograms, saw, startProgram } from '../../cli/program-process.ts';
import { planOf, progressOf, recordOf, seen } from '../../domain/examples.ts';
import { beginWith } from '../../support/begin-with.ts';
import { type Session, takeSession } from '../take-session.ts';
import { openBrowser } from './chromium.ts';
import { openConsole } from './stage.ts';

const MINUTE_MS = 60_000;
const OPEN = 70;
/** What no page may hide: as `docs/watching.md` says. */
const OLDEST_MS = 20_000;
/** Bytes a second, and milliseconds until the first one: an SSH tunnel over a bad phone. */
const SLOW = { offline: false, downloadThroughput: 4_096, uploadThroughput: 4_096, latency: 300 };
/** By the countdown of the console. */
const LONG_MS = 40_000;
/** What the first view may take on the wire. */
const FIRST_VIEW_BYTES = 32_000;

let browser: Browser;
let home: string;
let session: Session;
beforeAll(async () => {
  browser = await openBrowser();
  home = mkdtempSync(join(tmpdir(), 'steproll-slow-'));
  await openMany(home);
  session = await takeSession(await saw(startProgram(home, ['console', '--port', '0']), '#code='));
});
afterAll(async () => {
  await browser.close();
  killPrograms();
  rmSync(home, { recursive: true, force: true });
});

/** Each of them bakes for hours, with a countdown that another look changes. */
async function openMany(folder: string): Promise<void> {
  const { ledger, end } = openSqliteLedger(join(folder, 'ledger.sqlite'));
  const now = Date.now();
  const { ids, ...plan } = planOf([1, 2, 3]);
  for (let index = 0; index < OPEN; index += 1) {
    const rolloutId = crypto.randomUUID();
    const request = { ...recordOf().request, rolloutId, runtimeId: `shop-${index}` };
    const lease = await ledger.open(request, now, now + 60 * MINUTE_MS, beginWith(plan));
    const clock = { at: now, watched: 0 };
    const observations = ids.map((_, place) => seen(place === 0 ? 'converged' : 'pending', 2));
    const baking = { readAt: now, clock, bakedMs: 0, converged: clock };
    // Below an hour the countdown has seconds.
    const until = now + 55 * MINUTE_MS;
    await ledger.saveProgress(
      lease,
      { ...progressOf(0, observations.slice(0, 1)), ...baking },
      { before: null, wait: { for: 'bake', of: null, wave: 0, since: now, until, lookAt: until } },
    );
  }
  end();
}

/** What the countdown of the page says, and whether it says that it is old. */
function shownBy(page: Page) {
  return page.evaluate(() => ({
    state: document.querySelector('.row .state')?.textContent ?? '',
    isOld: document.querySelector('.stale-band') !== null,
  }));
}

function leftMs(state: string): number {
  const [, hours = 0, minutes = 0, seconds = 0] =
    /(?:(\d+) h ?)?(?:(\d+) min ?)?(?:(\d+) s)? left/.exec(state) ?? [];
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000;
}

async function leftByServer(): Promise<number> {
  const { origin, token } = session;
  const headers = { authorization: `Bearer ${token}` };
  const answer = (await (await fetch(`${origin}/api/look`, { headers })).json()) as Looked;
  return leftMs(lookOf(learn(NOTHING_KNOWN, answer))?.rollouts[0]?.state ?? '');
}

test('the list takes little on the wire, with everything that it is made of', async () => {
  const { page } = await openConsole(browser, session, { at: 'about:blank' });
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Network.enable');
  const paths = new Map<string, string>();
  let bytes = 0;
  cdp.on('Network.responseReceived', ({ requestId, response }) => {
    paths.set(requestId, new URL(response.url).pathname);
  });
  const ended = Promise.withResolvers<void>();
  cdp.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const path = paths.get(requestId) ?? '';
    if (path.startsWith('/api/') && path !== '/api/look') return;
    bytes += encodedDataLength;
    if (path === '/api/look') ended.resolve();
  });
  await page.goto(session.origin);
  await page.getByRole('article').first().waitFor();
  await ended.promise;
  expect(bytes).toBeGreaterThan(10_000);
  expect(bytes).toBeLessThanOrEqual(FIRST_VIEW_BYTES);
  await page.close();
});

test('over a slow line the page is never old without saying so', async () => {
  const { page } = await openConsole(browser, session, { at: 'about:blank' });
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Network.enable');
  await cdp.send('Network.emulateNetworkConditions', SLOW);
  await page.goto(session.origin);
  await page.getByRole('article').first().waitFor();
  // So long that a page falls behind that is given each second what the line cannot carry.
  const first = await leftByServer();
  for (let left = first; first - left < LONG_MS; left = await leftByServer()) {
    await page.waitForTimeout(1_000);
    const { state, isOld } = await shownBy(page);
    const behindMs = leftMs(state) - (await leftByServer());
    expect({ isOld, isBehind: behindMs > OLDEST_MS }).not.toEqual({ isOld: false, isBehind: true });
  }
  await page.close();
});
