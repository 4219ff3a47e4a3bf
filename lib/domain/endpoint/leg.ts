import type { Direction, WriteOperation } from './journal.ts';

/**
 * One leg of a rollout: a plan, and how it is followed. A rollout has one leg forward, and one more when it goes back.
 * Decisions read what a leg says of itself here, and never ask which one it is.
 */
export interface Leg {
  /** What its rolls are called in the journal. */
  readonly roll: WriteOperation;
  /**
   * The leg whose rolls it takes back. Its endpoints go where they were before: an old answer looks as if they were there
   * already, whatever they were like before is good enough, and no roll has to show first that the version is any good.
   * `null`: it takes nothing back.
   */
  readonly undoes: Direction | null;
  /**
   * - `contain`: its failure is told, and contained as the failure policy says. Its success is that of the rollout.
   * - `close`: it contains a failure itself, so nothing bakes and no gate is asked. Whatever becomes of it, the rollout
   *   ends for the reason that was told.
   */
  readonly after: 'contain' | 'close';
  /** Whether it leaves the endpoints to a newer rollout that waits. Otherwise that one waits until the leg is over. */
  readonly givesWay: boolean;
  /** Whether holds keep it from its rolls. A way back is never held. */
  readonly heedsHolds: boolean;
  /**
   * Which losses do not end it.
   * - `threshold`: as many as the policy allows. They stay at risk.
   * - `lost-before`: those of endpoints that were not live when it began. It ends with any other, so none is counted.
   */
  readonly tolerates: 'threshold' | 'lost-before';
  /**
   * What it makes of an endpoint that somebody else has moved or stopped.
   * - `fail`: nothing more of the wave is rolled. One that was stopped has failed.
   * - `pass`: that endpoint is left to them, and the others go on.
   */
  readonly others: 'fail' | 'pass';
}

export const LEGS: Readonly<Record<Direction, Leg>> = {
  forward: {
    roll: 'roll',
    undoes: null,
    after: 'contain',
    givesWay: true,
    heedsHolds: true,
    tolerates: 'threshold',
    others: 'fail',
  },
  back: {
    roll: 'roll-back',
    undoes: 'forward',
    after: 'close',
    givesWay: false,
    heedsHolds: false,
    tolerates: 'lost-before',
    others: 'pass',
  },
};

export function legOf({ direction }: { readonly direction: Direction }): Leg {
  return LEGS[direction];
}
