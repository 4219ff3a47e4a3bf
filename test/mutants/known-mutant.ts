import type { Mutant } from './mutant.ts';

/** One mutant, or several of one place, of which something is known. */
export interface KnownMutant {
  readonly file: string;
  /** The line on which the change begins, or a part of it. */
  readonly on: string;
  readonly original: string;
  /** @default - whatever it is changed to */
  readonly mutated?: string;
  /** Why nobody can tell it from the original. */
  readonly why: string;
}

export function isMeant(entry: KnownMutant, mutant: Mutant): boolean {
  return (
    entry.file === mutant.file &&
    mutant.on.includes(entry.on) &&
    plain(entry.original) === plain(mutant.original) &&
    (entry.mutated === undefined || plain(entry.mutated) === plain(mutant.mutated))
  );
}

function plain(code: string): string {
  return code.replaceAll(/\s+/g, ' ').trim();
}

/** @throws when an entry is about none of the mutants any more. */
export function refuseIdle(entries: readonly KnownMutant[], mutants: readonly Mutant[]): void {
  const idle = entries.filter((entry) => !mutants.some((mutant) => isMeant(entry, mutant)));
  if (idle.length === 0) return;
  const names = idle.map(
    ({ file, original, mutated }) => `${file}: ${original} -> ${mutated ?? 'anything'}`,
  );
  throw new Error(['No mutant is like this any more:', ...names].join('\n  '));
}
