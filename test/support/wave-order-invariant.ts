import type { PlannedEndpoint } from '../../lib/domain/endpoint/endpoint.ts';
import type { RolloutPolicy } from '../../lib/domain/rollout/policy.ts';
import { type Call, isList, isWrite, type ListCall } from '../../lib/rehearsal/calls.ts';
import type { Trace } from './invariants.ts';
import { allConverged, isRollBack, wavesWithoutPinned } from './read-evidence.ts';

/**
 * Before the first roll of a wave, the wave before has converged and baked, at least as long as the policy
 * promises for what has been rolled by then, or until a person has ended its bake, and then for the warm-up. At every roll of a wave, all
 * waves before it are converged in the last read, or in the one before, which is the roll's own. Batches that go at once
 * have a read each, and each of them follows the same look.
 */
export function wavesWaitForTheirGate({ calls, record, turnedAt }: Trace): string[] {
  const plan = record?.plan;
  if (!plan) return [];
  const { policy } = record.request;
  const total = plan.endpoints.length;
  const counted = wavesWithoutPinned(record);
  const waves = plan.waves.map(({ from, to, bakeSeconds }, nth) => ({
    planned: counted[nth] ?? [],
    ids: new Set(plan.endpoints.slice(from, to).map(({ endpointId }) => endpointId)),
    bakeMs: 1000 * Math.max(bakeSeconds, promisedBake(policy, to, total)),
    hasBegun: false,
  }));
  const reads: ListCall[] = [];
  const held = new Map<ListCall, Map<unknown, boolean>>();
  /** One read is evidence for thousands of rolls. */
  const isHeld = (
    read: ListCall,
    wave: { readonly planned: readonly PlannedEndpoint[] },
  ): boolean => {
    const known = held.get(read) ?? new Map<unknown, boolean>();
    held.set(read, known);
    const answer = known.get(wave) ?? allConverged(read, wave.planned, policy);
    known.set(wave, answer);
    return answer;
  };
  return calls.flatMap((call, place) => {
    noteRead(reads, call, calls[place - 1]);
    if (call.operation !== 'roll' || isRollBack(call, record, turnedAt)) return [];
    const index = waves.findIndex(({ ids }) => ids.has(call.endpointId));
    const wave = waves[index];
    const before = waves.slice(0, Math.max(0, index));
    const gate = before.at(-1);
    if (wave === undefined || gate === undefined) return [];
    const isFirst = !wave.hasBegun;
    wave.hasBegun = true;
    const holds = (read: ListCall) => before.every((earlier) => isHeld(read, earlier));
    const isEnded = record.signals.some(({ kind, wave, isFull, at }) => {
      const isOf = wave !== null && (wave === index - 1 || (isFull === true && wave < index));
      return kind === 'promote' && isOf && at <= call.at;
    });
    const warmUpMs = 1000 * (policy.verify.warmUpSeconds ?? 0);
    const bakeMs = isEnded ? Math.min(gate.bakeMs, warmUpMs) : gate.bakeMs;
    const hasBaked = () => reads.some((read) => read.at <= call.at - bakeMs && holds(read));
    return (!isFirst || hasBaked()) && reads.slice(-2).some(holds)
      ? []
      : [`${call.endpointId} of wave ${index + 1} was rolled before the waves before it held`];
  });
}

/** The read of a batch that goes beside another one takes the place of the other one's. */
function noteRead(reads: ListCall[], call: Call, before: Call | undefined): void {
  if (!isList(call) || call.endpoints === null) return;
  if (before?.operation === 'roll' && reads.at(-1)?.at === call.at) reads.pop();
  reads.push(call);
}

/** The longest bake of all waves that so many endpoints make up: seconds. What names and rings promise is not counted. */
function promisedBake(
  { waves, bakeSeconds }: RolloutPolicy,
  rolled: number,
  total: number,
): number {
  if (waves.some((wave) => 'names' in wave || 'where' in wave)) return 0;
  const reached = waves.filter((wave) => {
    if ('names' in wave || 'where' in wave) return false;
    const size = 'percent' in wave ? (wave.percent * total) / 100 : wave.endpoints;
    return Math.floor(size) <= rolled;
  });
  return Math.max(0, ...reached.map((wave) => wave.bakeSeconds ?? bakeSeconds));
}

/** On the way back no wave goes forward any more. */
export function goesForwardAgain({ calls, record, turnedAt }: Trace): string[] {
  if (record === null) return [];
  const turn = calls.findIndex((call) => isWrite(call) && isRollBack(call, record, turnedAt));
  if (turn === -1) return [];
  return calls
    .slice(turn)
    .filter(isWrite)
    .filter((call) => call.operation === 'roll' && !isRollBack(call, record, turnedAt))
    .map(({ endpointId }) => `${endpointId} was rolled forward on the way back`);
}
