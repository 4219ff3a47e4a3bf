import type { ErrorName } from '../domain/errors.ts';
import type { Fault } from '../simulation/scenario.ts';
import type { Death } from './mortal-ledger.ts';

/** Everything that goes wrong in one rehearsal, as plain data. Seconds are since the start, or it says so. */
export interface Faults {
  /** Faults of the endpoints, as in a scenario file. They come after those of the scenario itself. */
  readonly endpoints: readonly Fault[];
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

/**
 * What the reads of a while say instead of the truth.
 * - `frozen`: how it was at the start of the while.
 * - `flash`: the first read of the while alone shows how it was at the very beginning.
 * - `blind`: the service does not say which versions the endpoints have.
 * - `sparse`: of each endpoint something is missing: the target, the live version and the status, or the live version
 *   and the replicas.
 * - `bare`: no endpoint has replicas.
 * - `empty`, `short`: a list without any endpoint, or without the first one.
 * - `some`, `most`: every third endpoint is missing, or more than half of them, and nothing says so.
 * - `hidden`: the endpoints that are on their way are not listed.
 * - `dark`: the endpoints that are live on the desired version have no replicas.
 * - `relapse`: the first two reads of the while show a failed status on the endpoints that are on their way.
 * - `odd`: all but the first endpoint have a status that nobody knows.
 */
export type ListLie =
  | 'frozen'
  | 'flash'
  | 'blind'
  | 'sparse'
  | 'bare'
  | 'empty'
  | 'short'
  | 'some'
  | 'most'
  | 'hidden'
  | 'dark'
  | 'relapse'
  | 'odd';

export interface ListFault extends While {
  /** What they say, or the error that they end with. */
  readonly kind: ListLie | ErrorName;
}

/**
 * What becomes of one write.
 * - `lost`: no answer, and not carried out. `unheard`: no answer, and carried out. `late`: no answer, and carried out
 *   so many seconds later.
 * - `forgotten`: lost, and the next two reads show how it was at the very beginning.
 * - `queued`: accepted, and carried out so many seconds later.
 * - `ignored`: accepted, and not carried out. `mute`: accepted without a word, and carried out.
 */
export type WriteEnd = 'lost' | 'unheard' | 'late' | 'forgotten' | 'queued' | 'ignored' | 'mute';

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
