import type { ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { killPrograms, saw } from '../../cli/program-process.ts';
import { openBrowser } from './chromium.ts';
import { type Hands, handsOf, reach } from './hands.ts';
import { openConsole, type Stage, setStage } from './stage.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(async () => {
  await browser.close();
  killPrograms();
});

// The tasks of a night shift, one after the other, as somebody does them who has only the link. Nothing is reloaded.
describe.each(['click', 'keyboard'] as const)('a night shift, by %s', (kind) => {
  let stage: Stage;
  let page: Page;
  let hands: Hands;
  let faults: string[];
  let hosts: Set<string>;
  let search: ChildProcess;
  let addresses = 0;

  beforeAll(async () => {
    stage = await setStage();
    // Without a rollout before, nobody knows how long a roll takes, and nothing is planned in time.
    await stage.run('rollout', 'start', 'shop', '--version', '2', '--yes');
    const failing = await stage.run('rollout', 'start', 'shop', '--version', '3', '--yes');
    expect(failing.code).toBe(1);
    stage.start('rollout', 'start', 'pay', '--version', '2', '--yes');
    ({ page, faults, hosts } = await openConsole(browser, stage));
    page.on('framenavigated', () => {
      addresses += 1;
    });
    hands = handsOf(kind, page);
  });
  afterAll(async () => {
    await page.close();
    await stage.remove();
  });

  const link = (name: string) => page.getByRole('link', { name, exact: true }).first();
  const button = (name: string) => page.getByRole('button', { name });
  const badge = (word: string) => page.locator('.badge', { hasText: word }).first().waitFor();
  const shows = (text: string | RegExp) => page.getByText(text).first().waitFor();
  const rollouts = () => hands.press(link('Rollouts'));
  const titleIs = (name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

  test('1. What is going on?', async () => {
    const card = page.getByRole('region', { name: 'Wants you' }).getByRole('article');
    await card.getByText('Wave 1 of 2: waits for approval').waitFor();
    expect(await card.getByRole('heading').innerText()).toBe('pay to version 2');
    expect(await card.innerText()).toContain('1 of 6');
  });

  test('2. What does it want of me, and until when?', async () => {
    await shows(/: waits for approval, rejected by itself in /);
    await link('Approve or reject: pay to version 2').waitFor();
  });

  test('3. Which rollouts have failed? The filter is in the address', async () => {
    await hands.tick(page.getByRole('checkbox', { name: 'Failed' }));
    await shows('All 1');
    expect(page.url()).toBe(`${stage.origin}/?outcome=Failed`);
  });

  test('4. Why did it fail, and what was done?', async () => {
    await hands.press(link('shop to version 3'));
    await titleIs('shop to version 3');
    await badge('Failed (stuck)');
  });

  test('5. Which endpoint was it, and what was written to it?', async () => {
    const grid = page.getByRole('slider');
    if (kind === 'click') {
      await page.getByText('As a table').click();
      await page.getByLabel('Name or what became of it').fill('stopped');
      const endpoints = page.getByRole('region', { name: 'Endpoints' });
      await endpoints.getByRole('rowheader', { name: 'endpoint-03' }).waitFor();
    } else {
      await page.keyboard.press('Tab');
      await reach(page, grid);
      const chosen = () => grid.getAttribute('aria-valuetext');
      for (let steps = 0; !(await chosen())?.startsWith('endpoint-03'); steps += 1) {
        expect(steps).toBeLessThan(6);
        await page.keyboard.press('ArrowRight');
      }
      expect(await grid.getAttribute('aria-valuetext')).toContain('stopped (was in mid-roll)');
      const life = await page.getByRole('list', { name: 'What was written to it' }).innerText();
      expect(life).toMatch(/roll, accepted.*stop, accepted/s);
    }
  });

  test('6. What do I do next?', async () => {
    await shows('Take back what was rolled.');
    await button('Revert …').waitFor();
    await shows('Go on or go back.');
  });

  test('7. Was it slower than planned?', async () => {
    const row = page.getByRole('row', { name: /^Wave 1/ });
    expect(await row.innerText()).toMatch(/rolls .* \(planned: rolls .*\)/);
  });

  test('8. The version is good: approve it, with a reason', async () => {
    await rollouts();
    await hands.press(link('pay to version 2'));
    await hands.press(button('Approve wave 1 …'));
    const dialog = page.getByRole('dialog', { name: 'Approve wave 1?' });
    await dialog.getByText('The next wave follows.').waitFor();
    await hands.write(dialog.getByLabel('Reason'), 'metrics are fine');
    await hands.press(dialog.getByRole('button', { name: 'Approve wave 1' }));
    await shows('Approved wave 1. The next one follows.');
    await badge('Succeeded');
  });

  test('9. Who approved this, and why?', async () => {
    await hands.choose(page.getByLabel('Show'), 'what people said');
    await shows(/approved wave 1: metrics are fine$/);
    await page.getByText('rolling 6 endpoints').waitFor({ state: 'detached' });
  });

  test('10. This one is bad: reject it, and roll it back', async () => {
    stage.start('rollout', 'start', 'mail', '--version', '2', '--yes');
    await rollouts();
    await hands.press(link('mail to version 2'));
    await hands.press(button('Reject wave 1 …'));
    const dialog = page.getByRole('dialog', { name: 'Reject wave 1?' });
    await hands.pick(dialog.getByRole('radio', { name: /Take back what it rolled/ }));
    await dialog.getByText('what was rolled goes back to the versions before').first().waitFor();
    await hands.press(dialog.getByRole('button', { name: 'Reject wave 1' }));
    await badge('Failed (bad version)');
  });

  test('11. Its process was killed: what now? It goes on when somebody resumes it', async () => {
    search = stage.start('rollout', 'start', 'search', '--version', '2', '--yes');
    await rollouts();
    await hands.press(link('search to version 2'));
    await shows('Wave 1 of 2: waits for approval');
    search.kill('SIGKILL');
    await shows('Its process seems to be dead. Nothing goes on until somebody resumes it.');
    const command = page.locator('.command pre', { hasText: 'resume' });
    await command.waitFor();
    await saw(stage.typed(await command.innerText()), 'Wave 1 of 2');
    await page.getByText('Its process seems to be dead.').waitFor({ state: 'detached' });
    await shows('Wave 1 of 2: waits for approval');
  });

  test('12. Stop it: abort with a reason, and see that it ended', async () => {
    await hands.press(button('Abort …'));
    const dialog = page.getByRole('dialog', { name: 'Abort?' });
    await dialog.getByText(/Nothing more is rolled.*every endpoint stays as it is/).waitFor();
    await hands.write(dialog.getByLabel('Reason'), 'wrong day');
    await hands.press(dialog.getByRole('button', { name: 'Abort' }));
    await badge('Aborted');
    await shows(/asked to abort: wrong day$/);
  });

  test('no page was loaded anew, nothing went wrong, and nobody else was asked', () => {
    expect(faults).toEqual([]);
    expect([...hosts]).toEqual([stage.origin]);
    expect(addresses).toBeGreaterThan(5);
  });
});
