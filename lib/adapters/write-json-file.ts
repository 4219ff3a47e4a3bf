import { writeFileSync } from 'node:fs';

/** Writes a file that people read too: indented, with a newline at its end. */
export function writeJsonFile(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}
