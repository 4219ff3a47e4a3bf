import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { closed, killPrograms } from '../../cli/program-process.ts';
import { findings } from './axe.ts';
import { openBrowser } from './chromium.ts';
import { openConsole, type Stage, setStage } from './stage.ts';

let browser: Browser;
let stage: Stage;
let page: Page;
beforeAll(async () => {
  browser = await openBrowser();
  stage = await setStage();
  await stage.run('rollout', 'start', 'cart', '--version', '2', '--yes');
  stage.start('rollout', 'start', 'shop', '--version', '2', '--bake', '3600', '--yes');
  ({ page } = await openConsole(browser, stage, {
    permissions: ['clipboard-read', 'clipboard-write'],
  }));
});
afterAll(async () => {
  await browser.close();
  await stage.remove();
  killPrograms();
});

/** As long as that after it has moved, the page takes the pointer for one that moves: `STEADY_MS` in lib/console/pages/rollouts.tsx. */
const REST_MS = 2_500;

/** Notes in the page, by its own clock, how long the pointer had rested whenever the row came to another place: the least. */
function watchRow(row: Element): { restedMs: number } {
  const noted = { restedMs: Number.POSITIVE_INFINITY };
  // Until its first move the pointer rests.
  let pointedAt = Number.NEGATIVE_INFINITY;
  let place = row.getBoundingClientRect().top;
  const point = () => {
    pointedAt = performance.now();
  };
  addEventListener('pointermove', point, { capture: true });
  const changes = { attributes: true, characterData: true, childList: true, subtree: true };
  let isStale = false;
  new MutationObserver(() => {
    const { top } = row.getBoundingClientRect();
    const wasStale = isStale;
    isStale = document.querySelector('.stale-band') !== null;
    if (top === place) return;
    place = top;
    // That what is shown is old is said at once, which may happen where the machine is slow.
    if (isStale !== wasStale) return;
    noted.restedMs = Math.min(noted.restedMs, performance.now() - pointedAt);
  }).observe(document.body, changes);
  return noted;
}

const badge = (word: string) => page.locator('.head .badge', { hasText: word }).waitFor();
const button = (name: string | RegExp) => page.getByRole('button', { name });
const dialog = (name: string) => page.getByRole('dialog', { name });

async function open(name: string): Promise<void> {
  await page.getByRole('link', { name: 'Rollouts', exact: true }).click();
  await page.getByRole('link', { name, exact: true }).first().click();
  await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
}

describe('a console that does not answer', () => {
  test('is told on the page, with as of when it is; what was asked meanwhile comes to an end', async () => {
    await open('shop to version 2');
    await page.getByText(/Wave 1 of \d: baking, /).waitFor();
    stage.console.kill('SIGSTOP');
    const alert = page.getByRole('alert');
    await alert.filter({ hasText: /does not answer.*as of \d\d:\d\d:\d\dZ/ }).waitFor();
    expect(
      await page
        .locator('main.stale > *')
        .last()
        .evaluate((one) => getComputedStyle(one).filter),
    ).toBe('grayscale(1)');
    await page.waitForFunction(() => document.title.startsWith('No answer'));
    expect(await findings(page)).toEqual([]);
    await page.getByRole('link', { name: 'All of shop' }).click();
    await page.locator('.trouble', { hasText: 'The console does not answer.' }).waitFor();
    await page.goBack();
    await page.getByText(/Wave 1 of \d: baking, /).waitFor();
    stage.console.kill('SIGCONT');
    await page.locator('.stale-band').waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.title.startsWith('Baking'));
  });

  test('leaves it open whether an act was done, and says so', async () => {
    await open('shop to version 2');
    await page.route('**/promote', (route) => route.abort());
    await button('Promote wave 1 …').click();
    await dialog('Promote wave 1?').getByRole('button', { name: 'Promote wave 1' }).click();
    await page.getByRole('alert').filter({ hasText: 'This may have been done' }).waitFor();
    expect(await findings(page)).toEqual([]);
    await page.unroute('**/promote');
    await page.keyboard.press('Escape');
  });
});

