import {
  createMemoryStorage,
  type LedgerMemory,
} from '../../../lib/adapters/ledger/memory/ledger.ts';
import type { Endpoint } from '../../../lib/domain/endpoint/endpoint.ts';
import type { RolloutEvent } from '../../../lib/domain/rollout/event.ts';
import type { AskedRollout } from '../../../lib/domain/rollout/record.ts';
import { listHeld } from '../../../lib/ledger/lease.ts';
import { readRecord } from '../../../lib/ledger/record.ts';
import { settle } from '../../../lib/ledger/storage.ts';
import type { Call } from '../../../lib/rehearsal/calls.ts';
import { ROLLOUT_DEFINITION } from '../../../lib/workflow/definition.ts';
import { RUNTIME } from '../../support/run-scenario.ts';
import { START } from '../../support/scenario-time.ts';
import type { Configuration, Event } from './configuration.ts';
import { createFleet, DESIRED_VERSION, type Fleet } from './fleet.ts';

/** Everything that there is between two states of the workflow. It is never changed. */
export interface Situation {
  /** The state of the workflow that is entered next, and what it gets. */
  readonly state: string;
  readonly input: unknown;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  readonly memory: LedgerMemory;
  readonly fleet: Fleet;
  /** What may still happen. */
  readonly left: ReadonlySet<Event>;
  /** How it came to this. */
  readonly past: Past;
}

export interface Past {
  readonly calls: readonly Call[];
  readonly states: readonly string[];
  readonly told: readonly RolloutEvent[];
  /** How many calls there were when somebody aborted; `null`: nobody did. */
  readonly abortedAfter: number | null;
  /** The endpoint that somebody else has moved; `null`: nobody did. */
  readonly moved: string | null;
  /** A pause of everything; `null`: nobody paused. */
  readonly paused: Paused | null;
  /** What the list before showed. An old answer shows it once more, or the very first one. */
  readonly shown: readonly Endpoint[];
  /** Somebody moved an endpoint or aborted, an endpoint failed, or one was slow twice in a row. */
  readonly isDisturbed: boolean;
  /** Some endpoint was not there yet at the last wait. */
  readonly wasSlow: boolean;
}

export interface Paused {
  /** How many calls there were when it came. */
  readonly after: number;
  /** How often the workflow has waited under it. */
  readonly waits: number;
  /** How many calls there were when it was lifted; `null`: it was not. */
  readonly liftedAfter: number | null;
}

export const ROLLOUT_ID = 'rollout-1';

export const INPUT = {
  schemaVersion: 1,
  runtimeId: RUNTIME,
  version: DESIRED_VERSION,
} as const;

export function firstSituation({ endpoints, events }: Configuration): Situation {
  const fleet = createFleet(endpoints);
  return {
    state: ROLLOUT_DEFINITION.StartAt,
    input: INPUT,
    now: START,
    memory: new Map(),
    fleet,
    left: new Set(events),
    past: {
      calls: [],
      states: [],
      told: [],
      abortedAfter: null,
      moved: null,
      paused: null,
      shown: fleet,
      isDisturbed: false,
      wasSlow: false,
    },
  };
}

/** `null`: it is not recorded. */
export function rolloutIn(memory: LedgerMemory): AskedRollout | null {
  return settle(createMemoryStorage(memory), readRecord(ROLLOUT_ID));
}

/** The rollouts that hold leases. */
export function holdersIn(memory: LedgerMemory): readonly string[] {
  return settle(createMemoryStorage(memory), listHeld()).map(({ rolloutId }) => rolloutId);
}

/** The workflow is over. */
export function isOver({ state }: Pick<Situation, 'state'>): boolean {
  return ['Rollout succeeded', 'Rollout refused', 'Rollout failed'].includes(state);
}
