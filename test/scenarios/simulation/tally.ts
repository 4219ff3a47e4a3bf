import { isOpeningState } from '../../../lib/domain/rollout/wait.ts';
import { isList, isWrite } from '../../../lib/rehearsal/calls.ts';
import type { ScenarioResult } from '../../support/run-scenario.ts';
import {
  clientNames,
  drawnFaults,
  FREEZE,
  HAND_OVER,
  LEFT,
  nameOfBroken,
  nameOfDeath,
  requestNames,
  SLOW_SERVICE,
  WINDOWS_OF_ROLLS,
} from './fault-names.ts';
import type { Ordeal } from './ordeal.ts';

/** What simulated rollouts came across, in numbers of rollouts if nothing else is said. */
export interface Tally {
  readonly rollouts: number;
  /** Of virtual time, in seconds. */
  readonly seconds: number;
  /** Reads of the list, rolls and stops. */
  readonly requests: number;
  /** By the name of a fault. */
  readonly drawn: Counts;
  readonly met: Counts;
  /** By outcome and what became of the endpoints. */
  readonly ends: Counts;
}

export type Counts = Readonly<Record<string, number>>;

export const NOTHING: Tally = {
  rollouts: 0,
  seconds: 0,
  requests: 0,
  drawn: {},
  met: {},
  ends: {},
};

/** @param met What it has met, as far as the stage could see it. */
export function tallyOf(drawn: Ordeal, run: ScenarioResult, met: ReadonlySet<string>): Tally {
  const { outcome, cleanup } = run.outcome;
  const all = new Set([...met, ...metInTheRun(drawn, run, met)]);
  return {
    rollouts: 1,
    seconds: run.seconds,
    requests: run.calls.filter((call) => isList(call) || isWrite(call)).length,
    drawn: once(drawnFaults(drawn)),
    met: once(all),
    ends: { [`${outcome}, ${cleanup}`]: 1 },
  };
}

export function sumOf(one: Tally, other: Tally): Tally {
  return {
    rollouts: one.rollouts + other.rollouts,
    seconds: one.seconds + other.seconds,
    requests: one.requests + other.requests,
    drawn: added(one.drawn, other.drawn),
    met: added(one.met, other.met),
    ends: added(one.ends, other.ends),
  };
}

/** What its calls and its states show. */
function metInTheRun(drawn: Ordeal, run: ScenarioResult, met: ReadonlySet<string>): string[] {
  const { broken, latencyMs, death, resumesAfter } = drawn;
  const { states } = run;
  const wasKilled = death?.error === 'Killed' && met.has(nameOfDeath(death));
  return [
    ...requestNames(drawn),
    ...clientNames(drawn),
    ...broken.filter((fault) => isMet(fault, drawn, run)).map(nameOfBroken),
    ...(latencyMs > 0 && run.calls.some(isList) ? [SLOW_SERVICE] : []),
    ...(drawn.opensAfter > 0 && states.some(isOpeningState) ? [FREEZE] : []),
    ...(states.includes('Wait for a window') ? [WINDOWS_OF_ROLLS] : []),
    ...(states.includes('Hand over') ? [HAND_OVER] : []),
    ...(wasKilled && resumesAfter === null ? [LEFT] : []),
  ];
}

/** A roll of the endpoint to the faulty version arrived, and for some faults was answered or lasted long enough. */
function isMet(
  fault: Ordeal['broken'][number],
  { rollSeconds }: Ordeal,
  { record, calls, seconds }: ScenarioResult,
): boolean {
  const { endpoint, version = 2, kind, afterSeconds = 0 } = fault;
  const id = record?.plan?.endpoints.find(({ name }) => name === endpoint)?.endpointId;
  const begunAt = calls[0]?.at ?? 0;
  return calls.some((call) => {
    if (!isWrite(call) || call.endpointId !== id || call.version !== version) return false;
    if (kind === 'refuse' || kind === 'busy') return call.answer !== 'accepted';
    const isCarriedOut = call.answer === 'accepted' || call.answer === 'OutcomeUnknown';
    const isDue = ['regress', 'vanish', 'take-back'].includes(kind);
    const lastsFor = seconds - (call.at - begunAt) / 1000;
    return isCarriedOut && (!isDue || lastsFor >= rollSeconds + afterSeconds);
  });
}

function once(names: ReadonlySet<string>): Counts {
  return Object.fromEntries([...names].map((name) => [name, 1]));
}

function added(one: Counts, other: Counts): Counts {
  const sum: Record<string, number> = { ...one };
  for (const [name, count] of Object.entries(other)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}