describe('holds', () => {
  test('the line is stopped from the first page, after a question that says what that does', async () => {
    await page.getByRole('link', { name: 'Rollouts', exact: true }).click();
    await button('Stop the line …').click();
    const question = dialog('Stop the line?');
    await question
      .getByText(/^1 rollout under way begins no further wave.*shop to version 2/)
      .waitFor();
    expect(await findings(page)).toEqual([]);
    await question.getByLabel('Reason').fill('checkout is down');
    await question.getByRole('button', { name: 'Stop the line' }).click();
    const band = page.getByRole('region', { name: 'Holds' });
    await band.getByText(/The line is stopped.*from .*checkout is down/).waitFor();
    await page.locator('.row .badge', { hasText: 'Paused' }).waitFor();
    expect(await findings(page)).toEqual([]);
    const listed = JSON.parse((await stage.run('hold', 'list', '-o', 'json')).stdout);
    expect(listed.map(({ kind }: { kind: string }) => kind)).toEqual(['freeze', 'pause']);
    await band.getByRole('button', { name: 'Lift the freeze and pause of everything …' }).click();
    await page.getByLabel('Reason').fill('it is up again');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Lift the/ })
      .click();
    await band.getByText('Lifted the freeze and pause of everything.').waitFor();
    await page.locator('.row .badge', { hasText: 'Baking' }).waitFor();
  });

  test('one rollout is paused, and goes on', async () => {
    await open('shop to version 2');
    await button('Pause …').click();
    expect(await findings(page)).toEqual([]);
    await dialog('Pause?').getByLabel('Reason').fill('looking at a graph');
    await dialog('Pause?').getByRole('button', { name: 'Pause' }).click();
    await badge('Paused');
    await button('Go on …').click();
    await dialog('Go on?').getByLabel('Reason').fill('looks good');
    await dialog('Go on?').getByRole('button', { name: 'Go on' }).click();
    await badge('Baking');
    expect(JSON.parse((await stage.run('hold', 'list', '-o', 'json')).stdout)).toMatchObject([
      { lifted: {} },
      { lifted: {} },
      { lifted: {} },
    ]);
  });
});

test('one runtime is frozen and paused from its page, after a question that says what that does', async () => {
  await open('shop to version 2');
  await page.getByRole('link', { name: 'All of shop' }).click();
  for (const [kind, says] of [
    [
      'Freeze',
      /^What is under way goes on, unless its policy lets windows bind rolls: shop to version 2\.$/,
    ],
    ['Pause', /^1 rollout under way begins no further wave.*: shop to version 2\./],
  ] as const) {
    await button(`${kind} …`).click();
    const question = dialog(`${kind} shop?`);
    await question.getByText(says).waitFor();
    expect(await findings(page)).toEqual([]);
    await question.getByLabel('Reason').fill('its database moves');
    await question.getByRole('button', { name: `${kind} shop` }).click();
    await button(`${kind} …`).waitFor({ state: 'detached' });
    const lift = page.getByRole('button', {
      name: `Lift the ${kind.toLowerCase()} of runtime shop …`,
    });
    await lift.click();
    await page.getByLabel('Reason').fill('it has moved');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Lift the/ })
      .click();
    await button(`${kind} …`).waitFor();
  }
});

test('promote ends the bakes of all waves that follow, where somebody says so', async () => {
  await open('shop to version 2');
  await button('Promote wave 1 …').click();
  const question = dialog('Promote wave 1?');
  await question.getByText(/^Wave 2 is \d endpoint/).waitFor();
  await question.getByRole('radio', { name: /of all that follow/ }).check();
  expect(await findings(page)).toEqual([]);
  await question.getByRole('button', { name: 'Promote wave 1' }).click();
  await page.getByText(/^Promoted wave 1 and all that follow/).waitFor();
  await badge('Succeeded');
});

test('a rollout that succeeded is taken back, after a question that says how many endpoints go where', async () => {
  await open('cart to version 2');
  await button('Revert …').click();
  const question = dialog('Revert?');
  await question.getByText(/^40 endpoints go back to version 1: endpoint-01/).waitFor();
  expect(await findings(page)).toEqual([]);
  await question.getByLabel('Reason').fill('errors in checkout');
  await question.getByRole('button', { name: 'Revert' }).click();
  await badge('Taken back');
  await page.getByText('errors in checkout').first().waitFor();
  expect(await findings(page)).toEqual([]);
});

