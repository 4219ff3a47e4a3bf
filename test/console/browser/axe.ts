import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe-core has found on a page, a line for each rule. */
export async function findings(page: Page): Promise<string[]> {
  // The driver runs it beside the page, whose own policy forbids scripts.
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run(),
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
