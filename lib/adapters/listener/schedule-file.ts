import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

const seenSchema = z.record(z.string(), z.object({ since: z.number(), until: z.number() }));

/**
 * What listeners with this state know of their schedules; nothing before the first one.
 *
 * @throws where the file cannot be read, or is none of ours.
 */
export function readScheduleFile(stateDirectory: string): z.infer<typeof seenSchema> {
  const file = fileIn(stateDirectory);
  return existsSync(file) ? seenSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) : {};
}

/** Writes it down, whole or not at all. */
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
