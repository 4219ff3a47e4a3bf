import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

const seenSchema = z.record(z.string(), z.object({ since: z.number(), until: z.number() }));

/**
 * What earlier listeners with this state directory have recorded about their schedules. It is empty before the first
 * one.
 *
 * @throws when the file cannot be read, or steproll did not write it.
 */
export function readScheduleFile(stateDirectory: string): z.infer<typeof seenSchema> {
  const file = fileIn(stateDirectory);
  return existsSync(file) ? seenSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) : {};
}

/** Writes the file, completely or not at all. */
export function writeScheduleFile(stateDirectory: string, seen: z.infer<typeof seenSchema>): void {
  mkdirSync(stateDirectory, { recursive: true, mode: 0o700 });
  const draft = join(stateDirectory, `schedules.${randomUUID()}.tmp`);
  try {
    writeFileSync(draft, `${JSON.stringify(seen)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(draft, fileIn(stateDirectory));
  } finally {
    rmSync(draft, { force: true });
  }
}

function fileIn(stateDirectory: string): string {
  return join(stateDirectory, 'schedules.json');
}
