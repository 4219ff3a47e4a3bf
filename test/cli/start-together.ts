import { startHere } from './run-here.ts';

/**
 * Runs commands beside each other in this process, so that all of them can be killed at once:
 * `node start-together.ts HOME '[["rollout", "start", …], …]'`. What they say of themselves goes to stdout, as a JSON
 * line `[index, text]` for each piece.
 */
const [home = '', commands = '[]'] = process.argv.slice(2);
// A program that writes would find its own stdout in `process`.
const { stdout } = process;
for (const [index, args] of JSON.parse(commands).entries()) {
  const { stderr } = startHere(home, args);
  stderr.on('data', (chunk) => stdout.write(`${JSON.stringify([index, String(chunk)])}\n`));
}
