const LONGEST_SILENCE_MS = 10 * 60_000;

/** "Try again", as sysexits.h has it. */
const STUCK = 75;

/**
 * Ends a run in which no file has come to an end for ten minutes, and names the files that are still running, because in
 * plain Node.js a test has no time limit of its own. The slowest file takes two minutes on a busy machine.
 */
export default class Stuck {
  #running = new Set();
  #timer;

  onRunStart() {
    this.#waitAnew();
  }

  onTestFileStart({ path }) {
    this.#running.add(path);
  }

  onTestFileResult({ path }) {
    this.#running.delete(path);
    this.#waitAnew();
  }

  onRunComplete() {
    clearTimeout(this.#timer);
  }

  #waitAnew() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const names = [...this.#running].join('\n  ') || 'none: the workers do not end';
      process.stderr.write(`No test file has ended for 10 minutes. Still running:\n  ${names}\n`);
      process.exit(STUCK);
    }, LONGEST_SILENCE_MS);
  }
}
