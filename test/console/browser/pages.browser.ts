import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Locator } from 'playwright-core';
import { killPrograms, saw } from '../../cli/program-process.ts';
import { findings } from './axe.ts';
import { openBrowser } from './chromium.ts';
import { goTo, PAGES, type PagesStage, setPages } from './pages.ts';
import { openConsole } from './stage.ts';

let browser: Browser;
let stage: PagesStage;
beforeAll(async () => {
  browser = await openBrowser();
  stage = await setPages(browser);
});
afterAll(async () => {
  await browser.close();
  await stage.remove();
  killPrograms();
});

/** The browser says of an answer that it is 404, and for this page that is right. */
const NOT_FOUND = /^Failed to load resource: .* 404 /;

describe.each(['light', 'dark'] as const)('in %s colours', (colorScheme) => {
  describe.each([360, 1280, 2560])('%i pixels wide', (width) => {
    let opened: Awaited<ReturnType<typeof openConsole>>;
    beforeAll(async () => {
      const viewport = { width, height: 800 };
      opened = await openConsole(browser, stage, { colorScheme, viewport });
    });
    afterAll(() => opened.page.close());

    test.each(PAGES)(
      '%s has no findings of axe-core, and nothing to scroll sideways',
      async (name) => {
        const { page } = opened;
        await goTo(page, stage, name);
        await page.locator('details').evaluateAll((all) => {
          for (const one of all) (one as HTMLDetailsElement).open = true;
        });
        expect(await findings(page)).toEqual([]);
        const wide = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        expect(wide).toBe(0);
      },
    );

    test('nothing went wrong in them, no policy was hurt, and nobody else was asked', () => {
      const { faults, hosts } = opened;
      expect(faults.filter((line) => !NOT_FOUND.test(line))).toEqual([]);
      expect([...hosts]).toEqual([stage.origin]);
    });
  });
});

