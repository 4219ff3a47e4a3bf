import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Script } from 'node:vm';
import fc from 'fast-check';
import {
  CORPUS,
  cameTo,
  differenceOf,
  type Kept,
  toOrdeal,
} from '../scenarios/simulation/corpus.ts';
import { courseOf } from '../scenarios/simulation/course.ts';
import { ordeal } from '../scenarios/simulation/draw-ordeal.ts';
import type { Ordeal } from '../scenarios/simulation/ordeal.ts';
import type { Observed } from '../scenarios/simulation/to-script.ts';
import { withWire } from '../scenarios/simulation/wire/draw-wire.ts';
import { isEndless, isOn, pass, probe, switches, touch } from './switch.ts';

/** The rollouts that are simulated for each mutant: always the same. */
export interface Rollouts {
  readonly count: number;
  readonly seed: number;
  /**
   * `added`: a thousand random ones come first, then those of the corpus, then others. `crossed`: each of them is one of
   * the corpus and a part of a random one. `left out`: all of them are random.
   */
  readonly corpus: 'added' | 'crossed' | 'left out';
}

/** So many random rollouts come before those of the corpus. */
export const BEFORE_CORPUS = 1_000;

/** Simulates a part of the rollouts on a copy in which no mutant is on. */
export interface Rehearsal {
  readonly task: 'rehearsal';
  /** The one in which mutants are tried: it says how each rollout goes without any. */
  readonly copy: string;
  /** The one with probes. Whatever happens at one instant can come in another order there. */
  readonly probes: string;
  readonly rollouts: Rollouts;
  /** Ids of the mutants that anybody wants to know about. */
  readonly wanted: readonly string[];
  readonly from: number;
  readonly to: number;
}

/** What the rollouts of a rehearsal have in common with those of any mutant that changes nothing in them. */
export interface Rehearsed {
  readonly rehearsed: readonly (Seen & {
    /** Ids of the mutants that may change something in it. */
    readonly passed: ReadonlySet<string>;
  })[];
  /** Rollouts that were found to be wrong without any mutant. */
  readonly objections: readonly { readonly index: number; readonly why: string }[];
  /** The most places that one of them passes. */
  readonly mostAsked: number;
}

/** What the world sees of one of the rollouts. */
interface Seen {
  readonly index: number;
  readonly seen: string;
}

/** Simulates rollouts on a copy until one of them is found to be wrong. */
export interface Trial {
  readonly task: 'trial';
  readonly copy: string;
  readonly rollouts: Rollouts;
  /** The one that is on. `null`: the copy is the mutant. */
  readonly mutant: string | null;
  /** Without a mutant, in the rollouts that it is tried on: in the others it changes nothing. */
  readonly which: readonly Seen[];
  readonly mostAsked: number;
}

export interface Verdict {
  /** 1-based: the rollout in which the mutant was found. `null`: it was not found. */
  readonly foundIn: number | null;
  /** What was violated. */
  readonly why: string;
  /** 1-based: the first rollout in which the world saw anything else. */
  readonly differsIn: number | null;
  /** In so many rollouts the mutant may have changed something. */
  readonly touched: number;
}

export async function rehearse(rehearsal: Rehearsal): Promise<Rehearsed> {
  const { copy, probes, rollouts, wanted, from, to } = rehearsal;
  const ordeals = drawOrdeals(rollouts).slice(from, to);
  switches.active = null;
  switches.mostAsked = Number.POSITIVE_INFINITY;
  const passed = await passedIn(probes, ordeals, new Set(wanted));
  const tryOrdeal = loadCopy(copy);
  const rehearsed: Rehearsed['rehearsed'][number][] = [];
  const objections: Rehearsed['objections'][number][] = [];
  let mostAsked = 0;
  for (const [place, drawn] of ordeals.entries()) {
    switches.asked = 0;
    const index = from + place;
    try {
      const { seen } = courseOf(await tryOrdeal(drawn));
      rehearsed.push({ index, seen, passed: passed[place] ?? new Set() });
    } catch (error) {
      objections.push({ index, why: `${error}` });
    }
    mostAsked = Math.max(mostAsked, switches.asked);
  }
  return { rehearsed, objections, mostAsked };
}

/** Which of the wanted mutants may change something in each of these rollouts. */
async function passedIn(
  probes: string,
  ordeals: readonly Ordeal[],
  wanted: ReadonlySet<string>,
): Promise<readonly ReadonlySet<string>[]> {
  const always = new Set<string>();
  switches.wanted = wanted;
  switches.passed = always;
  const tryOrdeal = loadCopy(probes);
  const each: ReadonlySet<string>[] = [];
  for (const drawn of ordeals) {
    const passed = new Set(always);
    switches.passed = passed;
    // Whether a judge objects is asked where mutants are tried.
    await tryOrdeal(drawn).catch(() => undefined);
    each.push(passed);
  }
  switches.passed = null;
  return each;
}

