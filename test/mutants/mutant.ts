/** One small change of the product that a test has to notice. */
export interface Mutant {
  /** What switches it on in the copy that has all of them. */
  readonly id: string;
  /** From the project's root. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  /** The function at the top of the file in which it is; `CONSTANTS`: none. Of data, the place. */
  readonly within: string;
  /** What becomes of which operator, without names, as `numbered` says it: no other mutant of `within` is the same. */
  readonly operation: string;
  /** Where the original is in the text of the file. `null`: the file is data, and the change is one of the data. */
  readonly range: readonly [number, number] | null;
  readonly original: string;
  readonly mutated: string;
  /** What kind of change it is, such as `EqualityOperator`. */
  readonly kind: string;
}

/** `lib/domain/wave/bake.ts:38: Math.max(a, b) -> Math.min(a, b)` */
export function describeMutant({ file, line, ...change }: Mutant): string {
  return `${file}:${line}: ${describeChange(change)}`;
}

/** `Math.max(a, b) -> Math.min(a, b)` */
export function describeChange({
  original,
  mutated,
}: Pick<Mutant, 'original' | 'mutated'>): string {
  return `${short(original)} -> ${short(mutated)}`;
}

function short(code: string): string {
  const text = code.replaceAll(/\s+/g, ' ');
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}

const MOST_CHARACTERS = 90;
