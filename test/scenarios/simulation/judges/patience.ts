import { wasOpened } from '../../../../lib/domain/rollout/record.ts';
import { gatesIn } from '../../../support/gates-in.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { isSteady, type Ordeal, wasLeft } from '../ordeal.ts';

/** What passes keeps no rollout from its success. */
export function harmlessIsSurvived(ordeal: Ordeal, { outcome, record }: ScenarioResult): string[] {
  const { broken, lists, writes, people, word, death, stall, alarms, policy, held } = ordeal;
  // When a process died around a roll, or the time of a roll is wrong, nobody knows when the roll is due once more.
  const isInDoubt = !isSteady(ordeal);
  const isHarmless =
    policy.progressDeadlineSeconds >= LONGEST_PATIENCE_SECONDS &&
    // Others judge whether it is refused because of a hold.
    !(held !== undefined && OF_HOLDS.has(outcome.reason)) &&
    !wasLeft(ordeal) &&
    ordeal.check === undefined &&
    !stall?.isRaced &&
    broken.length === 0 &&
    word === null &&
    alarms.every(({ verdict, seconds }) => verdict === 'unknown' && seconds < 120) &&
    ordeal.readings.every(({ says, seconds }) => says !== 'bad' && seconds < 120) &&
    gatesIn(policy).metrics.every(
      ({ noData, per }) => noData !== 'fail' && per?.noData !== 'fail',
    ) &&
    policy.verify.approval?.onTimeout !== 'reject' &&
    lists.length <= 1 &&
    lists.every(
      ({ kind, seconds, fromSecond }) =>
        PASSING.has(kind) &&
        seconds <= 55 &&
        // Two looks in a bake that agree on 0 replicas are a regress, and they are only a poll interval apart.
        !(kind === 'dark' && outcome.reason === 'LiveRegressed') &&
        (fromSecond > PLANNED_AFTER_SECONDS || OUTAGES.has(kind)),
    ) &&
    writes.every(
      ({ kind, nth, operation }) =>
        operation === 'stop' ||
        (nth === 1 && PASSING.has(kind) && !(isInDoubt && NEVER_CARRIED_OUT.has(kind))),
    ) &&
    people.every(
      ({ kind, atSecond }) =>
        kind === 'approve' ||
        // A release that is refused takes the runtime of a process that died or stood still for too long.
        (kind === 'absurd' && death?.error !== 'Killed' && stall === null) ||
        (kind === 'create' && Number(atSecond) > PLANNED_AFTER_SECONDS) ||
        // What is older, or takes endpoints back, is refused.
        (kind === 'stale' && death?.error !== 'Killed' && stall === null) ||
        // Before it has begun, a newer one overtakes it.
        ((kind === 'twin' ||
          kind === 'lower' ||
          (kind === 'rival' && policy.onConflict === 'refuse')) &&
          death?.error !== 'Killed' &&
          stall === null &&
          // A lease that was taken by a clock that is behind may have run out for all others.
          ordeal.clock === null &&
          !hasToWait(ordeal)),
    );
  const isAccepted = record !== null && wasOpened(record) && !REFUSED_AS.has(outcome.reason);
  return isHarmless && isAccepted && outcome.outcome !== 'Succeeded'
    ? [`nothing serious went wrong, and it ended as ${outcome.outcome}: ${outcome.message}`]
    : [];
}

/** What was asked for is not done. Another judge looks whether it may be refused. */
const REFUSED_AS: ReadonlySet<string> = new Set([
  ...['EmptyScope', 'DowngradeRefused', 'VersionStepRefused', 'PlanChanged', 'GateUnanswerable'],
  ...['InvalidEndpointId', 'GateRed', 'AttributeUnknown', 'AllPinned'],
]);

/** It waits, or reads a list, before it may begin. */
export function hasToWait({ opensAfter, hours, asked, ahead, policy }: Ordeal): boolean {
  const isHindered = opensAfter > 0 || [hours, asked, ahead].some((one) => one !== null);
  return isHindered || policy.maxVersionStep === 1;
}

/** The longest time for a roll that got lost: a minute until it is due once more, and the looks around it. */
const LONGEST_PATIENCE_SECONDS = 180;

const PASSING: ReadonlySet<string> = new Set([
  ...[
    'frozen',
    'flash',
    'odd',
    'most',
    'dark',
    'UpstreamTransient',
    'ListUnstable',
    'UpstreamTimeout',
  ],
  ...['lost', 'forgotten', 'unheard', 'late', 'queued', 'ignored', 'mute'],
  ...['UpstreamConflict', 'UpstreamThrottled', 'UpstreamNotFound'],
]);

/** What opening waits for as well. */
const OUTAGES: ReadonlySet<string> = new Set([
  'UpstreamTransient',
  'UpstreamTimeout',
  'ListUnstable',
]);

const NEVER_CARRIED_OUT: ReadonlySet<string> = new Set([
  'lost',
  'forgotten',
  'ignored',
  'late',
  'queued',
]);

/** Two sweeps must agree before anything is planned. */
const PLANNED_AFTER_SECONDS = 10;

/** Reasons of those that a hold refuses. */
const OF_HOLDS: ReadonlySet<string> = new Set(['Held', 'Quarantined']);
