import type { Endpoint } from '../../../../lib/domain/endpoint/endpoint.ts';
import { isList, isWrite } from '../../../../lib/rehearsal/calls.ts';
import { isAtStop, isBad, REFUSED } from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { isAnsweredOddly, isSteady, type Ordeal, wasLeft } from '../ordeal.ts';
import type { Observed } from '../to-script.ts';
import { isPlain } from './plain.ts';
import { isAnyPromoted } from './promotions.ts';

/** Until the service has accepted a roll of this rollout, each goes alone: a bad version is refused only once. */
export function firstGoesAlone(ordeal: Ordeal, { calls, record }: ScenarioResult): string[] {
  const acceptedAt = record?.journal.find(({ result }) => result === 'accepted')?.at;
  if (!isSteady(ordeal) || ordeal.people.some(({ kind }) => kind === 'move')) return [];
  if (isAnsweredOddly(ordeal.wire)) return [];
  return calls.flatMap((call, index) => {
    if (!isWrite(call) || call.version !== 2 || call.at > (acceptedAt ?? call.at)) return [];
    const looks = calls.slice(0, index).filter(isList).slice(-2);
    const isUnderWay = (id: string) =>
      looks.every(({ endpoints }) =>
        endpoints?.some(
          (one) => one.id === id && one.targetVersion === 2 && one.liveVersion === 1 && goesOn(one),
        ),
      );
    const other = calls
      .slice(0, index)
      .filter(isWrite)
      .find(({ endpointId, answer = '', at }) => {
        const isTogether = at === call.at && endpointId !== call.endpointId;
        return isTogether || (!REFUSED.has(answer) && isUnderWay(endpointId));
      });
    return other === undefined
      ? []
      : [`${call.endpointId} was rolled beside ${other.endpointId}, the first one`];
  });
}

/** A list that does not say where an endpoint goes is no reason to roll it once more. A token is one. */
export function silenceIsNoReason(
  { clock, cannotStop, latencyMs }: Ordeal,
  { calls, record }: ScenarioResult,
): string[] {
  if (clock !== null || cannotStop) return [];
  return calls.flatMap((call, index) => {
    if (!isWrite(call) || call.operation !== 'roll') return [];
    const { endpointId, version, at } = call;
    const before = calls.slice(0, index);
    const isSent = before.some((one) => {
      const isSame = isWrite(one) && one.endpointId === endpointId && one.version === version;
      return isSame && one.operation === 'roll' && !REFUSED.has(one.answer ?? '');
    });
    const planned = record?.plan?.endpoints.find((one) => one.endpointId === endpointId);
    // To roll to the version that it had before may be another direction.
    if (!isSent || planned?.previousVersion === planned?.desiredVersion) return [];
    const rows = before
      .filter(isList)
      .filter((list) => list.at >= at - LONGEST_LIST_TRUST_MS - latencyMs)
      .flatMap(({ endpoints }) => endpoints?.filter(({ id }) => id === endpointId) ?? []);
    const isElsewhere = rows.some(({ targetVersion }) => ![null, version].includes(targetVersion));
    return isElsewhere
      ? []
      : [`${endpointId} was rolled once more, and no list showed it elsewhere`];
  });
}

/** So old may a list be when a write is sent that it was read for. */
const LONGEST_LIST_TRUST_MS = 15_000;

/** It has neither failed nor been stopped. */
function goesOn(one: Endpoint): boolean {
  return !isBad(one) && !isAtStop(one);
}

/** What is live is noticed within a tenth of the time of its roll, or within a poll. */
export function liveIsNoticed(ordeal: Ordeal, { calls, record, executions }: Observed): string[] {
  const { policy, broken, rollSeconds, latencyMs, death } = ordeal;
  // Whoever goes on for a dead process cannot know how long a roll has taken that was sent before.
  const isResumed = death?.error === 'Killed' && !wasLeft(ordeal);
  const isForeseen = isPlain(isResumed ? { ...ordeal, death: null } : ordeal);
  if (!isForeseen || broken.length > 0 || record?.plan == null) return [];
  const since = isResumed ? (executions.at(-1)?.runs[0]?.begunAt ?? 0) : 0;
  const longest = Math.max(policy.pollSeconds, rollSeconds / 10) + 3 + (12 * latencyMs) / 1000;
  const forward = calls.filter(isWrite).filter(({ version, at }) => version === 2 && at >= since);
  const reads = calls.filter(isList);
  return forward.flatMap(({ endpointId, at }) => {
    const liveAt = at + latencyMs + rollSeconds * 1000;
    const seen = reads.find((read) => read.at >= liveAt);
    const after = ((seen?.at ?? liveAt) - liveAt) / 1000;
    return after > longest ? [`${endpointId} was live, and nobody looked for ${after} s`] : [];
  });
}

/** However often a step dies, and whatever the gates say, no wave is left before it has baked. */
export function bakesLongEnough({ clock }: Ordeal, { record }: ScenarioResult): string[] {
  const { plan, events = [], outcome, endedAt } = record ?? {};
  // Of promoted waves another judge says how long they bake.
  if (plan == null || clock !== null || isAnyPromoted(record)) return [];
  return events.flatMap((event, index) => {
    if (event.kind !== 'wave-converged' || event.direction === 'back') return [];
    const next = events[index + 1] ?? { kind: outcome?.outcome, at: endedAt ?? 0 };
    const { bakeSeconds = 0 } = plan.waves[event.wave - 1] ?? {};
    const baked = (next.at - event.at) / 1000;
    return LEAVES.has(next.kind ?? '') && baked < bakeSeconds
      ? [`wave ${event.wave} baked for ${baked} s, and not for ${bakeSeconds} s`]
      : [];
  });
}

/** What comes after a wave that is trusted. */
const LEAVES: ReadonlySet<string> = new Set(['wave-started', 'approval-wanted', 'Succeeded']);
