import { readFileSync } from 'node:fs';
import type { Patch } from './hunt.ts';

/** A defect that the product once had, put back into today's code. */
export interface PastDefect {
  readonly name: string;
  readonly file: string;
  readonly now: string;
  readonly then: string;
}

export const PAST_DEFECTS: readonly PastDefect[] = [];

/** @throws when the code that a defect was mended with is not there once. */
export function pastDefects(defects: readonly PastDefect[] = PAST_DEFECTS): readonly Patch[] {
  return defects.map(({ name, file, now, then }, index) => {
    const text = readFileSync(file, 'utf8');
    const [before = '', after, ...more] = text.split(now);
    if (after === undefined || more.length > 0) {
      throw new Error(`${file} does not have this once, which mended "${name}":\n${now}`);
    }
    return {
      mutant: {
        id: `defect-${index}`,
        file,
        line: before.split('\n').length,
        on: name,
        original: now,
        mutated: then,
        kind: 'past defect',
      },
      files: new Map([[file, `${before}${then}${after}`]]),
    };
  });
}
