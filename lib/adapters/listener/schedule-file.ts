import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { writeStateFile } from '../machine/state-folder.ts';

const FILE = 'schedules.json';

const seenSchema = z.record(z.string(), z.object({ since: z.number(), until: z.number() }));

/**
 * What earlier listeners with this state directory have recorded about their schedules. It is empty before the first
 * one.
 *
 * @throws when the file cannot be read, or steproll did not write it.
 */
export function readScheduleFile(stateDirectory: string): z.infer<typeof seenSchema> {
  const file = join(stateDirectory, FILE);
  return existsSync(file) ? seenSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) : {};
}

/** Writes the file, completely or not at all. */
export function writeScheduleFile(stateDirectory: string, seen: z.infer<typeof seenSchema>): void {
  writeStateFile(stateDirectory, FILE, seen);
}
