import { isList, isWrite } from '../../../../lib/rehearsal/calls.ts';
import { isAtStop, isBad, wasAtWork } from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { isSteady, type Ordeal } from '../ordeal.ts';
import type { Observed } from '../to-script.ts';

/** No rollout fails because the service did not roll an endpoint for now: only its deadline, or another reason, ends it. */
export function busyIsWaitedFor({
  record,
  calls,
  outcome,
  toldAt,
}: Pick<Observed, 'record' | 'calls' | 'outcome' | 'toldAt'>): string[] {
  const failing = record?.events.find(({ kind }) => kind === 'failing');
  const { reason } = failing?.kind === 'failing' ? failing : outcome;
  // Calls have the right time, and what a rollout writes down has that of its own clock.
  const failedAt = failing && (toldAt.get(failing.eventId) ?? failing.at);
  const seen = calls.filter(({ at }) => at <= (failedAt ?? at));
  const refused = seen.filter(isWrite).filter(({ answer }) => answer === reason);
  const isForNow =
    reason === 'UpstreamConflict' ||
    (reason === 'UpstreamRejected' &&
      refused.every(({ endpointId, at }) => wasAtWork(calls, endpointId, at)));
  // One that has failed, after a roll of which nobody knows whether it arrived, has its refusal as a reason, and so has
  // one that somebody has stopped.
  const reads = seen.filter(isList).filter(({ endpoints }) => endpoints !== null);
  // At the moment of the failure the list may be read again, before and after a stop.
  const looks = reads.filter(({ at }) => at === reads.at(-1)?.at);
  const isAnyBad = looks.some(({ endpoints }) =>
    endpoints?.some((row) => isBad(row) || isAtStop(row)),
  );
  return isForNow && refused.length > 0 && !isAnyBad
    ? [`it gave up on an endpoint that was only busy: ${outcome.message}`]
    : [];
}

/** What is busy is not asked again and again. */
export function asksLessAndLess(ordeal: Ordeal, { calls }: ScenarioResult): string[] {
  // Who died, or stood still, around a roll does not know its answer.
  if (!isSteady(ordeal) || ordeal.clock !== null) return [];
  const rolls = calls.filter(isWrite).filter(({ operation }) => operation === 'roll');
  const ways = Map.groupBy(rolls, ({ endpointId, version }) => `${endpointId} to ${version}`);
  return [...ways].flatMap(([way, sent]) => {
    let refusals = 0;
    return sent.flatMap(({ answer = '', endpointId, at }, nth) => {
      const isFinal = answer === 'UpstreamRejected' && !wasAtWork(calls, endpointId, at);
      if (answer === 'UpstreamConflict' || (answer === 'UpstreamRejected' && !isFinal)) {
        refusals += 1;
      } else {
        return [];
      }
      const next = sent[nth + 1];
      const leastMs = Math.min(60_000, 1_000 * 2 ** (refusals - 1));
      return next !== undefined && next.at - at < leastMs
        ? [`${way} was asked again after ${next.at - at} ms, after ${refusals} refusals`]
        : [];
    });
  });
}
