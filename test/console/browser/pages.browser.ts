import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { killPrograms } from '../../cli/program-process.ts';
import { openBrowser } from './chromium.ts';
import { openConsole, type Stage, setStage } from './stage.ts';

let browser: Browser;
let stage: Stage;
const paths = new Map<string, string>();

beforeAll(async () => {
  browser = await openBrowser();
  stage = await setStage();
  await stage.run('rollout', 'start', 'shop', '--version', '3', '--yes');
  await stage.run('rollout', 'start', 'cart', '--version', '2', '--yes');
  stage.start('rollout', 'start', 'pay', '--version', '2', '--yes');
  const { page } = await openConsole(browser, stage);
  const pathOf = async (name: string) =>
    (await page.getByRole('link', { name, exact: true }).getAttribute('href')) ?? '';
  await page.getByText('waits for approval').first().waitFor();
  paths.set('the rollouts', '/');
  paths.set('a rollout that failed', await pathOf('shop to version 3'));
  paths.set('a rollout that succeeded', await pathOf('cart to version 2'));
  paths.set('a rollout that waits for approval', await pathOf('pay to version 2'));
  paths.set('a rollout that there is not', '/rollouts/none');
  paths.set('a runtime', '/runtimes/shop');
  paths.set('the rehearsal', '/rehearsal?runtime=cart&version=3');
  await page.close();
});
afterAll(async () => {
  await browser.close();
  await stage.remove();
  killPrograms();
});

const NAMES = [
  'the rollouts',
  'a rollout that failed',
  'a rollout that succeeded',
  'a rollout that waits for approval',
  'a rollout that there is not',
  'a runtime',
  'the rehearsal',
];

/** Goes to a page, and waits until it has its data. */
async function goTo(page: Page, name: string): Promise<void> {
  await page.goto(stage.origin + paths.get(name));
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByText('Reading …').waitFor({ state: 'detached' });
}

async function findings(page: Page): Promise<string[]> {
  // Playwright runs it beside the page, whose own policy forbids scripts.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run(),
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

describe.each(['light', 'dark'] as const)('in %s colours', (colorScheme) => {
  describe.each([360, 1280, 2560])('%i pixels wide', (width) => {
    let page: Page;
    beforeAll(async () => {
      const viewport = { width, height: 800 };
      ({ page } = await openConsole(browser, stage, { colorScheme, viewport }));
    });
    afterAll(() => page.close());

    test.each(NAMES)(
      '%s has no findings of axe-core, and nothing to scroll sideways',
      async (name) => {
        await goTo(page, name);
        expect(await findings(page)).toEqual([]);
        const wide = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(wide).toBe(0);
      },
    );
  });
});

test('a question before an act has no findings of axe-core, and leads back with Escape', async () => {
  const { page } = await openConsole(browser, stage);
  await goTo(page, 'a rollout that waits for approval');
  for (const name of ['Approve wave 1', 'Reject wave 1', 'Abort']) {
    const button = page.getByRole('button', { name: `${name} …` });
    await button.click();
    await page.getByRole('dialog', { name: `${name}?` }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
  }
  await page.close();
});

test('the page of a runtime says what was live when, and which version failed', async () => {
  const { page } = await openConsole(browser, stage);
  await goTo(page, 'a runtime');
  const rowOf = (name: string | RegExp) =>
    page.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) });
  expect(await rowOf('3').innerText()).toContain('endpoint-03 is not live on version 3');
  expect(await rowOf('endpoint-01').innerText()).toMatch(/\t3$/);
  expect(await rowOf('endpoint-03').innerText()).toMatch(/\tstopped$/);
  await page.getByRole('link', { name: 'shop to version 3' }).click();
  await page.getByRole('link', { name: 'All of shop' }).click();
  await page.getByRole('heading', { level: 1, name: 'shop', exact: true }).waitFor();
  await page.close();
});

test('the token leaves the address at once, and stays for the next page', async () => {
  const { page } = await openConsole(browser, stage);
  await page.getByText('waits for approval').first().waitFor();
  expect(page.url()).toBe(`${stage.origin}/`);
  await page.reload();
  await page.getByText('waits for approval').first().waitFor();
  expect(await page.context().cookies()).toEqual([]);
  await page.close();
});

