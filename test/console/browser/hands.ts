import type { Locator, Page } from 'playwright-core';

/** How a person works with the pages: with a mouse, or with nothing but the keyboard. */
export interface Hands {
  press(what: Locator): Promise<void>;
  write(into: Locator, text: string): Promise<void>;
  choose(from: Locator, option: string): Promise<void>;
  tick(box: Locator): Promise<void>;
  /** Picks one of several. */
  pick(one: Locator): Promise<void>;
}

export function handsOf(kind: 'click' | 'keyboard', page: Page): Hands {
  return kind === 'click' ? MOUSE : onKeyboard(page);
}

const MOUSE: Hands = {
  press: (what) => what.click(),
  write: (into, text) => into.fill(text),
  choose: async (from, option) => void (await from.selectOption({ label: option })),
  tick: (box) => box.check(),
  pick: (one) => one.check(),
};

/** A page with more stops than this is not for people with a keyboard. */
const MOST_TABS = 150;

/** Presses the Tab key until it has the focus. */
export async function reach(page: Page, what: Locator): Promise<void> {
  await what.waitFor();
  for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
    if (await what.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Nobody gets to ${what} with the Tab key.`);
}

function onKeyboard(page: Page): Hands {
  return {
    async press(what) {
      await reach(page, what);
      await page.keyboard.press('Enter');
    },
    async write(into, text) {
      await reach(page, into);
      await page.keyboard.type(text);
    },
    async tick(box) {
      await reach(page, box);
      await page.keyboard.press('Space');
    },
    async pick(one) {
      // The Tab key stops at the one that is picked, and the arrow keys pick another one.
      const name = await one.getAttribute('name');
      await reach(page, page.locator(`input[name="${name}"]:checked`));
      for (let steps = 0; !(await one.isChecked()); steps += 1) {
        if (steps > MOST_TABS) throw new Error(`Nobody gets to ${one} with the arrow keys.`);
        await page.keyboard.press('ArrowDown');
      }
    },
    async choose(from, option) {
      await reach(page, from);
      await page.keyboard.type(option);
      await page.keyboard.press('Enter');
    },
  };
}
