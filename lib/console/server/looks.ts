import { errorMessageOf } from '../../domain/errors.ts';
import type { StepClock } from '../../ports/clock.ts';
import type { OpenRollout, OpenRollouts } from '../desk.ts';
import { type Change, changeOf, withChange } from './changes.ts';

/** The console answers within so many milliseconds that it is alive, whether a look has come to its end or not. */
export const ANSWER_MS = 2_000;

/** What a page gets that asks for a look. */
export interface Looked {
  /** The id of the look, for the next question. `null`: there was none yet. */
  readonly seen: string | null;
  /** How many milliseconds ago it began. */
  readonly ageMs: number;
  /** What is other than in the look that the page knows, or than nothing. `null`: nothing is. */
  readonly change: Change | null;
  /** Why there is no newer one. `null`: there is no trouble. */
  readonly trouble: string | null;
  /** After so many milliseconds a page may ask again. */
  readonly againMs: number;
}

/** A look with its rollouts by their ids, so that one more does not change all others. */
interface Sent extends Omit<OpenRollouts, 'rollouts'> {
  readonly order: readonly string[];
  readonly rollouts: Readonly<Record<string, OpenRollout>>;
}

/** What a page knows. */
export interface KnownLook {
  readonly seen: string | null;
  readonly sent: unknown;
}

export const NOTHING_KNOWN: KnownLook = { seen: null, sent: null };

/** What a page knows after an answer. */
export function learn(
  known: KnownLook,
  { seen, change }: Pick<Looked, 'seen' | 'change'>,
): KnownLook {
  return { seen, sent: change === null ? known.sent : withChange(known.sent, change) };
}

/** The look that a page knows. `null`: it knows none. */
export function lookOf({ sent }: KnownLook): OpenRollouts | null {
  if (sent === null) return null;
  const { order, rollouts, ...rest } = sent as Sent;
  return { ...rest, rollouts: order.flatMap((id) => rollouts[id] ?? []) };
}

export interface Looks {
  /** @param seen The id of the look that the page knows. */
  after(seen: string | null): Promise<Looked>;
  /** Somebody has done something: whoever asks from now on gets a look that began later. */
  outdate(): void;
}

interface Look {
  readonly id: string;
  readonly began: Began;
  readonly sent: unknown;
}

/** When a look began, and how much had been done by then. */
interface Began {
  readonly now: number;
  readonly elapsed: number;
  readonly acts: number;
}

/** A page that is behind by more of them gets all. */
const KEPT = 20;

interface LooksOptions {
  readonly everyMs: number;
  readonly clock: StepClock;
  /** Tells the looks of this process from those of another one. */
  readonly start: string;
}

/** Looks at the rollouts when a page asks, once for all that ask meanwhile, and at most every `everyMs` milliseconds. */
export function createLooks(
  look: () => Promise<OpenRollouts>,
  { everyMs, clock, start }: LooksOptions,
): Looks {
  /** The newest last. */
  const kept: Look[] = [];
  let count = 0;
  let acts = 0;
  let trouble: { readonly text: string; readonly began: Began } | null = null;
  let underWay: { readonly began: Began; readonly end: Promise<void> } | null = null;
  let next: Promise<void> | null = null;

  async function lookOnce(began: Began): Promise<void> {
    try {
      const sent = toSent(await look());
      count += 1;
      kept.push({ id: `${start}-${count}`, began, sent });
      if (kept.length > KEPT) kept.shift();
      trouble = null;
    } catch (error) {
      trouble = { text: errorMessageOf(error), began };
    }
  }

  function begin(): Promise<void> {
    const began = { now: clock.now(), elapsed: clock.elapsed(), acts };
    const end = lookOnce(began).finally(() => {
      underWay = null;
    });
    underWay = { began, end };
    return end;
  }

  /** The end of a look that sees all that was done until now. */
  function lookNow(): Promise<void> {
    if (underWay === null) return begin();
    if (underWay.began.acts === acts) return underWay.end;
    next ??= underWay.end.then(() => {
      next = null;
      return begin();
    });
    return next;
  }

  /** One of the two clocks goes on while a machine sleeps, and the other one when somebody sets the time. */
  const ageOf = (began: Began) =>
    Math.max(clock.now() - began.now, clock.elapsed() - began.elapsed, 0);

  const isNew = (one: { readonly began: Began } | null | undefined) =>
    one != null && one.began.acts === acts && ageOf(one.began) < everyMs;

  return {
    async after(seen) {
      if (!isNew(kept.at(-1)) && !isNew(trouble)) {
        const patience = new AbortController();
        const silence = clock.sleep(ANSWER_MS, patience.signal).catch(() => undefined);
        await Promise.race([lookNow(), silence]);
        patience.abort();
      }
      const told = { trouble: trouble?.text ?? null, againMs: everyMs };
      const newest = kept.at(-1);
      if (newest === undefined) return { seen: null, ageMs: 0, change: null, ...told };
      const known = kept.find(({ id }) => id === seen);
      const change = changeOf(known?.sent ?? null, newest.sent);
      return { seen: newest.id, ageMs: ageOf(newest.began), change, ...told };
    },
    outdate() {
      acts += 1;
    },
  };
}

/** As the page will have it: without what JSON does not say. */
function toSent({ rollouts, ...rest }: OpenRollouts): unknown {
  const order = rollouts.map(({ rolloutId }) => rolloutId);
  const byId = Object.fromEntries(rollouts.map((one) => [one.rolloutId, one]));
  return JSON.parse(JSON.stringify({ ...rest, order, rollouts: byId }));
}
