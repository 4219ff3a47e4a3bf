import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { killPrograms } from '../../cli/program-process.ts';
import { openBrowser } from './chromium.ts';
import { openConsole, type Stage, setStage } from './stage.ts';

let browser: Browser;
let stage: Stage;
let page: Page;
beforeAll(async () => {
  browser = await openBrowser();
  stage = await setStage();
  stage.start('rollout', 'start', 'mail', '--version', '2', '--waves', '1,2,4,100%', '--yes');
  ({ page } = await openConsole(browser, stage));
  await page.getByRole('link', { name: 'mail to version 2', exact: true }).click();
});
afterAll(async () => {
  await browser.close();
  await stage.remove();
  killPrograms();
});

test('an answer counts only for the wave that was asked about, whatever happens meanwhile', async () => {
  await page.getByRole('button', { name: 'Reject wave 1 …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Reject wave 1?' });
  await dialog.waitFor();
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  await stage.run('rollout', 'approve', id, '--reason', 'somebody else was faster');
  await page.getByText('Wave 2 of 4: waits for approval').waitFor();
  await dialog.getByRole('button', { name: 'Reject wave 1' }).click();
  await dialog.getByText(/waits for an answer to wave 2, not to wave 1/).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Wave 2 of 4: waits for approval').waitFor();
});

test('a question offers no choice that would do nothing to any endpoint', async () => {
  const titles = async (name: string) => {
    await page.getByRole('button', { name }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio').first().waitFor();
    const shown = await dialog.getByRole('radio').locator('..').locator('strong').allInnerTexts();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    return shown;
  };
  // The first wave is live, and nothing is on its way.
  const choices = ['Leave everything as it is', 'Take back what it rolled'];
  expect(await titles('Abort …')).toEqual(choices);
  expect(await titles('Reject wave 2 …')).toEqual(choices);
});

test('a story that cannot be read for a while takes away neither the page nor what somebody writes', async () => {
  const story = /\/api\/rollouts\/[^/]+$/;
  await page.getByRole('button', { name: 'Reject wave 2 …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Reject wave 2?' });
  await dialog.getByLabel('Reason').fill('too many errors');
  await page.route(story, (route) => route.fulfill({ status: 503, json: { message: 'Busy.' } }));
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  await stage.run('rollout', 'approve', id, '--reason', 'all is well');
  await page.getByText('Busy.').waitFor();
  expect(await dialog.getByLabel('Reason').inputValue()).toBe('too many errors');
  await page.unroute(story);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Wave 3 of 4: waits for approval').waitFor();
  await page.getByText('Busy.').waitFor({ state: 'detached' });
});

test('a key that is pressed three times stops the line once, also after an answer that was lost', async () => {
  const { page: other } = await openConsole(browser, stage);
  await other.getByRole('button', { name: 'Stop the line …' }).click();
  const question = other.getByRole('dialog', { name: 'Stop the line?' });
  await question.getByLabel('Reason').fill('checkout is down');
  // The console does it, and the page never hears of it.
  await other.route('**/api/holds', async (route) => {
    await route.fetch();
    await route.abort();
  });
  await question.getByLabel('Reason').press('Enter');
  await question.getByText('This may have been done').waitFor();
  await other.unroute('**/api/holds');
  // Three keys before the page is drawn anew.
  await question.getByLabel('Reason').evaluate((field) => {
    const init = { key: 'Enter', bubbles: true, cancelable: true };
    for (let times = 0; times < 3; times += 1)
      field.dispatchEvent(new KeyboardEvent('keydown', init));
  });
  await question.waitFor({ state: 'detached' });
  await other.getByText(/Added the freeze/).waitFor();
  const listed = JSON.parse((await stage.run('hold', 'list', '-o', 'json')).stdout);
  expect(listed.map(({ kind }: { kind: string }) => kind)).toEqual(['freeze', 'pause']);
  await stage.run('hold', 'lift', listed[0].id, '--reason', 'it is up', '--yes');
  await other.close();
});

test('after an act the focus is on what was done', async () => {
  await page.getByRole('button', { name: 'Abort …' }).click();
  await page.getByLabel('Reason').press('Enter');
  const done = page.getByRole('status').filter({ hasText: /^Asked to abort\./ });
  await done.waitFor();
  await page.waitForFunction(() => document.activeElement?.role === 'status');
  await page.locator('.badge', { hasText: 'Aborted' }).waitFor();
});
