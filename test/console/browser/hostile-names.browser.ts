import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { killPrograms } from '../../cli/program-process.ts';
import { findings } from './axe.ts';
import { openBrowser } from './chromium.ts';
import { APPROVED, openConsole, type Stage, setStage } from './stage.ts';

const IMAGE = '<img src=x onerror="globalThis.wasRun=true">';
const SCRIPT = '</code><script>globalThis.wasRun=true</script>&lt;b&gt;';
/** What comes after it would stand from right to left. */
const TURNED = 'pay\u{202e}gnitset\u{2066}';
const LONG = 'W'.repeat(256);
const REASON = `${IMAGE} ${TURNED} ${LONG}`;
const NAMES = [IMAGE, SCRIPT, TURNED, LONG];

const SCENARIO = {
  runtimes: NAMES.map((id) => ({
    id,
    version: 1,
    rollSeconds: 0.2,
    endpoints: NAMES.map((name) => ({ name })),
  })),
  faults: NAMES.map((endpoint) => ({ endpoint, version: 3, kind: 'fail', reason: endpoint })),
};

let browser: Browser;
let stage: Stage;
beforeAll(async () => {
  browser = await openBrowser();
  stage = await setStage(SCENARIO, { [TURNED]: APPROVED });
  await stage.run('rollout', 'start', IMAGE, '--version', '3', '--yes');
  await stage.run('rollout', 'start', LONG, '--version', '3', '--yes');
  stage.start('rollout', 'start', TURNED, '--version', '2', '--yes');
  stage.start('rollout', 'start', SCRIPT, '--version', '2', '--bake', '3600', '--yes');
  const { page } = await openConsole(browser, stage);
  await page.getByText('Wave 1 of 2: waits for approval').waitFor();
  const link = page.getByRole('link', { name: /^pay/ });
  const rolloutId = (await link.getAttribute('href'))?.split('/').at(-1) ?? '';
  await page.close();
  await stage.run('rollout', 'approve', rolloutId, '--reason', REASON);
});
afterAll(async () => {
  await browser.close();
  await stage.remove();
  killPrograms();
});

/** What a page would have if it had taken a text for markup, or if a text turned another one around. */
function strangeParts(page: Page) {
  return page.evaluate(() => {
    const markup = [...document.querySelectorAll('#console :is(img, script, iframe, b, style)')];
    const labels = [...document.querySelectorAll('[aria-label], [aria-valuetext]')].map((one) =>
      [one.ariaLabel, one.ariaValueText].join(''),
    );
    const shown = [document.title, document.body.innerText, ...labels].join('\n');
    return {
      markup: markup.map(({ outerHTML }) => outerHTML),
      wasRun: 'wasRun' in globalThis,
      turns: shown.match(/[\u202a-\u202e\u2066-\u2069]/g) ?? [],
      tooWide: [...document.querySelectorAll('main *')]
        .filter((one) => one.getBoundingClientRect().right > innerWidth && !one.closest('.scroll'))
        .map(({ outerHTML }) => outerHTML.slice(0, 120)),
    };
  });
}

const NOTHING_STRANGE = { markup: [], wasRun: false, turns: [], tooWide: [] };

describe.each([360, 1280])(
  'names that are markup, that turn text or that are long, in %i pixels',
  (width) => {
    let opened: Awaited<ReturnType<typeof openConsole>>;
    beforeAll(async () => {
      opened = await openConsole(browser, stage, { viewport: { width, height: 800 } });
    });
    afterAll(() => opened.page.close());

    test('are text on the page of the rollouts', async () => {
      const { page } = opened;
      await page
        .getByRole('link', { name: `${IMAGE} to version 3`, exact: true })
        .first()
        .waitFor();
      await page
        .getByRole('link', { name: `${LONG} to version 3`, exact: true })
        .first()
        .waitFor();
      await page
        .getByRole('link', { name: 'pay\u{fffd}gnitset\u{fffd} to version 2' })
        .first()
        .waitFor();
      await page.getByRole('link', { name: `${SCRIPT} to version 2`, exact: true }).waitFor();
      await page.getByText('baking').first().waitFor();
      expect(await strangeParts(page)).toEqual(NOTHING_STRANGE);
      expect(await findings(page)).toEqual([]);
    });

    test.each(NAMES)('are text on the page of the rollout of %j', async (name) => {
      const { page } = opened;
      await page.goto(stage.origin);
      const version = name === IMAGE || name === LONG ? 3 : 2;
      const shown = `${name.replace(/\p{Cf}/gu, '\u{fffd}')} to version ${version}`;
      await page.getByRole('link', { name: shown, exact: true }).first().click();
      await page.getByRole('heading', { level: 1, name: shown, exact: true }).waitFor();
      await page.waitForFunction((title) => document.title.endsWith(title), `${shown} · steproll`);
      const text = await page.getByRole('main').innerText();
      for (const endpoint of [IMAGE, SCRIPT]) expect(text).toContain(endpoint);
      expect(await strangeParts(page)).toEqual(NOTHING_STRANGE);
      expect(await findings(page)).toEqual([]);
    });

    test.each(NAMES)('are text on the page of the runtime %j', async (name) => {
      const { page } = opened;
      await page.goto(`${stage.origin}/runtimes/${encodeURIComponent(name)}`);
      const shown = name.replace(/\p{Cf}/gu, '\u{fffd}');
      await page.getByRole('heading', { level: 1, name: shown, exact: true }).waitFor();
      await page.getByRole('rowheader', { name: IMAGE, exact: true }).first().waitFor();
      expect(await strangeParts(page)).toEqual(NOTHING_STRANGE);
      expect(await findings(page)).toEqual([]);
    });

    test('are text where somebody gives them as a reason', async () => {
      const { page } = opened;
      await page.goto(stage.origin);
      await page.getByRole('link', { name: /^pay/ }).click();
      await page.getByText(`approved wave 1: ${REASON.replace(/\p{Cf}/gu, '\u{fffd}')}`).waitFor();
      expect(await strangeParts(page)).toEqual(NOTHING_STRANGE);
    });

    test('have asked nobody, and nothing went wrong', () => {
      expect([...opened.hosts]).toEqual([stage.origin]);
      expect(opened.faults).toEqual([]);
    });
  },
);
