import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ended, startCommand } from './program-process.ts';

const [REPORT, PROGRAM] = ['./report-loaded.ts', '../../bin/steproll.ts'].map((file) =>
  fileURLToPath(new URL(file, import.meta.url)),
);

/** The addresses of all files that a command loads in a checkout, those of packages too, and how it ended. */
export async function filesLoadedBy(args: readonly string[], home: string) {
  const list = join(home, `loaded-${args.join('-').replace(/\W+/g, '-')}`);
  const command = [process.execPath, '--import', `${REPORT}`, `${PROGRAM}`, ...args];
  const { code, stdout, stderr } = await ended(
    startCommand(home, command, { LOADED_FILES: list }, home),
  );
  return { code, stdout, stderr, files: readFileSync(list, 'utf8').split('\n') };
}
