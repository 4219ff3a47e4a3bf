import { type Choice, createChooser, everyWay } from './chooser.ts';
import type { Configuration } from './configuration.ts';
import { judge, outcomeOf } from './judge.ts';
import { fingerprintOf, portraitOf } from './recognise.ts';
import { firstSituation, isOver, type Situation } from './situation.ts';
import { type Advance, type Plant, setStage } from './stage.ts';

/** What came of a walk through everything that can happen in one configuration. */
export interface Walked {
  readonly configuration: Configuration;
  /** Situations that differ. */
  readonly states: number;
  /** Ways from one of them to the next one. */
  readonly transitions: number;
  /** Orders of events from the start to an end. */
  readonly paths: number;
  /** How it can end: outcome, reason and cleanup. */
  readonly ends: readonly string[];
  /** The most transitions of one path. */
  readonly longest: number;
  readonly violations: readonly Violation[];
}

export interface Violation {
  readonly message: string;
  /** Every choice on the way to it. */
  readonly path: readonly Choice[];
}

export interface Walk {
  readonly configuration: Configuration;
  /**
   * Whether situations that are recognised again are left once more, to see that they lead to the same ones as the
   * first time.
   * @default false
   */
  readonly isDoubtful?: boolean;
}

/** More of them say nothing new. */
const MOST_VIOLATIONS = 5;

/**
 * Walks through every order of events, depth first. Situations are recognised again, so that each is left only once.
 * A situation that can lead to itself would be a rollout without an end, which is a violation too.
 *
 * @param plant A bug for the walk to find. @default - there is none
 */
export async function walk(
  { configuration, isDoubtful = false }: Walk,
  plant?: Plant,
): Promise<Walked> {
  const advance = await setStage(configuration, plant);
  const known = new Map<string, Known>();
  const ends = new Set<string>();
  const violations: Violation[] = [];
  let transitions = 0;
  const trail: Visit[] = [];

  const report = (messages: readonly string[], choices: readonly Choice[]) => {
    if (messages.length === 0 || violations.length >= MOST_VIOLATIONS) return;
    const path = [...trail.flatMap((visit) => visit.choices), ...choices];
    violations.push({ message: messages.join('\n'), path });
  };

  const enter = async ({ situation, fingerprint, choices }: Way) => {
    const found: Known = { paths: 0, longest: 0, isOpen: true, leadsTo: '' };
    known.set(fingerprint, found);
    const visit: Visit = { choices, found, ways: [] };
    trail.push(visit);
    if (isOver(situation)) {
      const { outcome, reason, cleanup } = outcomeOf(situation) ?? {};
      ends.add(`${outcome}, ${reason}, ${cleanup}`);
      found.paths = 1;
      return;
    }
    const ways = await waysFrom(situation, advance);
    if (isDoubtful) found.leadsTo = goalsOf(ways);
    transitions += ways.length;
    for (const way of ways) {
      const messages = judge(way.situation, configuration);
      report(messages, way.choices);
      if (messages.length === 0) visit.ways.push(way);
    }
  };

  const recognise = async ({ situation, choices }: Way, visit: Visit, found: Known) => {
    if (found.isOpen) {
      report([ENDLESS], choices);
      return;
    }
    addPaths(visit.found, found);
    if (!isDoubtful || isOver(situation)) return;
    const ways = await waysFrom(situation, advance);
    for (const way of ways) {
      report(judge(way.situation, configuration), [...choices, ...way.choices]);
    }
    const isSame = goalsOf(ways) === found.leadsTo;
    if (!isSame) report([`it goes on in two ways: ${portraitOf(situation)}`], choices);
  };

  const leave = ({ found }: Visit) => {
    found.isOpen = false;
    trail.pop();
    const before = trail.at(-1)?.found;
    if (before !== undefined) addPaths(before, found);
  };

  const first = firstSituation(configuration);
  const start = { situation: first, fingerprint: fingerprintOf(first), choices: [] };
  await enter(start);
  for (let visit = trail.at(-1); visit !== undefined; visit = trail.at(-1)) {
    const way = visit.ways.pop();
    const found = way && known.get(way.fingerprint);
    if (way === undefined) leave(visit);
    else if (found === undefined) await enter(way);
    else await recognise(way, visit, found);
  }
  const { paths = 0, longest = 0 } = known.get(start.fingerprint) ?? {};
  const counts = { states: known.size, transitions, paths, longest };
  return { configuration, ...counts, ends: [...ends].toSorted(), violations };
}

/** What is known of a situation once it was entered. */
interface Known {
  paths: number;
  longest: number;
  /** The walk is on the way that began here. */
  isOpen: boolean;
  /** The situations after it. @default - nobody doubts them */
  leadsTo: string;
}

/** A situation on the way that the walk is on. */
interface Visit {
  /** Those that led to it. */
  readonly choices: readonly Choice[];
  readonly found: Known;
  /** The ways that were not gone yet. */
  readonly ways: Way[];
}

const ENDLESS =
  'When nothing goes wrong any more, a rollout comes to its end within its rolls, its bakes and a deadline each way.: it can go on like this for ever';

interface Way {
  readonly situation: Situation;
  readonly fingerprint: string;
  readonly choices: readonly Choice[];
}

async function waysFrom(situation: Situation, advance: Advance): Promise<Way[]> {
  const ways: Way[] = [];
  for await (const way of everyWay((chooser) => advance(situation, chooser))) {
    const { result, choices } = way;
    ways.push({ situation: result, fingerprint: fingerprintOf(result), choices });
  }
  return ways;
}

function addPaths(before: Known, after: Known): void {
  before.paths += after.paths;
  before.longest = Math.max(before.longest, after.longest + 1);
}

function goalsOf(ways: readonly Way[]): string {
  return [...new Set(ways.map(({ fingerprint }) => fingerprint))].sort().join();
}

/** One transition of a path. */
export interface Followed {
  /** The state of the workflow. */
  readonly state: string;
  /** What was chosen in it, other than that all goes well. */
  readonly happened: readonly string[];
}

/** Follows one path to its end or to the first violation. */
export async function follow(
  configuration: Configuration,
  path: readonly number[],
  plant?: Plant,
): Promise<{ readonly steps: readonly Followed[]; readonly violations: readonly string[] }> {
  const advance = await setStage(configuration, plant);
  const chooser = createChooser(path);
  const steps: Followed[] = [];
  let situation = firstSituation(configuration);
  let violations: readonly string[] = [];
  const met = new Set<string>();
  while (!isOver(situation) && violations.length === 0) {
    const { state } = situation;
    const { length } = chooser.choices;
    situation = await advance(situation, chooser);
    const happened = chooser.choices.slice(length).flatMap(({ subject, options, index }) => {
      return index === 0 ? [] : [`${subject}: ${options[index]}`];
    });
    steps.push({ state, happened });
    const fingerprint = fingerprintOf(situation);
    violations = met.has(fingerprint) ? [ENDLESS] : judge(situation, configuration);
    met.add(fingerprint);
  }
  return { steps, violations };
}