export async function tryMutant(trial: Trial): Promise<Verdict> {
  const { copy, rollouts, mutant, which, mostAsked } = trial;
  switches.active = mutant;
  switches.mostAsked = mostAsked;
  switches.asked = 0;
  const touched = which.length;
  let differsIn: number | null = null;
  const drawn = drawOrdeals(rollouts);
  let tryOrdeal: TryOrdeal | null = null;
  for (const { index, seen } of which) {
    switches.asked = 0;
    try {
      // A mutant of what is worked out when a file is loaded may crash there.
      tryOrdeal ??= loadCopy(copy);
      const run = await tryOrdeal(drawn[index] as Ordeal);
      const [wrong] = cameTo(keptAt(rollouts, index), run);
      if (wrong !== undefined) throw new Error(wrong);
      const now = courseOf(run);
      if (now.seen !== seen) differsIn ??= index + 1;
    } catch (error) {
      const why = isEndless() ? 'It comes to no end.' : `${error}`;
      return { foundIn: index + 1, why, differsIn: differsIn ?? index + 1, touched };
    }
    if (isEndless()) return { foundIn: index + 1, why: 'It comes to no end.', differsIn, touched };
  }
  return { foundIn: null, why: '', differsIn, touched };
}

/** Whatever judges say of it, what is kept says what it must not come to. */
function keptAt({ corpus }: Rollouts, index: number): Pick<Kept, 'never'> {
  return (corpus === 'added' && CORPUS[index - BEFORE_CORPUS]) || {};
}

export type TryOrdeal = (drawn: Ordeal) => Promise<Observed>;

let compiled: { readonly copy: string; readonly script: Script } | null = null;

/** Runs the copy from its beginning, so that nothing is left of the mutant before. */
export function loadCopy(copy: string): TryOrdeal {
  if (compiled?.copy !== copy) {
    // The names of the switches are those of the instrumenter.
    const names = 'exports, require, module, stryMutAct_9fa48, stryCov_9fa48';
    const code = `(${names}, stryTouch_9fa48, stryProbe_9fa48) => {${readFileSync(copy, 'utf8')}\n}`;
    compiled = { copy, script: new Script(code, { filename: copy }) };
  }
  const module: { exports: { readonly tryOrdeal?: TryOrdeal } } = { exports: {} };
  compiled.script.runInThisContext()(module.exports, require, module, isOn, pass, touch, probe);
  if (module.exports.tryOrdeal === undefined) throw new Error('The copy simulates nothing.');
  return module.exports.tryOrdeal;
}

// Packages are those of the project, wherever the copy is.
const require = createRequire(import.meta.url);

let latest: { readonly key: string; readonly ordeals: readonly Ordeal[] } = {
  key: '',
  ordeals: [],
};

export function drawOrdeals(rollouts: Rollouts): readonly Ordeal[] {
  const key = JSON.stringify(rollouts);
  if (latest.key !== key) {
    const { count: numRuns, seed, corpus } = rollouts;
    const random = fc.sample(corpus === 'crossed' ? crossed : ordeal, { numRuns, seed });
    const kept = corpus === 'added' ? CORPUS.map(({ drawn }) => toOrdeal(drawn)) : [];
    const ordeals = random.toSpliced(BEFORE_CORPUS, kept.length, ...kept);
    latest = { key, ordeals };
  }
  return latest.ordeals;
}

/** What is rare is near to what was rare before. */
const crossed: fc.Arbitrary<Ordeal> = fc
  .tuple(ordeal, fc.constantFrom(...CORPUS), fc.infiniteStream(fc.boolean()))
  .map(([random, kept, choices]) => {
    const taken = <T extends object>(one: T): Partial<T> =>
      Object.fromEntries(Object.entries(one).filter(() => choices.next().value === true)) as T;
    const { policy = {}, ...changes } = differenceOf(random);
    const { policy: keptPolicy, ...own } = kept.drawn;
    const both = { ...taken(changes), ...own, policy: { ...taken(policy), ...keptPolicy } };
    const known = new Map(
      [...random.endpoints, ...(own.endpoints ?? [])].map((one) => [one.name, one]),
    );
    const isFew = own.endpoints !== undefined && choices.next().value === true;
    const ordeal = toOrdeal({ ...both, ...(!isFew && { endpoints: [...known.values()] }) });
    // What is drawn for a wire takes the place of other faults of lists and writes.
    const hasOther = own.lists !== undefined || own.writes !== undefined;
    return own.wire === undefined ? withWire(ordeal, hasOther ? null : ordeal.wire) : ordeal;
  });
