import type { Seconds } from '../../../lib/domain/clock.ts';
import type { RolloutPolicy } from '../../../lib/domain/rollout/policy.ts';
import type { RolloutSummary } from '../../../lib/domain/rollout/record.ts';
import { ROLLOUT_DEFINITION } from '../../../lib/workflow/definition.ts';
import type { Cost } from './cost.ts';
import { EVENTS_OF_EXECUTION, EVENTS_OF_ITERATION, EVENTS_OF_STATE } from './history-events.ts';
import { type CountedLedger, openCountedLedger } from './open-counted-ledger.ts';
import { simulateRollout } from './simulate-rollout.ts';

/** Rows that the client asks for at a time. */
const PAGE_SIZE = 100;

export interface RolloutCost extends Cost {
  /** The largest input or answer of a state, in bytes. */
  readonly largestPayload: number;
  /** Requests to the endpoints themselves. */
  readonly probes: number;
  /** Questions of checks, and queries of Prometheus. */
  readonly questions: number;
}

/**
 * Rolls so many endpoints, and counts what it takes.
 *
 * @param policy @default - the default policy
 * @param workSeconds For how long a check is at work, each time that it is asked about a wave. @default 0
 */
export async function countRollout(
  endpoints: number,
  rollSeconds: number,
  policy?: RolloutPolicy,
  workSeconds?: Seconds,
): Promise<RolloutCost> {
  const counted = await openCountedLedger();
  try {
    return await countRolloutOn(counted, endpoints, rollSeconds, policy, workSeconds);
  } finally {
    counted.end();
  }
}

/** The same for a runtime whose rollout before has shown how long a roll takes. */
export async function countSecondRollout(
  endpoints: number,
  rollSeconds: Seconds,
): Promise<RolloutCost> {
  const counted = await openCountedLedger();
  const outcome = { outcome: 'Succeeded', cleanup: 'none', reason: '', message: '' } as const;
  const past = { outcome: { ...outcome, rollMs: rollSeconds * 1000 } } as RolloutSummary;
  try {
    const ledger = { ...counted.ledger, list: async () => [past] };
    return await countRolloutOn({ ...counted, ledger }, endpoints, rollSeconds);
  } finally {
    counted.end();
  }
}

/** Does the same on a ledger that is there already, and has counted nothing yet. */
export async function countRolloutOn(
  { ledger, units }: Pick<CountedLedger, 'ledger' | 'units'>,
  endpoints: number,
  rollSeconds: number,
  policy?: RolloutPolicy,
  workSeconds?: Seconds,
): Promise<RolloutCost> {
  const { states, payloads, sweeps, writes, probes, questions } = await simulateRollout(
    endpoints,
    rollSeconds,
    ledger,
    policy,
    workSeconds,
  );
  const executions = 1 + states.filter((state) => state === 'Handed over').length;
  return {
    transitions: states.length,
    invocations: payloads.length,
    httpCalls: sweeps * Math.ceil(endpoints / PAGE_SIZE) + writes,
    historyEvents: states.reduce(
      (sum, state) => sum + eventsOf(state),
      executions * EVENTS_OF_EXECUTION,
    ),
    readUnits: units.read,
    writeUnits: units.write,
    largestPayload: Math.max(...payloads),
    probes,
    questions,
  };
}

interface State {
  readonly Type: keyof typeof EVENTS_OF_STATE;
  readonly ItemProcessor?: { readonly StartAt: string; readonly States: States };
}
type States = Readonly<Record<string, State>>;

const STATES: States = ROLLOUT_DEFINITION.States;
const MAPS = Object.values(STATES).flatMap(({ ItemProcessor }) => ItemProcessor ?? []);
const ALL_STATES: States = Object.assign({}, STATES, ...MAPS.map((map) => map.States));

/** Events in an execution's history for a state that is entered. */
export function eventsOf(state: string): number {
  const { Type } = ALL_STATES[state] as State;
  const beginsIteration = MAPS.some(({ StartAt }) => StartAt === state);
  return EVENTS_OF_STATE[Type] + (beginsIteration ? EVENTS_OF_ITERATION : 0);
}
