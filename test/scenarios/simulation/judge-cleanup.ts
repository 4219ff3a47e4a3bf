import { isWrite, type WriteCall } from '../../../lib/rehearsal/calls.ts';
import type { ScenarioResult } from '../../support/run-scenario.ts';
import type { Ordeal } from './ordeal.ts';

/** An hour later every endpoint is where the outcome says, unless somebody else had a hand in it. */
export function cleanupIsTrue(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { people, broken, policy } = ordeal;
  const { outcome, record, endpoints, calls } = run;
  if (record?.plan == null || people.some(({ kind }) => RELEASES.has(kind))) return [];
  if (ordeal.stall?.isRaced || ordeal.badReleases > 0 || ordeal.undo !== null) return [];
  if (ordeal.writes.some(({ operation, kind }) => operation === 'stop' && kind === 'ignored'))
    return [];
  const sent = new Set(calls.filter(mayBeCarriedOut).map(({ endpointId }) => endpointId));
  return record.plan.endpoints.flatMap(({ endpointId, previousVersion, name }) => {
    const isMoved = people.some((act) => 'endpoint' in act && act.endpoint === name);
    const isFickle = broken.some(
      ({ endpoint, kind }) => endpoint === name && (kind === 'regress' || kind === 'vanish'),
    );
    const end = endpoints.get(name ?? '');
    if (isMoved || isFickle || end === undefined) return [];
    const { liveVersion, targetVersion, status } = end;
    const isThere = liveVersion === 2;
    const isBack = liveVersion === previousVersion && targetVersion === previousVersion;
    const isSent = sent.has(endpointId);
    const isLeftOld = isSent && !isThere && targetVersion === 2 && status !== 'STOPPED';
    const wantsAct = outcome.outcome === 'Failed' && policy.onFailure !== 'hold';
    const isLie =
      (outcome.reason === 'Converged' && !isThere) ||
      (outcome.cleanup === 'rolledBack' && isSent && !isBack) ||
      (outcome.cleanup === 'stopped' && isLeftOld) ||
      (outcome.cleanup === 'none' && wantsAct && isLeftOld);
    const said = `${outcome.outcome}, ${outcome.cleanup}: ${outcome.message}`;
    return isLie
      ? [`${name} is ${status} on ${liveVersion} to ${targetVersion}, and: ${said}`]
      : [];
  });
}

/** Releases that may roll the same endpoints later. */
const RELEASES: ReadonlySet<string> = new Set(['rival', 'stale', 'twin']);

const NOT_CARRIED_OUT = /^Upstream/;

function mayBeCarriedOut(call: ScenarioResult['calls'][number]): call is WriteCall {
  return isWrite(call) && call.operation === 'roll' && !NOT_CARRIED_OUT.test(call.answer ?? '');
}
