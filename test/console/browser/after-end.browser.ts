import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { killPrograms } from '../../cli/program-process.ts';
import { findings } from './axe.ts';
import { openBrowser } from './chromium.ts';
import { APPROVED, openConsole, type Stage, setStage } from './stage.ts';

const LONG = `rt-${'x'.repeat(247)}`;

/** The ids of its rollouts begin with it, and need more room than they get. */
const WIDE = `wide-${'x'.repeat(40)}`;

let browser: Browser;
let stage: Stage;
beforeAll(async () => {
  browser = await openBrowser();
  const runtimes = ['mail', 'pay', WIDE, LONG].map((id) => {
    return { id, version: 1, endpoints: id === WIDE ? 40 : 3, rollSeconds: 0.2 };
  });
  stage = await setStage({ runtimes }, { mail: APPROVED, pay: APPROVED });
});
afterAll(async () => {
  await browser.close();
  await stage.remove();
  killPrograms();
});

const main = (page: Page) => page.getByRole('main').innerText();
const note = (page: Page, hasText: RegExp) => page.getByRole('status').filter({ hasText });

async function open(name: string) {
  const { page } = await openConsole(browser, stage);
  await page.getByRole('link', { name, exact: true }).first().click();
  const id = () => decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1) ?? '');
  await page.locator('.badge').first().waitFor();
  return { page, id };
}

test('a note of an act ends with its answer, and an abort that went back leaves nothing to go on with', async () => {
  stage.start('rollout', 'start', 'mail', '--version', '2', '--yes');
  const { page, id } = await open('mail to version 2');
  await page.getByRole('button', { name: 'Approve wave 1 …' }).waitFor();
  await page.getByRole('button', { name: 'Abort …' }).click();
  await page.getByText('Take back what it rolled').click();
  await page.getByLabel('Reason').fill('wrong day');
  await page.getByLabel('Reason').press('Enter');
  await page.locator('.badge', { hasText: 'Aborted' }).waitFor();
  await note(page, /^It was heard: .*wrong day/).waitFor();
  expect(await main(page)).not.toMatch(/hears that by|Asked to abort\./);

  const acts = page.getByRole('region', { name: 'What you can do' });
  await acts.getByRole('button', { name: 'Start again …' }).waitFor();
  expect(await acts.locator('button.main').count()).toBe(0);
  expect(await acts.innerText()).not.toMatch(/what is left|Retry|Revert/);
  expect(await findings(page)).toEqual([]);

  const shown = await stage.run('rollout', 'show', id());
  const json = JSON.parse((await stage.run('rollout', 'show', id(), '-o', 'json')).stdout);
  expect(json.next).toMatchObject([
    { step: 'start-afresh', command: `steproll rollout retry ${id()}` },
  ]);
  const told = shown.stdout.replaceAll(/\s+/g, ' ');
  expect(told).toContain(`${json.next[0].purpose}: "${json.next[0].command}"`);
  expect(told).not.toContain('what is left');

  await acts.getByRole('button', { name: 'Start again …' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Start again' }).click();
  await page.getByRole('button', { name: 'Approve wave 1 …' }).waitFor();
  await page.close();
});

test('a note that nobody answers ends with the rollout', async () => {
  stage.start('rollout', 'start', 'pay', '--version', '2', '--yes');
  const { page, id } = await open('pay to version 2');
  await page.getByRole('button', { name: 'Pause …' }).click();
  await page.getByLabel('Reason').fill('lunch');
  await page.getByLabel('Reason').press('Enter');
  await note(page, /hears that by/).waitFor();
  await stage.run('rollout', 'abort', id(), '--yes');
  await page.locator('.badge', { hasText: 'Aborted' }).waitFor();
  await note(page, /hears that by/).waitFor({ state: 'detached' });
  await page.close();
});

test('what helps is offered although something else would not: a version that was rejected is taken back, and not tried again', async () => {
  stage.start('rollout', 'start', 'pay', '--version', '3', '--yes');
  const { page, id } = await open('pay to version 3');
  await page.getByRole('button', { name: 'Approve wave 1 …' }).waitFor();
  await stage.run('rollout', 'reject', id(), '--wave', '1', '--on-failure', 'hold');
  await page.locator('.badge', { hasText: 'Failed' }).waitFor();
  const acts = page.getByRole('region', { name: 'What you can do' });
  await acts.getByRole('button', { name: 'Revert …' }).waitFor();
  expect(await acts.getByRole('button', { name: 'Retry …' }).count()).toBe(0);
  const commands = await acts.locator('.command pre').allTextContents();
  expect(commands.join()).toContain(`rollout revert ${id()}`);
  await page.close();
});

test('what a newer rollout has rolled is not offered to be reverted, and no id takes more room than its beginning', async () => {
  await stage.run('rollout', 'start', LONG, '--version', '2', '--yes');
  await stage.run('rollout', 'start', LONG, '--version', '3', '--yes');
  const { page } = await open(`${LONG} to version 2`);
  expect(await page.getByRole('button', { name: 'Revert …' }).count()).toBe(0);
  for (const cut of await page.locator('h1 .cut').all()) {
    const box = await cut.boundingBox();
    expect(box?.width).toBeLessThan(300);
    expect(box?.height).toBeLessThan(50);
    expect(await cut.getAttribute('title')).toBe(await cut.textContent());
  }
  expect(await findings(page)).toEqual([]);
  await page.close();
});

test('the story of a rollout that has ended is read once, whenever the first look comes', async () => {
  await stage.run('rollout', 'start', LONG, '--version', '4', '--yes');
  const { page, id } = await open(`${LONG} to version 4`);
  const address = page.url();
  const path = `/api/rollouts/${id()}`;
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  // A look that comes late finds the story there, and an early one finds it on its way.
  for (const late of [/\/api\/live$/, /\/api\/rollouts\/[^/]+$/]) {
    asked.length = 0;
    await page.route(late, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await route.continue();
    });
    await page.goto(address);
    await page.getByRole('button', { name: 'Revert …' }).waitFor();
    await page.locator('.place').waitFor();
    await page
      .getByText(/planned:/)
      .first()
      .waitFor();
    await page.unroute(late);
    expect(asked.filter((one) => one === path)).toEqual([path]);
  }
  await page.close();
});

test('a revert that is watched from its start draws its endpoints beside each other, and an end that leaves nothing to do has no empty box', async () => {
  await stage.run('rollout', 'start', WIDE, '--version', '2', '--yes');
  const { page } = await open(`${WIDE} to version 2`);
  await page.getByRole('button', { name: 'Revert …' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revert' }).click();
  await page.locator('.badge', { hasText: 'Taken back' }).waitFor();
  // A column of 40 cells would be higher.
  expect((await page.getByRole('slider').boundingBox())?.height).toBeLessThan(150);
  await page.getByRole('region', { name: 'What you can do' }).waitFor({ state: 'hidden' });
  for (const cut of await page.locator('.fates .cut, .chosen .cut').all()) {
    expect((await cut.boundingBox())?.width).toBeLessThan(300);
  }
  expect(await page.locator('.fates .cut').count()).toBe(1);
  expect(await findings(page)).toEqual([]);
  await page.close();
});
