import type { ErrorName } from '../domain/errors.ts';
import type { SimulatedFault } from '../simulation/scenario.ts';
import type { Death } from './mortal-ledger.ts';

/** Everything that goes wrong in one rehearsal, as plain data. Seconds are since the start, or it says so. */
export interface Faults {
  /** Faults of the endpoints, as in a scenario file. They come after those of the scenario itself. */
  readonly endpoints: readonly SimulatedFault[];
  /** By how much the rolls of each endpoint take longer than the scenario says, in its order. @default - 1 */
  readonly slowness: readonly number[];
  /** The version is bad, although it comes live everywhere. */
  readonly badVersion: BadVersion | null;
  readonly lists: readonly ListFault[];
  readonly writes: readonly WriteFault[];
  readonly gates: readonly GateFault[];
  /** What somebody else does to the endpoints. */
  readonly others: readonly Move[];
  readonly death: (Death & { readonly resumesAfterSeconds: number }) | null;
  /** How long every request to the service takes. */
  readonly latencyMs: number;
  /** When somebody answers a request for an approval, in seconds after it. `null`: nobody does. */
  readonly approvesAfterSeconds: number | null;
}

/** Nothing goes wrong, and somebody approves within five minutes. */
export const NO_FAULTS: Faults = {
  endpoints: [],
  slowness: [],
  badVersion: null,
  lists: [],
  writes: [],
  gates: [],
  others: [],
  death: null,
  latencyMs: 0,
  approvesAfterSeconds: 300,
};

export interface BadVersion {
  /** The names of the endpoints on which it is bad. */
  readonly endpoints: readonly string[];
  /** Seconds after it went live on an endpoint until that shows. */
  readonly afterSeconds: number;
  /** Where it shows: the endpoint crashes, or the gates alone say so. */
  readonly shows: 'crash' | 'gates';
}

export interface While {
  readonly fromSecond: number;
  readonly seconds: number;
}

/**
 * What the gates of a while say instead of the truth.
 * - `silent`: nothing. `red`: no.
 * - `slow`: the truth, after so many seconds. A probe that has no time left for that says no.
 * - `flapping`: the opposite of the truth in every second stretch of so many seconds, the first one included.
 * - `late`: the truth, but a no only so many seconds after it began.
 * - `wrong-once`: at the first look the opposite of the truth.
 */
export interface GateFault extends While {
  readonly kind: 'silent' | 'slow' | 'red' | 'flapping' | 'late' | 'wrong-once';
  /** The name of the endpoint whose gates they are. `null`: all gates. */
  readonly endpoint: string | null;
  /** Only of those of which something else is said above; 0 for the others. */
  readonly bySeconds: number;
}

/** What the reads of a while say instead of the truth, in words for people. */
export const LIST_LIES = {
  frozen: 'the list does not change',
  flash: 'one read shows how it was at the beginning',
  blind: 'the list says no versions',
  aimless: 'the list says no targets',
  lifeless: 'the list says no live versions',
  mum: 'the list says no versions of the first endpoint',
  sparse: 'of each endpoint in the list something is missing',
  bare: 'no endpoint has replicas in the list',
  empty: 'the list is empty',
  short: 'the first endpoint is missing in the list',
  some: 'a third of the list is missing',
  most: 'most of the list is missing',
  hidden: 'what is on its way is missing in the list',
  dark: 'what is live on the version has no replicas in the list',
  relapse: 'two reads show what is on its way as failed',
  odd: 'all but the first endpoint have a status that nobody knows',
} as const;
export type ListLie = keyof typeof LIST_LIES;

export interface ListFault extends While {
  /** What they say, or the error that they end with. */
  readonly kind: ListLie | ErrorName;
}

/** What becomes of one write, in words for people. */
export const WRITE_ENDS = {
  lost: 'gets no answer, and is not carried out',
  forgotten: 'gets no answer, and the next two reads are old',
  unheard: 'gets no answer, and is carried out',
  late: 'gets no answer, and is carried out later',
  queued: 'is accepted, and carried out later',
  ignored: 'is accepted, and not carried out',
  mute: 'is accepted without a word, and carried out',
} as const;
export type WriteEnd = keyof typeof WRITE_ENDS;

export interface WriteFault {
  readonly operation: 'roll' | 'stop';
  readonly endpoint: string;
  /** 1-based: which write of this kind to this endpoint. */
  readonly nth: number;
  /** What becomes of it, or the error that it is refused with. */
  readonly kind: WriteEnd | ErrorName;
  /** Until it is carried out, or may be asked again. */
  readonly seconds: number;
}

/** Somebody else rolls an endpoint to a version, or stops it. */
export interface Move {
  readonly atSecond: number;
  readonly endpoint: string;
  /** `null`: the endpoint is stopped. */
  readonly version: number | null;
}
