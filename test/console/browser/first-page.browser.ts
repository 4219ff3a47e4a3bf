import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { closed, killPrograms } from '../../cli/program-process.ts';
import { findings } from './axe.ts';
import { openBrowser } from './chromium.ts';
import { APPROVED, openConsole, PATIENT, type Stage, setStage } from './stage.ts';

const EU = ['eu-1', 'eu-2', 'eu-3'];
const US = ['us-1', 'us-2'];
const AP = ['ap-1', 'ap-2'];
const ALONE = ['pay', 'shop'];

const SCENARIO = {
  runtimes: [...EU, ...US, ...AP, ...ALONE].map((id) => ({
    ...{ id, version: 1, rollSeconds: 0.2 },
    endpoints: 4,
  })),
  faults: [
    { runtime: 'eu-2', endpoint: 'endpoint-03', version: 2, kind: 'stuck' },
    { runtime: 'us-1', endpoint: 'endpoint-02', version: 2, kind: 'fail', reason: 'no image' },
    { runtime: 'ap-2', endpoint: 'endpoint-01', version: 2, kind: 'fail', reason: 'no image' },
  ],
};
const RUNTIMES = {
  ...Object.fromEntries([...US, 'shop', 'eu-1', 'eu-3'].map((id) => [id, {}])),
  'eu-2': PATIENT,
  pay: APPROVED,
  'ap-1': APPROVED,
  'ap-2': {},
};
const AT_ONCE = { waves: [{ percent: 100 }], maxAtRisk: 9, maxUnavailable: { percent: 100 } };
const GROUPS = {
  eu: { runtimes: EU, policy: { ...AT_ONCE, pollSeconds: 1 } },
  ap: { runtimes: AP, policy: { ...AT_ONCE, pollSeconds: 1, maxPollSeconds: 1 } },
  us: { runtimes: US, policy: { pollSeconds: 1, maxPollSeconds: 1 } },
};

const SIZES = [
  { width: 1_280, height: 800 },
  { width: 390, height: 844 },
];

let browser: Browser;
let stage: Stage;
let page: Page;
beforeAll(async () => {
  browser = await openBrowser();
  stage = await setStage(SCENARIO, RUNTIMES, GROUPS);
  stage.start('rollout', 'start', '--group', 'eu', '--version', '2', '--yes');
  await stage.run('rollout', 'start', '--group', 'us', '--version', '2', '--yes');
  ({ page } = await openConsole(browser, stage));
});
afterAll(async () => {
  await browser.close();
  await stage.remove();
  killPrograms();
});

const summary = () => page.locator('.summary').innerText();
const part = (name: string) => page.getByRole('region', { name });
const row = (name: string) => page.getByRole('article', { name, exact: true });
const rollouts = () => page.getByRole('link', { name: 'Rollouts', exact: true }).click();

/** Whoever opens the page sees this at once, large or small as their screen may be. */
async function isSeenAtOnce(what: Locator): Promise<void> {
  for (const size of SIZES) {
    await page.setViewportSize(size);
    await what.waitFor();
    await page.evaluate(() => scrollTo(0, 0));
    const { x, y, width, height } = (await what.boundingBox()) ?? {
      x: -1,
      y: 0,
      width: 0,
      height: 0,
    };
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThanOrEqual(size.width);
    expect(y + height).toBeLessThanOrEqual(size.height);
    expect(await findings(page)).toEqual([]);
  }
  await page.setViewportSize({ width: 1_280, height: 800 });
}

test('a group that failed counts once, with the runtime that it failed with', async () => {
  await part('Failed in the last hour').waitFor();
  expect(await summary()).toContain('1 failed in the last hour');
  const failed = part('Failed in the last hour').getByRole('article');
  expect(await failed.count()).toBe(1);
  expect(await failed.innerText()).toMatch(/^.*\s*group:us to version 2\s.*us-1: .*endpoint-02/s);
});

