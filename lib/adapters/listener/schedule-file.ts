import { join } from 'node:path';
import * as z from 'zod';
import { recordOf } from '../../domain/stored.ts';
import { checkStateFile, readStateFile, writeStateFile } from '../machine/state-folder.ts';

const FILE = 'schedules.json';

const seenSchema = recordOf(z.string(), z.object({ since: z.number(), until: z.number() }));

/** @throws `InvalidInput` when the file is a link or no file, or others may write to it. */
export function checkScheduleFile(stateDirectory: string): void {
  checkStateFile(join(stateDirectory, FILE));
}

/**
 * What earlier listeners with this state directory have recorded about their schedules. It is empty before the first
 * one.
 *
 * @throws when the file cannot be read, or steproll did not write it.
 */
export function readScheduleFile(stateDirectory: string): z.infer<typeof seenSchema> {
  const text = readStateFile(stateDirectory, FILE);
  return text === null ? {} : seenSchema.parse(JSON.parse(text));
}

/** Writes the file, completely or not at all. */
export function writeScheduleFile(stateDirectory: string, seen: z.infer<typeof seenSchema>): void {
  writeStateFile(stateDirectory, FILE, seen);
}
