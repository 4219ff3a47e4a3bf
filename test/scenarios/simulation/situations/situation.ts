import { endpointNames } from '../../../support/endpoint-names.ts';
import type { Ordeal } from '../ordeal.ts';
import { HALE } from '../quiet.ts';

// Some promises are about things that have to come together, which they nearly never do by chance. In a situation they
// do, and nothing else goes wrong.

/** What differs from one situation of a kind to another. */
export interface Dice {
  /** When the fault comes, in seconds. */
  readonly at: number;
  /** How long it lasts, in seconds. */
  readonly lasts: number;
  /** Picks one of several. */
  readonly pick: number;
}

export type Situation = (drawn: Ordeal, dice: Dice) => Ordeal;

export type Situations = Readonly<Record<string, Situation>>;

export const NO_GATES: Ordeal['policy']['verify'] = {
  probe: null,
  alarms: [],
  metrics: [],
  approval: null,
};

export function pickOf<const T>(pick: number, all: readonly [T, ...T[]]): T {
  return all[pick % all.length] ?? all[0];
}

/** A look at such times that some of them are just a minute apart, and some are rare. */
export function looksEvery(pick: number): Partial<Ordeal['policy']> {
  const pollSeconds = pickOf(pick, [5, 10, 20, 30, 35, 70]);
  return { pollSeconds, maxPollSeconds: Math.max(15, pollSeconds) };
}

/** The names that were drawn, and as many more as are needed. */
export function namesOf({ endpoints }: Ordeal, least: number): string[] {
  return endpointNames(1, Math.max(least, endpoints.length));
}

export function fleetOf(names: readonly string[]): Ordeal['endpoints'] {
  return names.map((name) => ({ name, version: 1 }));
}

type Changes = Partial<Omit<Ordeal, 'policy'>> & { readonly policy?: Partial<Ordeal['policy']> };

/** The rollout that was drawn, in which nothing goes wrong but what is said. */
export function quiet(drawn: Ordeal, { policy, ...changes }: Changes): Ordeal {
  return {
    ...drawn,
    ...HALE,
    busDown: null,
    badReleases: 0,
    earlier: null,
    ahead: null,
    guises: [],
    opensAfter: 0,
    asked: null,
    hours: null,
    readings: [],
    cannotStop: false,
    ...changes,
    policy: {
      ...drawn.policy,
      failureThreshold: { endpoints: 0 },
      selection: { names: [], ids: [], exclude: [] },
      protect: [],
      allowDowngrade: true,
      maxVersionStep: 1_000,
      verify: NO_GATES,
      ...policy,
    },
  };
}