test('a group under way counts once, with its runtimes', async () => {
  await row('eu-2 to version 2').waitFor();
  expect(await summary()).toMatch(/, 1 under way$/);
});

test('what helps after a failure is said where the failure is', async () => {
  await isSeenAtOnce(row('group:us to version 2').getByRole('link', { name: /^(Take|Try|Roll)/ }));
});

test('a count leads to the part of the page that tells of it', async () => {
  await page.setViewportSize({ width: 1_280, height: 300 });
  for (const [count, title] of [
    [/failed in the last hour$/, 'Failed in the last hour'],
    [/^History$/, 'History'],
  ] as const) {
    await page.getByRole('link', { name: count }).click();
    const heading = page.getByRole('heading', { name: title });
    await page.waitForFunction(() => scrollY > 0);
    expect((await heading.boundingBox())?.y).toBeGreaterThan(-1);
    expect((await heading.boundingBox())?.y).toBeLessThan(200);
  }
  await page.setViewportSize({ width: 1_280, height: 800 });
});

describe('a group in which a runtime waits for somebody and another one has failed', () => {
  /** What a screen reader says, from now on. */
  const heard: string[] = [];

  test('is told to a screen reader once', async () => {
    await page.exposeFunction('hear', (text: string) => heard.push(text));
    await page.evaluate(() => {
      const voice = document.querySelector('.heard');
      new MutationObserver(() => Reflect.get(window, 'hear')(voice?.textContent)).observe(
        voice ?? document,
        { childList: true, characterData: true, subtree: true },
      );
    });
    stage.start('rollout', 'start', '--group', 'ap', '--version', '2', '--yes');
    await row('ap-1 to version 2').getByText('waits for approval').waitFor();
    await page.waitForFunction(() =>
      document.querySelector('.heard')?.textContent?.includes('waits for your approval'),
    );
    expect(heard.join(' ').match(/waits for your approval/g)).toHaveLength(1);
    expect(heard.join(' ')).toMatch(/ap-1: Wave 1 waits/);
  });

  test('counts once, though both of its runtimes are told', async () => {
    await row('ap-2 to version 2').getByText('endpoint-01').waitFor();
    expect(await summary()).toMatch(/^1 waits for you, 1 failed in the last hour/);
  });

  test('is one rollout to whoever stops the line', async () => {
    await page.getByRole('button', { name: 'Stop the line …' }).click();
    const question = page.getByRole('dialog', { name: 'Stop the line?' });
    const names =
      /^2 rollouts under way begin .*: group:(ap|eu) to version 2, group:(ap|eu) to version 2\./;
    await question.getByText(names).waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
  });

  test('ends with the answer to its wave', async () => {
    await page.getByRole('link', { name: /^Approve or reject: ap-1/ }).click();
    await page.getByRole('button', { name: 'Reject wave 1 …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reject wave 1' }).click();
    await page.locator('.head .badge', { hasText: 'Failed' }).waitFor();
    await rollouts();
    await row('group:ap to version 2').locator('.badge', { hasText: 'Failed' }).waitFor();
  });
});

describe('an endpoint', () => {
  const field = () => page.getByLabel('An endpoint: its name or id, or the beginning');
  const found = () => part('Endpoints that begin with');

  test('is found in every runtime by the beginning of its name, what went wrong first', async () => {
    await field().fill('endpoint-02');
    await field().press('Enter');
    const rows = found().getByRole('row');
    await rows.nth(1).waitFor();
    expect(await rows.nth(1).innerText()).toMatch(
      /endpoint-02\s+us-1\s+stopped \(was in a failed state\)\s.* ago/s,
    );
    // One of each runtime that was rolled, below the heads of the columns.
    expect(await rows.count()).toBe(1 + EU.length + AP.length + US.length - 1);
    expect(await findings(page)).toEqual([]);
    await rows.nth(1).getByRole('link', { name: 'endpoint-02' }).click();
    await page.getByRole('heading', { level: 1, name: 'us-1 to version 2' }).waitFor();
    await page.goBack();
    await rows.nth(1).getByRole('link', { name: 'us-1' }).click();
    await page.getByRole('heading', { level: 1, name: 'us-1', exact: true }).waitFor();
  });

  test('that no rollout knows is not found, and the page says where was looked', async () => {
    await rollouts();
    await field().fill('web-<b>');
    await page.getByRole('button', { name: 'Find' }).click();
    await found()
      .getByText(/^None in the plans of \d rollouts, the newest of \d runtimes.*was not asked\.$/)
      .waitFor();
    expect(await findings(page)).toEqual([]);
    await rollouts();
    await found().waitFor({ state: 'detached' });
  });
});

