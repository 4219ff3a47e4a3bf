import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { killPrograms } from '../../cli/program-process.ts';
import { openBrowser } from './chromium.ts';
import { goTo, PAGES, type PagesStage, setPages } from './pages.ts';
import { openConsole } from './stage.ts';

let browser: Browser;
let stage: PagesStage;
let page: Page;
beforeAll(async () => {
  browser = await openBrowser();
  stage = await setPages(browser);
  ({ page } = await openConsole(browser, stage));
});
afterAll(async () => {
  await browser.close();
  await stage.remove();
  killPrograms();
});

/** What somebody can do something with, in the order of the document. */
const STOPS = 'a[href], button, input, select, summary, [tabindex="0"]';

/** Numbers the places where the Tab key should stop, and answers how many there are. */
function numberStops(): Promise<number> {
  return page.evaluate((selector) => {
    const stops = [...document.querySelectorAll<HTMLElement>(selector)].filter((element) =>
      element.checkVisibility(),
    );
    stops.forEach((element, place) => {
      element.dataset.stop = `${place}`;
    });
    return stops.length;
  }, STOPS);
}

/** The place that has the focus, and whether somebody sees that it has. */
function focused() {
  return page.evaluate(() => {
    const element = document.activeElement as HTMLElement;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    const { top, bottom, left, right } = element.getBoundingClientRect();
    const isInside = bottom > 0 && top < innerHeight && right > 0 && left < innerWidth;
    return {
      place: Number(element.dataset.stop ?? Number.NaN),
      name: element.outerHTML.slice(0, 100),
      isSeen: outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2 && isInside,
    };
  });
}

test.each(PAGES)(
  'the Tab key stops at everything of %s, in order, and one sees where',
  async (name) => {
    await goTo(page, stage, name);
    const count = await numberStops();
    expect(count).toBeGreaterThan(2);
    const places: number[] = [];
    // A date has up to four stops. With more than that, the last one is never reached.
    for (let tabs = 0; places.at(-1) !== count - 1; tabs += 1) {
      expect(tabs).toBeLessThan(4 * count);
      await page.keyboard.press('Tab');
      const { place, isSeen, name: what } = await focused();
      // A date has three parts, and each is a stop.
      if (place === places.at(-1)) continue;
      expect({ what, place, isSeen }).toEqual({ what, place: places.length, isSeen: true });
      places.push(place);
    }
  },
);

test('the first stop leads past the navigation to the content', async () => {
  await goTo(page, stage, 'a rollout that waits for approval');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');
  await page.keyboard.press('Tab');
  const isInContent = () => document.activeElement?.closest('main') !== null;
  expect(await page.evaluate(isInContent)).toBe(true);
});

test('a link leads to the heading of the next page, and the browser leads back', async () => {
  await goTo(page, stage, 'the rollouts');
  const link = page.getByRole('link', { name: 'shop to version 3', exact: true }).first();
  await link.focus();
  await page.keyboard.press('Enter');
  const heading = page.getByRole('heading', { level: 1, name: 'shop to version 3' });
  await heading.waitFor();
  await page.waitForFunction(() => document.activeElement?.textContent === 'shop to version 3');
  await page.waitForFunction(() => document.title.endsWith(' · shop to version 3 · steproll'));
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Rollouts' }).waitFor();
  await page.waitForFunction(() => document.title.endsWith(' · Rollouts · steproll'));
});

describe('a question before an act', () => {
  const isFocused = (element: Element) => element === document.activeElement;

  test.each(['Approve wave 1', 'Reject wave 1', 'Abort'])(
    '%s keeps the focus, and gives it back with Escape and with Cancel',
    async (name) => {
      await goTo(page, stage, 'a rollout that waits for approval');
      const button = page.getByRole('button', { name: `${name} …` });
      const dialog = page.getByRole('dialog', { name: `${name}?` });
      for (const way of ['Escape', 'Cancel']) {
        await button.focus();
        await page.keyboard.press('Enter');
        await dialog.waitFor();
        const stops = new Set<string>();
        for (let tabs = 0; tabs < 8; tabs += 1) {
          // From the last stop the focus goes to the browser's own bar, and then to the first one.
          stops.add(
            await page.evaluate(() => {
              const element = document.activeElement;
              if (element === document.body) return 'the browser';
              return element?.closest('dialog') ? 'the dialog' : `${element?.outerHTML}`;
            }),
          );
          await page.keyboard.press('Tab');
        }
        stops.delete('the browser');
        expect([...stops]).toEqual(['the dialog']);
        if (way === 'Cancel') await dialog.getByRole('button', { name: 'Cancel' }).focus();
        await page.keyboard.press(way === 'Cancel' ? 'Enter' : 'Escape');
        await dialog.waitFor({ state: 'detached' });
        expect(await button.evaluate(isFocused)).toBe(true);
      }
    },
  );
});

test('a screen reader hears what happens to the rollout of its page, and no countdown', async () => {
  const start = ['--version', '2', '--bake', '3600', '--yes'];
  stage.start('rollout', 'start', 'search', ...start);
  await goTo(page, stage, 'the rollouts');
  await page.getByRole('link', { name: 'search to version 2', exact: true }).click();
  const state = page.locator('.lead .state').filter({ hasText: /baking/ });
  await state.waitFor();
  const said = page.locator('.heard');
  await page.evaluate(() => {
    const heard: string[] = [];
    Object.assign(globalThis, { heard });
    const region = document.querySelector('.heard');
    if (region === null) return;
    new MutationObserver(() => heard.push(region.textContent)).observe(region, {
      characterData: true,
      childList: true,
      subtree: true,
    });
  });
  // The news of the start may come in several looks. Then only the countdown goes on.
  const heard = () =>
    page.evaluate(() => [...(globalThis as unknown as { heard: string[] }).heard]);
  const countDown = async (changes: number) => {
    for (let change = 0; change < changes; change += 1) {
      const was = await state.innerText();
      await page.waitForFunction(
        (text) => document.querySelector<HTMLElement>('.lead .state')?.innerText !== text,
        was,
      );
    }
  };
  await countDown(3);
  const before = await heard();
  stage.start('rollout', 'start', 'mail', ...start);
  await countDown(8);
  expect(await heard()).toEqual(before);
  const [rollout] = JSON.parse((await stage.run('rollout', 'list', 'search', '-o', 'json')).stdout);
  await stage.run('rollout', 'abort', rollout.rolloutId, '--yes');
  await said.filter({ hasText: /search: .*(abort|ended)/i }).waitFor();
});
