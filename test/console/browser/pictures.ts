import { fileURLToPath } from 'node:url';
import { killPrograms } from '../../cli/program-process.ts';
import { openBrowser } from './chromium.ts';
import { openConsole, setStage } from './stage.ts';

// Takes the pictures of docs/watching.md#the-console and the README, on the stage of the night shift.

const FOLDER = fileURLToPath(new URL('../../../docs/pictures/', import.meta.url));
const SIZE = { width: 1_200, height: 1_000 };

const stage = await setStage();
const browser = await openBrowser();
try {
  await stage.run('rollout', 'start', 'cart', '--version', '2', '--yes');
  await stage.run('rollout', 'start', 'cart', '--version', '3', '--yes');
  stage.start('rollout', 'start', 'pay', '--version', '2', '--yes');
  stage.start('rollout', 'start', 'search', '--version', '2', '--bake', '60', '--yes');
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page } = await openConsole(browser, stage, { colorScheme, viewport: SIZE });
    const take = async (name: string) => {
      // The stage keeps its ledger in a folder of the machine that takes the pictures.
      await page.locator('.place').evaluate((place, said) => {
        place.textContent = said;
      }, 'this machine, the ledger in ~/.local/state/steproll');
      await page.screenshot({ path: `${FOLDER}${name}-${colorScheme}.png` });
    };
    await page.getByText('waits for approval').first().waitFor();
    await page.getByText(/: baking, \d+ s left$/).waitFor();
    await page.getByRole('link', { name: 'cart to version 3' }).first().waitFor();
    await take('console-rollouts');
    await page.getByRole('link', { name: 'cart to version 3' }).first().click();
    await page
      .getByText(/\(planned: /)
      .first()
      .waitFor();
    await page.evaluate(() => scrollTo(0, 0));
    await take('console-rollout');
    await page.close();
  }
} finally {
  await browser.close();
  await stage.remove();
  killPrograms();
}
