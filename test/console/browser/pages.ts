import type { Browser, Page } from 'playwright-core';
import { openConsole, type Stage, setStage } from './stage.ts';

/** Every kind of page, and for a rollout the ways in which it stands. */
export const PAGES = [
  'the rollouts',
  'a rollout that failed',
  'a rollout that succeeded',
  'a rollout that waits for approval',
  'a rollout that there is not',
  'a runtime',
  'the rehearsal',
  'the report',
  'two rollouts',
  'what will come',
] as const;
export type PageName = (typeof PAGES)[number];

/** A stage on which each of the pages has something to show. */
export interface PagesStage extends Stage {
  readonly pathOf: Readonly<Record<PageName, string>>;
}

export async function setPages(browser: Browser): Promise<PagesStage> {
  const stage = await setStage();
  await stage.run('rollout', 'start', 'shop', '--version', '3', '--yes');
  await stage.run('rollout', 'start', 'cart', '--version', '2', '--yes');
  stage.start('rollout', 'start', 'pay', '--version', '2', '--yes');
  const { page } = await openConsole(browser, stage);
  const find = async (name: string) =>
    (await page.getByRole('link', { name, exact: true }).first().getAttribute('href')) ?? '';
  await page.getByText('waits for approval').first().waitFor();
  const pathOf = {
    'the rollouts': '/',
    'a rollout that failed': await find('shop to version 3'),
    'a rollout that succeeded': await find('cart to version 2'),
    'a rollout that waits for approval': await find('pay to version 2'),
    'a rollout that there is not': '/rollouts/none',
    'a runtime': '/runtimes/shop',
    'the rehearsal': '/rehearsal?runtime=cart&version=3',
    'the report': '/report?since=1h',
    'two rollouts': '',
    'what will come': '/coming',
  };
  const idOf = (name: PageName) => pathOf[name].split('/').at(-1) ?? '';
  pathOf['two rollouts'] =
    `/compare?one=${idOf('a rollout that failed')}&other=${idOf('a rollout that succeeded')}`;
  await page.close();
  return { ...stage, pathOf };
}

/** What a page shows last, when it has all its data. */
const LAST: Readonly<Record<PageName, readonly (string | RegExp)[]>> = {
  'the rollouts': ['All 2', 'Wave 1 of 2: waits for approval'],
  // Without a rollout before, nothing is planned in time.
  'a rollout that failed': ['Failed (stuck)', 'What it did', /^The runbook: /],
  'a rollout that succeeded': ['Succeeded', 'What it did'],
  'a rollout that waits for approval': ['Approve wave 1 …', 'What it did'],
  'a rollout that there is not': ['The ledger knows no rollout "none".'],
  'a runtime': ['Which versions failed', 'Freeze …'],
  'the rehearsal': [/nothing is changed\.$/],
  'the report': ['To paste', /^Since .*: 1 failed, 1 succeeded, 1 under way\.$/],
  'what will come': ['By the clock', /: it is rejected by itself$/],
  'two rollouts': [/ are different$/],
};

/** Goes to a page, and waits until it has its data. */
export async function goTo(page: Page, { origin, pathOf }: PagesStage, name: PageName) {
  await page.goto(origin + pathOf[name]);
  for (const text of LAST[name]) await page.getByText(text).first().waitFor();
  await page.waitForFunction(() => document.title.endsWith(' · steproll'));
}
