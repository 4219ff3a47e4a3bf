import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

let folder = '';

/** All files of a run are in one folder: a worker is ended without a word, so neither the CDK nor we could remove theirs. */
export default function makeFolder() {
  folder = mkdtempSync(join(tmpdir(), 'steproll-tests-'));
  // What runs as another user, as in a container, finds its files there, too.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
}

export function removeFolder() {
  rmSync(folder, { recursive: true, force: true });
}
