import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { killPrograms } from '../../cli/program-process.ts';
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

/** In pixels of the page. Zoomed, a screen has fewer of them. */
const SCREENS = [
  ['a telephone', 360, 740, 3],
  ['a screen of 1,280 at 400 %', 320, 256, 4],
  ['half a screen', 740, 800, 1],
  ['a tablet', 768, 1_024, 2],
  ['a window', 880, 800, 1],
  ['a laptop of 1,512 at 200 %', 756, 491, 2],
  ['a laptop of 1,512 at 150 %', 1_008, 654, 2],
  ['a large screen', 2_560, 1_300, 1],
] as const;

/** What cannot be read: text in a column of nothing, and a row as high as the screen. */
function unreadable(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const named = (one: Element, why: string) => `${one.className || one.tagName}: ${why}`;
    const shown = (selector: string) =>
      [...document.querySelectorAll<HTMLElement>(selector)].filter((one) => one.checkVisibility());
    const narrow = shown('.what, h1, h2, h3, td, th, p, li, dd').filter((one) => {
      const text = one.innerText.trim();
      const words = text.split(/\s+/).map((word) => word.length);
      // At least the usual word is to fit into a line.
      return text.length > 3 && one.clientWidth > 0
        ? one.clientWidth < Math.min(9, Math.max(...words)) * 4
        : text.length > 3 && one.getBoundingClientRect().width < 12;
    });
    const high = shown('.row, tr, .hold, .command, .choice').filter(
      (one) => one.getBoundingClientRect().height > Math.max(innerHeight, 480),
    );
    const { scrollWidth, clientWidth } = document.documentElement;
    return [
      ...narrow.map((one) => named(one, `${one.clientWidth} px wide: ${one.innerText}`)),
      ...high.map((one) => named(one, `${one.getBoundingClientRect().height} px high`)),
      ...(scrollWidth > clientWidth ? [`${scrollWidth - clientWidth} px to scroll sideways`] : []),
    ];
  });
}

describe.each(SCREENS)('on %s', (_, width, height, deviceScaleFactor) => {
  test('every page can be read, and no name of a rollout is cut that would fit', async () => {
    const { page } = await openConsole(browser, stage, {
      viewport: { width, height },
      deviceScaleFactor,
    });
    for (const name of PAGES) {
      await goTo(page, stage, name);
      expect({ name, bad: await unreadable(page) }).toEqual({ name, bad: [] });
    }
    await goTo(page, stage, 'the rollouts');
    const names = page.locator('.row h3 a');
    expect(await names.count()).toBeGreaterThan(0);
    for (const one of await names.all()) {
      expect(await one.evaluate((a) => a.scrollWidth - a.clientWidth)).toBeLessThanOrEqual(0);
    }
    await page.close();
  });
});

test('where the colours of text are forced, the pictures keep theirs', async () => {
  const { page } = await openConsole(browser, stage, { forcedColors: 'active' });
  await goTo(page, stage, 'a rollout that failed');
  await page.locator('.grid canvas').waitFor();
  const colours = await page.locator('.grid canvas').evaluate((canvas: HTMLCanvasElement) => {
    const context = canvas.getContext('2d');
    const { data } = context?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
    const seen = new Set<string>();
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3] === 255) seen.add(data.slice(at, at + 3).join());
    }
    return seen.size;
  });
  // Cells of at least two fates, the cross of one, and the frame of the one that is chosen.
  expect(colours).toBeGreaterThanOrEqual(4);
  const marks = await page
    .locator('.fates li')
    .evaluateAll((all) => all.map((one) => getComputedStyle(one, '::before').backgroundColor));
  expect(new Set(marks).size).toBe(marks.length);
  expect(marks.length).toBeGreaterThan(1);
  const waves = await page
    .locator('.wave-bar i')
    .evaluateAll((all) => all.map((one) => getComputedStyle(one).backgroundColor));
  expect(new Set(waves).size).toBeGreaterThan(1);
  await page.close();
});
