import { CHROMIUM, hasChromium } from './chromium.ts';

// Says in a line what is missing, where the tests would each say it.
if (!hasChromium()) {
  process.stderr.write(
    `The tests of the console need Chromium at ${CHROMIUM}: apt-get install chromium, or name it in CHROMIUM\n`,
  );
  process.exitCode = 1;
}
