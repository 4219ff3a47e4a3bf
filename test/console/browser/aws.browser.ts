import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { killPrograms, saw, startProgram } from '../../cli/program-process.ts';
import { line, planOf, recordOf } from '../../domain/examples.ts';
import { beginWith } from '../../support/begin-with.ts';
import { type FakeAws, startFakeAws } from '../../support/fake-aws.ts';
import { takeSession } from '../take-session.ts';
import { findings } from './axe.ts';
import { openBrowser } from './chromium.ts';
import { openConsole } from './stage.ts';

// The console with --engine aws: what it offers there, and what it does not.

const HOUR = 3_600_000;
const STALLED = { outcome: 'Failed', cleanup: 'none', reason: 'X', message: 'So.' } as const;
const home = mkdtempSync(join(tmpdir(), 'steproll-console-aws-'));
let aws: FakeAws;
let browser: Browser;
let page: Page;
let faults: readonly string[];

beforeAll(async () => {
  aws = await startFakeAws({
    going: { status: 'RUNNING' },
    dead: { status: 'FAILED', error: 'States.Runtime', cause: 'A bug.' },
  });
  await begin('going', Date.now());
  await begin('dead', Date.now() - HOUR);
  await begin('failed', Date.now());
  await aws.ledger.close('failed', STALLED, Date.now());
  const console = startProgram(home, ['console', '--port', '0'], 'steproll', aws.variables);
  const session = await takeSession(await saw(console, '#code='));
  browser = await openBrowser();
  ({ page, faults } = await openConsole(browser, session));
});
afterAll(async () => {
  await browser.close();
  killPrograms();
  await aws.close();
  rmSync(home, { recursive: true, force: true });
});

/** A rollout of its runtime that has rolled the first endpoint of two. */
async function begin(rolloutId: string, at: number): Promise<void> {
  const request = { ...recordOf().request, rolloutId, runtimeId: `shop-${rolloutId}` };
  const { ids, ...plan } = planOf([1, 1]);
  const lease = await aws.ledger.open(request, at, at + HOUR / 2, beginWith(plan));
  const [first = ''] = ids;
  await aws.ledger.append(lease, [line('roll', first, 'accepted')]);
}

async function open(rolloutId: string): Promise<void> {
  await page.getByRole('link', { name: 'Rollouts', exact: true }).click();
  await page
    .getByRole('link', { name: `shop-${rolloutId} to version 3` })
    .first()
    .click();
  await page.getByRole('heading', { level: 1, name: `shop-${rolloutId} to version 3` }).waitFor();
  await page.locator('.acting button').first().waitFor();
}

const offered = async () =>
  (await page.locator('.acting button').allInnerTexts()).map((name) => name.replace(' …', ''));
const dialog = (name: string) => page.getByRole('dialog', { name });

describe('the console of a stack', () => {
  test('says which stack it shows, and everything that has not ended', async () => {
    await page.getByText('the stack Steproll on AWS').waitFor();
    await page.getByRole('link', { name: 'shop-going to version 3' }).waitFor();
    await page.getByRole('link', { name: 'shop-dead to version 3' }).waitFor();
    expect(await findings(page)).toEqual([]);
  });

  test('sends an abort to the ledger of the stack', async () => {
    await open('going');
    expect(await offered()).toEqual(['Pause', 'Abort']);
    await page.getByRole('button', { name: 'Abort …' }).click();
    await dialog('Abort?').getByRole('button', { name: 'Abort' }).click();
    await page
      .getByRole('status')
      .filter({ hasText: /^Asked to abort\./ })
      .waitFor();
    expect((await aws.ledger.read('going')).signals).toMatchObject([{ kind: 'abort' }]);
  });

  test('offers no resume, because AWS looks after it', async () => {
    await open('dead');
    expect(await offered()).toEqual(['Pause', 'Abort']);
    await page
      .getByText(/^Nothing was heard of it since .* it is closed within minutes\.$/)
      .waitFor();
  });

  test('starts a retry as an execution of the stack, and its commands name the stack', async () => {
    await open('failed');
    expect(await offered()).toEqual(['Revert', 'Retry', 'Quarantine version 3']);
    await page.getByText('In a shell').click();
    for (const command of await page.locator('.command pre').allInnerTexts()) {
      expect(command).toContain('--engine aws --stack Steproll');
    }
    await page.getByRole('button', { name: 'Retry …' }).click();
    const question = dialog('Retry?');
    await question.getByText(/A new rollout to version 3 starts/).waitFor();
    expect(await question.innerText()).not.toContain('Ctrl-C');
    expect(await findings(page)).toEqual([]);
    await question.getByRole('button', { name: 'Retry' }).click();
    const started = await startOf();
    await begin(started, Date.now());
    await page.getByRole('heading', { level: 1, name: `shop-${started} to version 3` }).waitFor();
  });

  test('stops the line in the ledger of the stack, under the name that AWS knows', async () => {
    await page.getByRole('link', { name: 'Rollouts', exact: true }).click();
    await page.getByRole('button', { name: 'Stop the line …' }).click();
    await dialog('Stop the line?').getByLabel('Reason').fill('checkout is down');
    await dialog('Stop the line?').getByRole('button', { name: 'Stop the line' }).click();
    await page.getByRole('region', { name: 'Holds' }).getByText('checkout is down').waitFor();
    const holds = await aws.ledger.listHolds();
    expect(holds.map(({ kind }) => kind)).toEqual(['freeze', 'pause']);
    expect(holds[0]?.by).toContain('assumed-role/Ops');
  });

  test('nothing went wrong in its pages', () => {
    expect(faults).toEqual([]);
  });
});

/** The name of the execution that was started. */
async function startOf(): Promise<string> {
  for (;;) {
    const call = aws.calls.find(({ target }) => target === 'StartExecution');
    if (call !== undefined) return String(call.input.name);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
