import { existsSync, readFileSync } from 'node:fs';
import type { Mutant } from './mutant.ts';
import { functionsIn } from './place.ts';

/** One mutant, or several of one function, of which something is known. */
export interface KnownMutant {
  readonly file: string;
  /** The function at the top of the file, or `CONSTANTS`. */
  readonly within: string;
  /** As the mutants themselves say them. */
  readonly operations: readonly string[];
  /** Why nobody can tell them from the original. */
  readonly why: string;
}

export function isMeant({ file, within, operations }: KnownMutant, mutant: Mutant): boolean {
  return file === mutant.file && within === mutant.within && operations.includes(mutant.operation);
}

/** The mutants of which nothing is known. */
export function withoutKnown(
  mutants: readonly Mutant[],
  known: readonly KnownMutant[],
): readonly Mutant[] {
  return mutants.filter((mutant) => !known.some((entry) => isMeant(entry, mutant)));
}

/** A sentence for each entry that is about no mutant of today, in whole or in part. */
export function idleEntries(
  entries: readonly KnownMutant[],
  mutants: readonly Mutant[],
): readonly string[] {
  return entries.flatMap(({ file, within, operations }) => {
    if (!existsSync(file)) return [`${file} is not there any more.`];
    if (!functionsIn(readFileSync(file, 'utf8')).names.has(within))
      return [`${file} has no function ${within} any more.`];
    const own = mutants
      .filter((mutant) => mutant.file === file && mutant.within === within)
      .map(({ operation }) => operation);
    return operations
      .filter((operation) => !own.includes(operation))
      .map((one) => `${within} in ${file} has no ${one} any more. It has: ${own.join(', ')}`);
  });
}
