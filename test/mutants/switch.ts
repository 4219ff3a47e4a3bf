import { isDeepStrictEqual } from 'node:util';

/**
 * The switches of the mutants in a copy. The copy asks at each place that has mutants which of them is on, so the
 * questions also count how far a run has come.
 */
interface Switches {
  /** The one that is on; `null`: none is. */
  active: string | null;
  /** Ids of the mutants that may change the run; `null`: nobody wants to know. */
  passed: Set<string> | null;
  /** Ids of the mutants that anybody wants to know about. */
  wanted: ReadonlySet<string>;
  /** Ids of the mutants whose places were passed in the innermost probe; `null`: there is none. */
  touched: Set<string> | null;
  asked: number;
  mostAsked: number;
}

export const switches: Switches = {
  active: null,
  passed: null,
  wanted: new Set(),
  touched: null,
  asked: 0,
  mostAsked: Number.POSITIVE_INFINITY,
};

/** A run that goes on and on gets no further: every place throws from then on. */
export function isEndless(): boolean {
  return switches.asked > switches.mostAsked;
}

/** Asked at each place that has a mutant, whether it is on. */
export function isOn(id: string): boolean {
  switches.asked += 1;
  if (isEndless()) throw new Error('It comes to no end.');
  return id === switches.active;
}

/** Told at each place that has mutants, when none of them is on. */
export function pass(...ids: readonly string[]): void {
  if (switches.passed === null || switches.active !== null) return;
  for (const id of ids) if (switches.wanted.has(id)) switches.passed.add(id);
}

/** Told at each place in a probe that has mutants, when none of them is on. */
export function touch(...ids: readonly string[]): void {
  if (switches.passed === null || switches.active !== null) return;
  // A function that a probe has worked out may be called when that probe is over.
  for (const id of ids) {
    if (switches.wanted.has(id)) (switches.touched ?? switches.passed).add(id);
  }
}

/** Works something out, and says which of the mutants in it would make something else of it. */
export function probe<T>(ids: readonly string[], work: () => T): T {
  const { passed, touched } = switches;
  if (passed === null || switches.active !== null) return work();
  const within = new Set<string>();
  switches.touched = within;
  const plain = comeOf(work);
  switches.touched = touched;
  const changed = [...within].filter(
    (id) => !passed.has(id) && !(ids.includes(id) && isSame(plain, comeOfMutant(id, work))),
  );
  for (const id of changed) passed.add(id);
  if ('error' in plain) throw plain.error;
  return plain.value;
}

type Result<T> = { readonly value: T } | { readonly error: unknown };

function comeOf<T>(work: () => T): Result<T> {
  try {
    return { value: work() };
  } catch (error) {
    return { error };
  }
}

/** No function that is worked out once more asks as often. */
const MOST_ASKED = 1_000_000;

function comeOfMutant<T>(id: string, work: () => T): Result<T> {
  const { asked, mostAsked } = switches;
  switches.active = id;
  switches.mostAsked = asked + MOST_ASKED;
  const result = comeOf(work);
  switches.active = null;
  switches.asked = asked;
  switches.mostAsked = mostAsked;
  return result;
}

/** What can only be used later may be used in different ways. */
function isSame(one: Result<unknown>, other: Result<unknown>): boolean {
  return isDeepStrictEqual(one, other) && !('value' in one && isLater(one.value));
}

function isLater(value: unknown): boolean {
  if (value instanceof Promise) throw new Error('A probe is around something that leads out.');
  if (typeof value === 'function') return true;
  return typeof (value as { readonly next?: unknown } | null)?.next === 'function';
}
