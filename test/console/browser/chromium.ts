import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where Debian has it. CHROMIUM names another one. */
export const CHROMIUM = process.env.CHROMIUM || '/usr/bin/chromium';

export function hasChromium(): boolean {
  return existsSync(CHROMIUM);
}

export function openBrowser(): Promise<Browser> {
  // Nothing but our own pages is opened, and root has no sandbox.
  return chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
}
