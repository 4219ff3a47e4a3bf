/**
 * The switches of the mutants in a copy. The copy asks at each place that has mutants which of them is on, so the
 * questions also count how far a run has come.
 */
interface Switches {
  /** The one that is on; `null`: none is. */
  active: string | null;
  /** Ids of the mutants whose places were passed; `null`: nobody wants to know. */
  passed: Set<string> | null;
  asked: number;
  mostAsked: number;
}

export const switches: Switches = {
  active: null,
  passed: null,
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
  if (switches.passed === null) return;
  for (const id of ids) switches.passed.add(id);
}
