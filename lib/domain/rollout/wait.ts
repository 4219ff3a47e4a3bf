import type { Instant, Seconds } from '../clock.ts';
import type { Stored } from '../stored.ts';
import type { opening, wait } from './stored.ts';

/** What has to be said of whatever a rollout waits for. */
interface WaitRow {
  /** What a list of rollouts says. */
  readonly says: string;
  /** What it is, for programs: a part of a sentence. */
  readonly means: string;
  /** The state of the workflow in which a rollout waits for it that has not begun. `null`: none waits for it there. */
  readonly opening: string | null;
  /** The state in which one under way waits for it. `null`: none does. */
  readonly state: string | null;
  /** The phase of a rollout under way that waits for it. `null`: none does. */
  readonly phase: WavePhase | null;
  /** Whether the version was looked up before. Any other wait before the begin comes after that. */
  readonly isSettled: boolean;
  /** Whether its time stands still under a pause. */
  readonly standsStill: boolean;
  /** Whether a wave that waits for it only waits for others, so that its gates may rest until they are due. */
  readonly restsGates: boolean;
  /** Whether the deadlines of the wave stand still meanwhile. */
  readonly stopsDeadlines: boolean;
}

/** The phases of a rollout under way that waits. */
export const WAVE_PHASES = [
  'rolling',
  'unreadable',
  'baking',
  'verifying',
  'approval',
  'window',
  'paused',
] as const;
export type WavePhase = (typeof WAVE_PHASES)[number];

/**
 * Everything that a rollout waits for, before it has begun and under way. A decision names one of them; what the
 * ledger, lists, stories and people say of it follows from its row.
 */
export const WAITS = {
  start: {
    says: 'accepted',
    means: 'it was accepted just now',
    opening: 'Wait to begin',
    state: null,
    phase: null,
    isSettled: false,
    standsStill: false,
    restsGates: false,
    stopsDeadlines: false,
  },
  window: {
    says: 'waits for a window',
    means: 'a deployment window',
    opening: 'Wait for a window (not begun)',
    state: 'Wait for a window',
    phase: 'window',
    isSettled: true,
    standsStill: false,
    restsGates: true,
    stopsDeadlines: true,
  },
  hold: {
    says: 'held',
    means: 'somebody holds it',
    opening: 'Wait for the end of a hold (not begun)',
    state: 'Wait for the end of a hold',
    phase: 'window',
    isSettled: true,
    standsStill: false,
    restsGates: true,
    stopsDeadlines: true,
  },
  turn: {
    says: 'waits for its turn',
    means: 'another rollout of the runtime',
    opening: 'Wait for its turn',
    state: null,
    phase: null,
    isSettled: true,
    standsStill: false,
    restsGates: false,
    stopsDeadlines: false,
  },
  version: {
    says: 'waits for the version',
    means: 'the version is being made',
    opening: 'Wait for the version',
    state: null,
    phase: null,
    isSettled: false,
    standsStill: false,
    restsGates: false,
    stopsDeadlines: false,
  },
  list: {
    says: 'waits for the list',
    means: 'the list of endpoints cannot be read',
    opening: 'Wait for the list (not begun)',
    state: 'Wait for the list',
    phase: 'unreadable',
    isSettled: false,
    standsStill: true,
    restsGates: false,
    stopsDeadlines: false,
  },
  roll: {
    says: 'rolling',
    means: 'endpoints in mid-roll',
    opening: null,
    state: 'Wait for the roll',
    phase: 'rolling',
    isSettled: true,
    standsStill: true,
    restsGates: false,
    stopsDeadlines: false,
  },
  service: {
    says: 'rolling',
    means: 'the service has asked to wait before the next roll',
    opening: null,
    state: 'Wait for the service',
    phase: 'rolling',
    isSettled: true,
    standsStill: true,
    restsGates: false,
    stopsDeadlines: false,
  },
  'second-look': {
    says: 'rolling',
    means: 'one read may be stale, and the next one tells',
    opening: null,
    state: 'Wait to read again',
    phase: 'rolling',
    isSettled: true,
    standsStill: true,
    restsGates: false,
    stopsDeadlines: false,
  },
  bake: {
    says: 'baking',
    means: 'the end of the bake',
    opening: null,
    state: 'Bake',
    phase: 'baking',
    isSettled: true,
    standsStill: false,
    restsGates: false,
    stopsDeadlines: false,
  },
  doubt: {
    says: 'baking',
    means: 'one look has spoken against a wave that had converged, and the next one tells',
    opening: null,
    state: 'Wait in doubt',
    phase: 'baking',
    isSettled: true,
    standsStill: true,
    restsGates: false,
    stopsDeadlines: false,
  },
  gate: {
    says: 'waits for a gate',
    means: 'a gate is red, or has yet to say yes',
    opening: 'Wait for a gate (not begun)',
    state: 'Wait for a gate',
    phase: 'baking',
    isSettled: true,
    standsStill: true,
    restsGates: false,
    stopsDeadlines: false,
  },
  check: {
    says: 'waits for a check',
    means: 'a check that is at work on its answer',
    opening: 'Wait for a check (not begun)',
    state: 'Wait for a check',
    phase: 'verifying',
    isSettled: true,
    standsStill: true,
    restsGates: false,
    stopsDeadlines: false,
  },
  approval: {
    says: 'waits for approval',
    means: 'a person has to approve or reject the wave',
    opening: null,
    state: 'Wait for approval',
    phase: 'approval',
    isSettled: true,
    standsStill: true,
    restsGates: true,
    stopsDeadlines: false,
  },
  pause: {
    says: 'paused',
    means: 'somebody has paused it',
    opening: null,
    state: 'Paused',
    phase: 'paused',
    isSettled: true,
    standsStill: true,
    restsGates: true,
    stopsDeadlines: false,
  },
} as const satisfies Readonly<Record<string, WaitRow>>;