test('a rollout whose process died goes on in the console, and its command is whole', async () => {
  const program = stage.start('rollout', 'start', 'pay', '--version', '2', '--yes');
  await page.getByRole('link', { name: 'Rollouts', exact: true }).click();
  await page.getByRole('link', { name: 'pay to version 2', exact: true }).click();
  await badge('Approval');
  // What to type is in sight as soon as it is told that the process is dead, however long the rest of the page takes.
  const answers = Promise.withResolvers<void>();
  await page.route('**/api/rollouts/*', (route) =>
    answers.promise.then(() => route.continue()).catch(() => undefined),
  );
  program.kill('SIGKILL');
  await badge('Dead');
  const shown = page.locator('.command', { hasText: 'rollout resume' });
  await shown.getByRole('button').waitFor();
  answers.resolve();
  await page.unroute('**/api/rollouts/*');
  await button('Resume …').waitFor();
  expect(await findings(page)).toEqual([]);
  await shown.getByRole('button').click();
  await shown.getByText('Copied').waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe(await shown.locator('pre').innerText());
  await button('Resume …').click();
  const question = dialog('Resume?');
  await question.getByText(/^5 endpoints of 6 are not on version 2 yet\.$/).waitFor();
  await question.getByText(/process of this console.*Ctrl-C there aborts it/).waitFor();
  expect(await findings(page)).toEqual([]);
  await question.getByRole('button', { name: 'Resume' }).click();
  await badge('Approval');
  // The process that is alive has it now, so the command has nothing to do.
  expect(await closed(stage.typed(copied))).toBe(1);
  await button('Approve wave 1 …').click();
  await dialog('Approve wave 1?')
    .getByText(/^Wave 2 is 5 endpoints/)
    .waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Approve wave 1' }).click();
  await badge('Succeeded');
});

describe('the first page', () => {
  test('moves nothing under a pointer that moves, and does so once it rests', async () => {
    stage.start('rollout', 'start', 'mail', '--version', '2', '--bake', '3600', '--yes');
    await page.getByRole('link', { name: 'Rollouts', exact: true }).click();
    const row = page.getByRole('rowheader', { name: /^cart to version 2/ }).first();
    // From then on its row stays as high as it is.
    const mail = page.getByRole('article', { name: 'mail to version 2' });
    await mail.getByText('Wave 1 of 2: baking').waitFor();
    const before = await row.boundingBox();
    const summary = page.locator('.summary');
    const quiet = await summary.innerText();
    const noted = await row.evaluateHandle(watchRow);
    stage.start('rollout', 'start', 'search', '--version', '2', '--bake', '3600', '--yes');
    // It is in the summary at once, and for as long as the pointer goes on it has no row.
    for (let moves = 0, more = 0; more < 20; moves += 1) {
      await page.mouse.move(300 + (moves % 9), (before?.y ?? 0) + 8);
      if ((await summary.innerText()) !== quiet) more += 1;
    }
    await page.getByRole('article', { name: 'search to version 2' }).waitFor();
    expect((await row.boundingBox())?.y).toBeGreaterThan(before?.y ?? 0);
    // On a machine that is slow enough, the pointer has rested between two moves.
    expect(await noted.evaluate(({ restedMs }) => restedMs)).toBeGreaterThan(REST_MS);
  });

  test('is where it was when somebody comes back', async () => {
    await page.setViewportSize({ width: 1_000, height: 400 });
    const link = page.getByRole('link', { name: /^cart to version 2/ }).last();
    await link.scrollIntoViewIfNeeded();
    // Where the page is when the link is followed: what comes above it meanwhile moves it.
    const top = await link.evaluate((element: HTMLElement) => {
      const place = scrollY;
      element.click();
      return place;
    });
    expect(top).toBeGreaterThan(0);
    await page.getByRole('heading', { level: 1, name: 'cart to version 2' }).waitFor();
    expect(await page.evaluate(() => scrollY)).toBe(0);
    await page.goBack();
    // Or at its end: what was said of an act is gone, so the page may be shorter.
    await page.waitForFunction((place) => {
      const most = document.documentElement.scrollHeight - innerHeight;
      return most > 0 && Math.abs(scrollY - Math.min(place, most)) < 2;
    }, top);
  });
});
