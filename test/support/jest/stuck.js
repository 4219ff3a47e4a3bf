const LONGEST_SILENCE_MINUTES = 10;

/** "Try again", as sysexits.h has it. */
const STUCK = 75;

/**
 * Ends a run in which no file has come to an end for ten minutes, or as many as its options say, and names the files that
 * are still running, because in plain Node.js a test has no time limit of its own. The slowest file takes two minutes on a
 * busy machine.
 */
export default class Stuck {
  #running = new Set();
  #timer;
  #minutes;

  constructor(_, { minutes = LONGEST_SILENCE_MINUTES } = {}) {
    this.#minutes = minutes;
  }

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
      process.stderr.write(
        `No test file has ended for ${this.#minutes} minutes. Still running:\n  ${names}\n`,
      );
      process.exit(STUCK);
    }, this.#minutes * 60_000);
  }
}
