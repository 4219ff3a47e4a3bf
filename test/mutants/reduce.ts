import { type Difference, differenceOf, toOrdeal } from '../scenarios/simulation/corpus.ts';
import { courseOf } from '../scenarios/simulation/course.ts';
import type { Ordeal, OrdealPolicy } from '../scenarios/simulation/ordeal.ts';
import { QUIET } from '../scenarios/simulation/quiet.ts';
import { isEndless, switches } from './switch.ts';
import { loadCopy, type TryOrdeal } from './trial.ts';

/** `found`: a judge objects. `noticed`: the world sees something else. */
export type Aim = 'found' | 'noticed';

/** What has to be shown. */
interface Sight {
  readonly copy: string;
  readonly mutant: string;
  readonly aim: Aim;
  readonly mostAsked: number;
}

/** Makes a rollout as small as it can be so that it still shows a mutant. */
export interface Reduction extends Sight {
  readonly task: 'reduction';
  readonly drawn: Ordeal;
}

/** Looks whether any of these rollouts shows a mutant. */
export interface Showing extends Sight {
  readonly task: 'showing';
  readonly drawn: readonly Ordeal[];
}

export async function isShown(showing: Showing): Promise<boolean> {
  const shows = showerOf(showing);
  for (const drawn of showing.drawn) if (await shows(drawn)) return true;
  return false;
}

/** `null`: it does not show the mutant. */
export async function reduce(reduction: Reduction): Promise<Difference | null> {
  const shows = showerOf(reduction);
  let smallest = reduction.drawn;
  if (!(await shows(smallest))) return null;
  for (let size = Number.POSITIVE_INFINITY; size > sizeOf(smallest); ) {
    size = sizeOf(smallest);
    // One thing less may be what lets others go, so each try begins with the smallest rollout so far.
    for (const nth of smallerThan(smallest).keys()) {
      const smaller = smallerThan(smallest)[nth];
      if (smaller !== undefined && (await shows(smaller))) smallest = smaller;
    }
  }
  return differenceOf(smallest);
}

/** Whether a rollout shows a mutant, and nobody objects to it without the mutant. */
function showerOf({ copy, mutant, aim, mostAsked }: Sight): (drawn: Ordeal) => Promise<boolean> {
  const run = async (tryOrdeal: TryOrdeal, active: string | null, drawn: Ordeal) => {
    switches.active = active;
    switches.asked = 0;
    switches.mostAsked = mostAsked;
    const seen = await tryOrdeal(drawn).then(
      (run) => courseOf(run).seen,
      () => null,
    );
    return isEndless() ? null : seen;
  };
  const load = (active: string | null) => {
    switches.active = active;
    switches.asked = 0;
    return loadCopy(copy);
  };
  const plain = load(null);
  const mutated = load(mutant);
  return async (drawn) => {
    const seen = await run(plain, null, drawn);
    if (seen === null) return false;
    const other = await run(mutated, mutant, drawn);
    return aim === 'found' ? other === null : other !== seen;
  };
}

function sizeOf(drawn: Ordeal): number {
  return JSON.stringify(differenceOf(drawn)).length;
}

/** Rollouts in which one thing less is different. */
function smallerThan(drawn: Ordeal): Ordeal[] {
  const { policy, ...changes } = differenceOf(drawn);
  const without = Object.keys(changes).map((key) => ({
    ...drawn,
    [key]: QUIET[key as keyof Ordeal],
  }));
  const easier = Object.keys(policy ?? {}).map((key) => {
    const { [key as keyof OrdealPolicy]: _, ...rest } = drawn.policy;
    return toOrdeal({ ...drawn, policy: rest });
  });
  const shorter = (['broken', 'lists', 'writes', 'people', 'alarms', 'guises', 'readings'] as const)
    .filter((key) => drawn[key].length > 1)
    .flatMap((key) =>
      drawn[key].map((_, nth) => ({ ...drawn, [key]: drawn[key].toSpliced(nth, 1) })),
    );
  const fewer =
    drawn.endpoints.length > 1
      ? drawn.endpoints.map((_, nth) => ({
          ...drawn,
          endpoints: drawn.endpoints.toSpliced(nth, 1),
        }))
      : [];
  return [...without, ...easier, ...shorter, ...fewer];
}
