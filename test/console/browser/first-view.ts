import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { interleave, medianRatio } from '../../bench/interleave.ts';
import { killPrograms, saw, startProgram } from '../../cli/program-process.ts';
import { type Session, takeSession } from '../take-session.ts';
import { openBrowser } from './chromium.ts';
import { fillLedger } from './fill-ledger.ts';
import { keptBy } from './stage.ts';

const ROUNDS = 9;
const LARGE = { past: 1_000, endpoints: 10_000 };

/** How long a view of the console takes with much to show, beside an empty page of the same server. */
async function timeViews(): Promise<readonly string[]> {
  const homes = await Promise.all(
    ['empty', 'large'].map((name) => mkdtemp(join(tmpdir(), `steproll-${name}-`))),
  );
  const [empty = '', large = ''] = homes;
  const browser = await openBrowser();
  try {
    await fillLedger(large, LARGE);
    const [none, much] = await Promise.all([openSession(empty), openSession(large)]);
    const views: Readonly<Record<string, () => Promise<number>>> = {
      [NOTHING]: view(browser, much, '/icon.svg', 'svg'),
      'the rollouts, with none': view(browser, none, '/', 'text=No rollout yet'),
      'the rollouts, with 1 of 10,000 endpoints and 1,000 past ones': view(
        browser,
        much,
        '/',
        'article:has-text("large to version")',
        'td:has-text("Succeeded")',
      ),
      'the rollout of 10,000 endpoints': view(
        browser,
        much,
        '/rollouts/large',
        '.chosen:has-text("web-1,")',
      ),
    };
    const options = { rounds: ROUNDS, warmUpRounds: 1 };
    const names = Object.keys(views);
    const times = await interleave(names, options, async (name) => (await views[name]?.()) ?? 0);
    return [
      'The views of the console in Chromium: from opening the page until everything is shown, as a ratio',
      `to an empty page of the same server in the same round; the median of ${ROUNDS} rounds.`,
      '',
      ...names.map(
        (name) => name.padEnd(64) + medianRatio(times, name, NOTHING).toFixed(1).padStart(6),
      ),
    ];
  } finally {
    await browser.close();
    killPrograms();
    for (const home of homes) await rm(home, { recursive: true, force: true });
  }
}

const NOTHING = 'an empty page';

async function openSession(home: string): Promise<Session> {
  return takeSession(await saw(startProgram(home, ['console', '--port', '0']), '#code='));
}

/** Opens a page in a browser that has seen nothing yet but a link, and answers how many milliseconds it takes to show all this. */
function view(
  browser: Browser,
  session: Session,
  path: string,
  ...shown: string[]
): () => Promise<number> {
  return async () => {
    const context = await browser.newContext({ storageState: keptBy(session) });
    const page = await context.newPage();
    const openedAt = performance.now();
    await page.goto(session.origin + path, { waitUntil: 'commit' });
    for (const part of shown) await page.locator(part).first().waitFor();
    const took = performance.now() - openedAt;
    await context.close();
    return took;
  };
}

process.stdout.write(`${(await timeViews()).join('\n')}\n`);
