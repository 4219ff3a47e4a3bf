import type { Instant } from '../clock.ts';
import { listNames } from '../endpoint/endpoint.ts';
import { cutShort } from '../sentences.ts';
import type { Stored } from '../stored.ts';
import type { Verification } from './policy.ts';
import type {
  aheadWatch,
  gateCourse,
  gateLine,
  gateLook,
  gateNo,
  gateReading,
  gateWatch,
  keptAnswer,
  watchedGate,
} from './stored.ts';

export const GATE_VERDICTS = ['fail', 'unknown', 'pass'] as const;

/** What a gate answered. Silence is not a yes: after `unknown` the gate is asked again until the progress deadline. */
export interface GateReading extends Stored<typeof gateReading> {}

export interface AskedReading extends GateReading {
  /** @default - it is not about one endpoint alone */
  readonly endpointId?: string;
  /** What its gate is called besides the kind. @default - as the answer */
  readonly gate?: string;
  /** Only of a gate that keeps its own time: what is known of it now. @default - it is asked whenever gates are */
  readonly kept?: KeptAnswer;
  /** Only of a no about one of several series: those that it is about. @default - it is about no series */
  readonly series?: readonly string[];
}

/** The last answer of a gate that says itself how long an answer stands. */
export interface KeptAnswer extends Stored<typeof keptAnswer> {}

/** How a gate has answered so far, in numbers. */
export interface GateCourse extends Stored<typeof gateCourse> {}

/** An answer of a gate that is another one than the last time. */
export interface GateLine extends Stored<typeof gateLine> {}

/** What is known from look to look of the gates that a wave waits for before it begins. */
export interface AheadWatch extends Stored<typeof aheadWatch> {}

/** A gate that has said no, and not yes since then. */
export interface GateNo extends Stored<typeof gateNo> {}

/** What is known of the gates from look to look, while the waves of a leg stay under them. */
export interface GateWatch extends Stored<typeof gateWatch> {}

/** What a gate that only watches has said in a rollout. */
export interface WatchedGate extends Stored<typeof watchedGate> {}

/** What the gates of a wave answered at one look, for people. */
export interface GateLook extends Stored<typeof gateLook> {}

/** So many answers are kept one by one. A wave may have thousands, and its record has to stay small. */
const MOST_ANSWERS = 20;
/** Characters of a name or a detail. */
const LONGEST_TEXT = 200;

/**
 * What is kept of the answers of a wave. Endpoints with the same answer are one, and of many answers those that did not
 * say yes come first and the rest is counted.
 *
 * @param wave 1-based.
 */
export function rememberGates(
  wave: number,
  at: Instant,
  readings: readonly GateReading[],
  ofEndpoints: ReadonlySet<string>,
): GateLook {
  const alike = Map.groupBy(readings, ({ kind, verdict, name, detail, watches }) =>
    JSON.stringify([kind, verdict, detail, ofEndpoints.has(kind) ? '' : name, watches]),
  );
  const told = [...alike.values()]
    .map((group) => ({ ...(group[0] as GateReading), names: group.map(({ name }) => name) }))
    .toSorted((one, other) => rankOf(one) - rankOf(other));
  const rest = Map.groupBy(told.slice(MOST_ANSWERS), ({ kind, verdict, watches }) =>
    JSON.stringify([kind, verdict, watches !== undefined]),
  );
  const counted = [...rest.values()].map(([first, ...others]): GateReading => {
    const { kind, verdict, names, watches } = first as (typeof told)[number];
    const only = watches !== undefined && { watches: kind };
    const count = others.reduce((sum, one) => sum + one.names.length, names.length);
    return { kind, verdict, name: `${count} more`, detail: 'not kept one by one', ...only };
  });
  const kept = told.slice(0, MOST_ANSWERS).map(({ names, kind, verdict, detail, watches }) => {
    const only = watches !== undefined && { watches: shorten(watches) };
    return { kind, verdict, name: shorten(listNames(names)), detail: shorten(detail), ...only };
  });
  return { wave, at, answers: [...kept, ...counted] };
}

/** Of equal answers, those that decide come first. */
function rankOf({ verdict, watches }: GateReading): number {
  return GATE_VERDICTS.indexOf(verdict) * 2 + (watches === undefined ? 0 : 1);
}

export function shorten(text: string): string {
  return cutShort(text, LONGEST_TEXT);
}

/** The gates that had no answer at a look and decide. */
export function unansweredIn(look: GateLook | undefined): readonly GateReading[] {
  const answers = look?.answers ?? [];
  return answers.filter(({ verdict, watches }) => verdict === 'unknown' && watches === undefined);
}

const FEW_READINGS = 3;

/** "alarm errors: no such alarm; probe web-1: not asked and 3 more" */
export function listReadings(
  readings: readonly Pick<GateReading, 'kind' | 'name' | 'detail'>[],
): string {
  const said = readings.map(({ kind, name, detail }) => `${kind} ${name}: ${detail}`);
  return listNames(said, FEW_READINGS, '; ');
}

export function hasGates({ approval: _, ...verify }: Verification): boolean {
  return Object.values(verify).some((said) => {
    const isNothing = said === null || (Array.isArray(said) && said.length === 0);
    return typeof said === 'object' && !isNothing;
  });
}
