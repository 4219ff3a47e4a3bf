import { createPlaces } from '../adapters/machine/places.ts';
import type { Clock } from '../ports/clock.ts';
import type { WorkflowRun } from './run-workflow.ts';

/** How many steps are under way at once: each may hold a whole list, and they share few sockets to the service. */
const STEPS_AT_ONCE = 16;
/** After so long a step makes room for another one: a gate or a service that is slow must not stop every rollout. */
const LONGEST_PLACE_MS = 10_000;
const FIRST_STEP = 'Open rollout';
/** After so long without another release, a burst of releases is over. */
const QUIET_MS = 250;
/** Releases of a burst that come within so long are stored together. */
const GATHER_MS = 25;
/** A burst keeps rollouts waiting for no longer. */
const LONGEST_BURST_MS = 60_000;

/**
 * What may go on in this process by now. Only some of the steps of its rollouts are under way at once. Those of
 * rollouts that have begun go before the first steps of others, and of the rollouts of a runtime that have not begun
 * the last one goes first, because it overtakes the others.
 */
interface Admission {
  /** A release has come. While many wait already, those that come together go on together. */
  accept(signal: AbortSignal): Promise<void>;
  /** Waits for the turn of a rollout that has not begun, and answers what ends the turn. */
  takeTurn(runtimeId: string, signal: AbortSignal): Promise<() => void>;
  /** Lets the steps of a rollout that had its turn begin one by one, when there is room for them. */
  stepsOf(
    runtimeId: string,
    wasBegun: boolean,
    signal: AbortSignal,
  ): NonNullable<WorkflowRun['admit']>;
}

export function createAdmission(clock: Clock): Admission {
  const burst = createBurst(clock, () => places.letIn());
  // In a burst the senders wait, and most of what begins has been overtaken by the end of the burst.
  const places = createPlaces(STEPS_AT_ONCE, (waiting) => waiting >= STEPS_AT_ONCE && burst.isOn());
  const takeTurn = (runtimeId: string, signal: AbortSignal) =>
    places.take({ rank: 1, key: runtimeId }, signal);
  return {
    async accept(signal) {
      burst.note(signal);
      if (places.isHeldBack()) await burst.gather(signal);
    },
    takeTurn,
    stepsOf(runtimeId, wasBegun, signal) {
      let hasBegun = wasBegun;
      let hasTurn = true;
      return async (state, begin) => {
        hasBegun ||= state !== FIRST_STEP;
        const goesFirst = hasBegun || hasTurn;
        hasTurn = false;
        const place = goesFirst ? places.take({ rank: 0 }, signal) : takeTurn(runtimeId, signal);
        const leave = await place;
        const isOver = new AbortController();
        clock.sleep(LONGEST_PLACE_MS, isOver.signal).then(leave, () => undefined);
        return begin().finally(() => {
          isOver.abort(null);
          leave();
        });
      };
    },
  };
}

interface Burst {
  /** A release has come. */
  note(signal: AbortSignal): void;
  /** Whether more releases are likely to come any moment. */
  isOn(): boolean;
  /** Waits a moment for others, together with all that have come since the last moment was over. */
  gather(signal: AbortSignal): Promise<void>;
}

/** @param onQuiet Is called once no release has come for a while. */
function createBurst({ now, sleep }: Clock, onQuiet: () => void): Burst {
  let last = Number.NEGATIVE_INFINITY;
  let since = 0;
  let isWatched = false;
  let gathering: Promise<void> | null = null;
  const isOn = () => isWatched && now() - since < LONGEST_BURST_MS;
  const watch = async (signal: AbortSignal) => {
    since = now();
    isWatched = true;
    try {
      for (let left = QUIET_MS; left > 0; left = last + QUIET_MS - now()) {
        await sleep(left, signal);
        if (!isOn()) onQuiet();
      }
    } catch {
      // The host ends.
    }
    isWatched = false;
    onQuiet();
  };
  return {
    note(signal) {
      last = now();
      if (!isWatched) void watch(signal);
    },
    isOn,
    gather(signal) {
      gathering ??= sleep(GATHER_MS, signal).finally(() => {
        gathering = null;
      });
      return gathering;
    },
  };
}