export type WaitKind = keyof typeof WAITS;

export const WAIT_KINDS = Object.keys(WAITS) as [WaitKind, ...WaitKind[]];

/** The word with which a position says what it waits for, and before which step. */
export type WaitWord = `${PlannedWait['step']}-${WaitKind}`;

/** The state of the workflow in which a rollout waits. */
interface WaitState {
  readonly word: WaitWord;
  readonly state: string;
  readonly step: PlannedWait['step'];
  readonly means: string;
}

/** All of them: those before the begin, and those of a rollout under way. */
export const WAIT_STATES: readonly WaitState[] = (['open', 'look'] as const).flatMap((step) =>
  WAIT_KINDS.flatMap((kind) => {
    const row: WaitRow = WAITS[kind];
    const state = step === 'open' ? row.opening : row.state;
    const { means } = row;
    return state === null ? [] : [{ word: wordOf({ for: kind, step }), state, step, means }];
  }),
);

export function wordOf({ for: kind, step }: Pick<PlannedWait, 'for' | 'step'>): WaitWord {
  return `${step}-${kind}`;
}

/** Whether a word of a position means a wait before the begin. */
export function isOpening(word: string | undefined): boolean {
  return WAIT_STATES.some((one) => one.word === word && one.step === 'open');
}

/** Whether a rollout that has not begun waits in a state of the workflow. */
export function isOpeningState(state: string | undefined): boolean {
  return WAIT_STATES.some((one) => one.state === state && one.step === 'open');
}

/** What a step has decided to wait for. */
export interface PlannedWait {
  readonly for: WaitKind;
  /** What it waits for, in words: which gates, which rollout. `null`: its kind says it all. */
  readonly of: string | null;
  /** When it is over: it begins, fails or goes on by itself. `null`: nobody can say. */
  readonly until: Instant | null;
  /** Until the next look: a whole number. */
  readonly seconds: Seconds;
  /** What comes after that: the rollout tries to open again, or looks at its wave. */
  readonly step: 'open' | 'look';
}

/** What a rollout waits for since its last look. */
export interface Wait extends Stored<typeof wait> {}

/** What is known of a rollout that has not begun, beside what it waits for. */
export interface Opening extends Stored<typeof opening> {}

/**
 * What a rollout waits for from now on.
 *
 * @param wave The 0-based wave that it is in. `null`: it has not begun.
 * @param before What it waited for up to now: whoever goes on waiting for the same has waited since then.
 */
export function waitFrom(
  { for: kind, of, until, seconds }: PlannedWait,
  wave: number | null,
  before: Wait | null,
  now: Instant,
): Wait {
  const since = before !== null && isSame(before, { for: kind, wave }) ? before.since : now;
  return { for: kind, of, wave, since, until, lookAt: now + seconds * 1000 };
}

/** A wait takes the place of another one. */
export interface WaitChange {
  readonly before: Wait | null;
  /** `null`: it waits for nothing. */
  readonly wait: Wait | null;
}

type What = Pick<Wait, 'for' | 'wave'>;

/** Whether a list says the same of both. Looks at rolls, and second looks at them, take turns. */
function isSame(one: What, other: What): boolean {
  return WAITS[one.for].says === WAITS[other.for].says && one.wave === other.wave;
}

/** Whether a list has to know of the change: each costs a write in its indexes. */
export function isListedAnew(before: Wait | null, wait: Wait | null): boolean {
  if (before === null || wait === null) return true;
  return !isSame(before, wait) || (before.until === null) !== (wait.until === null);
}