test('without the link there is nothing to see', async () => {
  const page = await browser.newPage();
  await page.goto(stage.origin);
  await page.getByText('This console needs its link').waitFor();
  expect(await page.locator('main').innerText()).not.toContain('pay');
  await page.close();
});

test('a rehearsal shows how the next version goes, and changes nothing', async () => {
  const { page } = await openConsole(browser, stage);
  await goTo(page, 'a runtime');
  await page.getByRole('link', { name: 'Rehearse its next version' }).click();
  await page.getByLabel('Version').fill('4');
  await page.getByRole('button', { name: 'Rehearse' }).click();
  await page.getByText(/^Rehearsal: shop to version 4 on 6 endpoints/).waitFor();
  expect(await page.getByRole('row', { name: /^Wave 1/ }).innerText()).toMatch(/rolls \d+ s/);
  expect(await findings(page)).toEqual([]);
  await page.getByLabel('What goes wrong').selectOption('many things');
  await page.getByRole('button', { name: 'Rehearse' }).click();
  await page.getByText(/What goes wrong\n/).waitFor();
  await page.getByLabel('Runtime').fill('nothing');
  await page.getByRole('button', { name: 'Rehearse' }).click();
  await page.getByRole('alert').waitFor();
  await page.close();
});

test('a retry rolls what is left, after a question that says so', async () => {
  const { page } = await openConsole(browser, stage);
  await goTo(page, 'a rollout that failed');
  await page.getByRole('button', { name: 'Retry …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Retry?' });
  await dialog.getByText(/^A new rollout to version 3 starts, with the same policy/).waitFor();
  expect(await findings(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Retry' }).click();
  await page.getByText(/^✔ Succeeded/).waitFor();
  expect(new URL(page.url()).pathname).not.toBe(paths.get('a rollout that failed'));
  await page.getByText(/ live on version 3: /).waitFor();
  await page.close();
});

describe('a page of another origin', () => {
  let foreign: Server;
  beforeAll(async () => {
    foreign = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end('<title>evil</title>');
    });
    await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => void foreign.close());

  test('can neither read nor abort, even if it knows the token', async () => {
    const id = paths.get('a rollout that waits for approval') ?? '';
    const { page } = await openConsole(browser, stage);
    await goTo(page, 'a rollout that waits for approval');
    // It has the same site and the same cookies, as every port of this machine has.
    await page.goto(`http://127.0.0.1:${(foreign.address() as AddressInfo).port}/`);
    const tried = await page.evaluate(
      async ({ origin, path, token }) => {
        const asJson = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
        const body = '{"reason":"evil"}';
        const say = (answer: Response) => `${answer.status} ${answer.type}`;
        const ask = (way: string, init: RequestInit) =>
          fetch(origin + way, init).then(say, () => 'refused');
        const abort = `/api${path}/abort`;
        return [
          await ask('/api/rollouts', { headers: asJson }),
          await ask(abort, { method: 'POST', headers: asJson, body }),
          await ask(abort, { method: 'POST', mode: 'no-cors', body }),
          await ask(abort, { method: 'POST', mode: 'no-cors', credentials: 'include', body }),
        ];
      },
      { origin: stage.origin, path: id, token: stage.link.split('#token=')[1] },
    );
    expect(tried).toEqual(Array(4).fill('refused'));
    const { stdout } = await stage.run('rollout', 'show', id.split('/').at(-1) ?? '', '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({ outcome: null, signals: [] });
    await page.close();
  });

  test('cannot show the console in a frame', async () => {
    const page = await browser.newPage();
    await page.goto(`http://127.0.0.1:${(foreign.address() as AddressInfo).port}/`);
    await page.evaluate((origin) => {
      const frame = document.createElement('iframe');
      frame.src = origin;
      document.body.append(frame);
      return new Promise((resolve) => {
        frame.onload = resolve;
      });
    }, stage.origin);
    const inside = page.frames().find((frame) => frame !== page.mainFrame());
    expect(inside?.url()).toMatch(/^chrome-error:/);
    await page.close();
  });
});