describe('what somebody does next is on the first page without a scroll', () => {
  test('for a rollout that waits, and for one whose process is dead', async () => {
    const program = stage.start('rollout', 'start', 'pay', '--version', '2', '--yes');
    await isSeenAtOnce(row('pay to version 2').getByRole('link', { name: /^Approve or reject/ }));
    program.kill('SIGKILL');
    const resume = row('pay to version 2').getByRole('link', { name: /^Resume it/ });
    await isSeenAtOnce(resume);
    await resume.click();
    await isSeenAtOnce(page.getByRole('button', { name: 'Resume …' }));
    await page.getByRole('button', { name: 'Abort …' }).waitFor();
  });

  test('for what is held', async () => {
    await stage.run('hold', 'add', 'freeze', '--until', '1h', '--reason', 'why', '--yes');
    await rollouts();
    await isSeenAtOnce(page.getByRole('button', { name: /^Lift the freeze/ }));
  });
});

describe('a runtime of a group that is stuck', () => {
  /** Which runtime, which endpoint, why and since when, and what follows. */
  const SAYS =
    /endpoint-03 has been in mid-roll since \d\d:\d\d:\d\dZ: .*on its way, and no failure.*goes on by itself/;

  test('stands on the first page with its endpoint, why, since when, and what helps', async () => {
    await rollouts();
    const stuck = part('Wants you').getByRole('article', { name: 'eu-2 to version 2' });
    await stuck.getByText(SAYS).waitFor();
    expect(await stuck.innerText()).toMatch(/^Stuck/);
    expect(await summary()).toContain('1 stuck');
    expect(await summary()).not.toContain('under way');
    expect(await part('Wants you').innerText()).not.toMatch(/\d{3} h/);
    await stuck.getByRole('link', { name: /^Wait or abort/ }).click();
    await page.getByRole('heading', { level: 1, name: 'eu-2 to version 2' }).waitFor();
    await isSeenAtOnce(page.getByText(SAYS).first());
  });

  test('is the first thing that the page of the group tells, with the way to it and the command', async () => {
    await page.getByRole('link', { name: 'group:eu' }).click();
    await page.getByRole('heading', { level: 1, name: 'group:eu to version 2' }).waitFor();
    const next = part('What you can do');
    await isSeenAtOnce(next.getByText(SAYS));
    expect(await next.innerText()).toMatch(/^eu-2: endpoint-03/);
    await isSeenAtOnce(next.getByRole('link', { name: 'Go to eu-2' }));
    await isSeenAtOnce(next.getByText(/steproll rollout abort [\w-]+-[0-9a-f]{20}$/));
    const first = part('Rollouts of its runtimes').getByRole('link').first();
    expect(await first.innerText()).toBe('eu-2');
    expect(await page.locator('.head .badge').innerText()).toBe('Stuck');
  });

  test('is ended by the command that the page shows', async () => {
    const command = await page.locator('.command pre').innerText();
    expect(await closed(stage.typed(`${command} --yes`))).toBe(0);
    await page.locator('.head .badge', { hasText: 'Failed' }).waitFor();
  });
});