test('a question before an act has no findings of axe-core', async () => {
  const { page } = await openConsole(browser, stage);
  await goTo(page, stage, 'a rollout that waits for approval');
  for (const name of ['Approve wave 1', 'Reject wave 1', 'Abort']) {
    await page.getByRole('button', { name: `${name} …` }).click();
    await page.getByRole('dialog', { name: `${name}?` }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  await page.close();
});

test('each page has its own title, one heading of its own and one part for its content', async () => {
  const { page } = await openConsole(browser, stage);
  const titles = new Set<string>();
  for (const name of PAGES) {
    await goTo(page, stage, name);
    titles.add(await page.title());
    for (const role of ['banner', 'navigation', 'main'] as const) {
      expect(await page.getByRole(role).count()).toBe(1);
    }
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
  }
  expect(titles.size).toBe(PAGES.length);
  expect([...titles].every((title) => title.endsWith(' · steproll'))).toBe(true);
  await page.close();
});

test('the page of a runtime says what was live when, and which version failed', async () => {
  const { page } = await openConsole(browser, stage);
  await goTo(page, stage, 'a runtime');
  const rowOf = (name: string | RegExp) =>
    page.getByRole('row').filter({ has: page.getByRole('rowheader', { name, exact: true }) });
  const failed = page.getByRole('region', { name: 'Which versions failed' }).getByRole('row');
  expect(await failed.last().innerText()).toMatch(/^3\s.*endpoint-03 is not live on version 3/s);
  await page
    .getByText(/^version 1 on 3 of 6 endpoints, at least since .* 2 on version 3/)
    .waitFor();
  const now = page.getByRole('region', { name: 'Live now' });
  const liveNow = (name: string) => now.getByRole('row').filter({ hasText: name });
  expect(await liveNow('endpoint-01').innerText()).toMatch(/^endpoint-01\s+version 3\s+.* ago$/);
  await page.getByLabel('Find an endpoint').fill('endpoint-03');
  await liveNow('endpoint-01').waitFor({ state: 'hidden' });
  expect(await liveNow('endpoint-03').innerText()).toContain('stopped');
  await page.getByText('As a table').click();
  expect(await rowOf('endpoint-01').last().innerText()).toMatch(/\t3$/);
  expect(await rowOf('endpoint-03').last().innerText()).toMatch(/\tstopped$/);
  await page.getByRole('link', { name: 'shop to version 3' }).click();
  await page.getByRole('link', { name: 'All of shop' }).click();
  await page.getByRole('heading', { level: 1, name: 'shop', exact: true }).waitFor();
  await page.close();
});

test('a gate that waits is there, without an answer and with why', async () => {
  const { page } = await openConsole(browser, stage);
  await goTo(page, stage, 'a rollout that waits for approval');
  const gates = page.getByRole('region', { name: 'Gates' });
  expect(await gates.getByRole('row', { name: /^approval/ }).innerText()).toMatch(
    /^approval\t1\tno answer\tnobody has answered\t.* ago$/,
  );
  await page.close();
});

test('what a gate has said is drawn over time, also of one that only watches', async () => {
  const { page } = await openConsole(browser, stage);
  await goTo(page, stage, 'a rollout that waits for approval');
  expect(await page.getByRole('list', { name: 'Gates' }).first().innerText()).toMatch(
    /^Gate probe \(only watches\): no since \d\d:\d\d:\d\dZ, no at (\d+) of \1 looks?, the last time at /,
  );
  const row = page
    .getByRole('table', { name: 'How the answers changed' })
    .getByRole('row', { name: /^probe/ });
  expect(await row.innerText()).toMatch(/only watches: no \d\d:\d\d:\d\dZ: endpoint-\d\d: 200/);
  expect(await row.locator('rect.bad').count()).toBe(1);
  await page.close();
});

test('a past rollout is found by the beginning of its id, and others by several outcomes at once', async () => {
  const { page } = await openConsole(browser, stage);
  await page.getByRole('link', { name: 'shop to version 3' }).first().click();
  const id = await page.locator('.facts code').innerText();
  await page.goBack();
  const filter = page.getByLabel('Runtime, version:5, Failed, by:ann, 2026-01-31, or an id');
  await filter.fill(`id:${id.slice(0, 9)}`);
  await filter.press('Enter');
  await page.getByText('All 1', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Show all' }).click();
  await page.getByRole('checkbox', { name: 'Failed' }).check();
  await page.getByRole('checkbox', { name: 'Aborted' }).check();
  await page.waitForURL(`${stage.origin}/?outcome=Failed%2CAborted`);
  await filter.fill('v3');
  await filter.press('Enter');
  await filter.fill('shop');
  await filter.press('Enter');
  await page.waitForURL(/version=3&runtime=shop$/);
  await page.getByRole('button', { name: 'Without version 3' }).click();
  await page.waitForURL(`${stage.origin}/?outcome=Failed%2CAborted&runtime=shop`);
  await page.getByRole('link', { name: 'All of shop' }).click();
  await page.getByRole('heading', { level: 1, name: 'shop', exact: true }).waitFor();
  await page.close();
});

test('the endpoint that wants people is told first, with since when, and each one is in time', async () => {
  const { page } = await openConsole(browser, stage);
  await goTo(page, stage, 'a rollout that failed');
  expect(await page.getByRole('slider').getAttribute('aria-valuetext')).toMatch(
    /^endpoint-03, wave . of .: stopped \(was in mid-roll\), unchanged since \d{4}-/,
  );
  const time = page.getByRole('region', { name: 'Timeline' });
  const rowOf = (name: string) => time.getByRole('row', { name: new RegExp(`^${name}`) });
  expect(await rowOf('endpoint-03').innerText()).toMatch(/asked to roll .*, stopped \d\d:/);
  expect(await rowOf('endpoint-01').innerText()).toMatch(/asked to roll .*, live \d\d:/);
  expect(await rowOf('endpoint-03').locator('rect.stopped').count()).toBe(1);
  await page.close();
});

test('the versions of a runtime are drawn in time, and nothing where nobody knows them', async () => {
  const { page } = await openConsole(browser, stage);
  await goTo(page, stage, 'a runtime');
  const drawn = page.getByRole('table', { name: 'What was live when, to scale' });
  const lane = drawn.getByRole('row', { name: /^endpoint-01/ });
  expect(await lane.innerText()).toMatch(/version 3$/);
  expect(await lane.locator('text').last().textContent()).toBe('3');
  expect(await drawn.getByRole('row', { name: /^endpoint-03/ }).innerText()).toMatch(/stopped$/);
  await page.close();
});

test('what helps after a failure comes before what was done', async () => {
  const { page } = await openConsole(browser, stage);
  await goTo(page, stage, 'a rollout that failed');
  const text = (await page.getByRole('main').innerText()).replaceAll(/\s+/g, ' ');
  const [before = ''] = text.split('Revert …');
  expect(before).toMatch(/endpoint-03 is not live on version 3\. Take back what was rolled\./);
  expect(before.split(' ').length).toBeLessThan(40);
  expect(text).toMatch(
    /Revert ….*Stopped: endpoint-03\. At its end, 2 of 6 endpoints were on version 3/,
  );
  await page.close();
});

test('without the link there is nothing to see, a used one says so, and another one opens every tab', async () => {
  const context = await browser.newContext();
  const [page, tab] = [await context.newPage(), await context.newPage()];
  await tab.goto(stage.origin);
  await tab.getByText('This console needs its link').waitFor();
  expect(await tab.locator('main').innerText()).not.toContain('pay');
  await page.goto(stage.link);
  await page.getByText(/^This link was used at .* end the console with Ctrl-C\.$/).waitFor();
  expect(page.url()).toBe(`${stage.origin}/`);
  expect(await findings(page)).toEqual([]);

  const printed = saw(stage.console, '#code=');
  await page.getByRole('button', { name: 'Print a link in the terminal' }).click();
  await page.getByText(/^Printed: /).waitFor();
  // It goes into the address of the page that is open already.
  await page.evaluate((link) => location.assign(link), (await printed).trim());
  for (const one of [page, tab]) await one.getByText('waits for approval').first().waitFor();
  expect(page.url()).toBe(`${stage.origin}/`);
  await page.reload();
  await page.getByText('waits for approval').first().waitFor();
  expect(await context.cookies()).toEqual([]);
  await context.close();
});

test('a rehearsal shows how the next version goes, and changes nothing', async () => {
  const { page } = await openConsole(browser, stage);
  await goTo(page, stage, 'a runtime');
  await page.getByRole('link', { name: 'Rehearse its next version' }).click();
  await page.getByLabel('Version').fill('4');
  await page.getByRole('button', { name: 'Rehearse' }).click();
  await page.getByText(/^Rehearsal: shop to version 4 on 6 endpoints/).waitFor();
  const topOf = async (one: Locator) => (await one.boundingBox())?.y ?? 0;
  const picture = page.getByRole('table', { name: 'Timeline' });
  for (const name of [/ in \d/, 'Where it ends']) {
    const first = page.getByRole('heading', { name });
    expect(await topOf(first)).toBeLessThan(await topOf(picture));
  }
  expect(await page.getByRole('row', { name: /^Wave 1/ }).innerText()).toMatch(/rolls \d+ s/);
  expect(await findings(page)).toEqual([]);
  expect(
    await page
      .locator('datalist option')
      .evaluateAll((all) => all.map((one) => one.getAttribute('value'))),
  ).toEqual(expect.arrayContaining(['mail', 'shop']));
  await page.getByLabel('What goes wrong').selectOption('many things');
  await page.getByRole('button', { name: 'Rehearse' }).click();
  const faults = page.getByRole('heading', { name: 'What goes wrong' });
  await faults.waitFor();
  expect(await topOf(faults)).toBeLessThan(await topOf(picture));
  await page.getByLabel('Runtime').fill('nothing');
  await page.getByRole('button', { name: 'Rehearse' }).click();
  await page.getByRole('alert').waitFor();
  await page.close();
});

test('a retry rolls what is left, after a question that says so', async () => {
  const { page } = await openConsole(browser, stage);
  await goTo(page, stage, 'a rollout that failed');
  await page.getByRole('button', { name: 'Retry …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Retry?' });
  await dialog.getByText(/^A new rollout to version 3 starts, with the same policy/).waitFor();
  expect(await findings(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Retry' }).click();
  await page.locator('.badge', { hasText: 'Succeeded' }).waitFor();
  expect(new URL(page.url()).pathname).not.toBe(stage.pathOf['a rollout that failed']);
  await page.getByText(/ live on version 3: /).waitFor();
  await page.close();
});

test('a group is frozen from its page, which says what that does, and can be paused beside that', async () => {
  const { page } = await openConsole(browser, stage, {
    at: `${stage.origin}/runtimes/${encodeURIComponent('group:prod')}`,
  });
  await page.getByRole('button', { name: 'Freeze …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Freeze group:prod?' });
  await dialog.getByText(/^Nothing starts on group:prod and its runtimes, whoever/).waitFor();
  await dialog.getByText('Nothing is under way there now.').waitFor();
  await dialog.getByLabel('Reason').fill('patching');
  await dialog.getByRole('button', { name: 'Freeze group:prod' }).click();
  await page.getByText(/^Added the freeze of group prod until /).waitFor();
  await page.getByRole('button', { name: 'Freeze …' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Pause …' }).waitFor();
  await page.close();
});

test('an address that there is not says so', async () => {
  const { page } = await openConsole(browser, stage, { at: `${stage.origin}/bogus` });
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  await page.close();
});
