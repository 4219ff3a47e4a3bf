import type { Ms } from '../clock.ts';
import { findOldEndpoints } from '../containment/old-endpoints.ts';
import { UNEXPLAINED } from '../ending/error.ts';
import { legOf } from '../endpoint/leg.ts';
import { failingOf } from '../rollout/event.ts';
import type { Ending } from '../rollout/outcome.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import { type FailurePolicy, policyAfter } from '../rollout/policy.ts';
import type { RolloutRecord, WaveProgress } from '../rollout/record.ts';
import {
  type PlannedWait,
  WAITS,
  type Wait,
  type WaitChange,
  type WaitKind,
  waitFrom,
} from '../rollout/wait.ts';
import { findRollWait } from '../turn/roll-window.ts';

/**
 * What the workflow does next. An index is a place in the plan's list of endpoints.
 * - `wait`: nothing, until the next look.
 * - `roll`: roll these endpoints of this wave, then wait.
 * - `contain`: the rollout has failed; the failure policy decides what happens to these old endpoints.
 * - `close`: nothing is left to do.
 */
export type Decision =
  | ({ readonly next: 'wait' } & PlannedWait)
  | {
      readonly next: 'roll';
      readonly wave: number;
      readonly indexes: readonly number[];
      /** What is waited for once they are sent. */
      readonly wait: PlannedWait;
    }
  | {
      readonly next: 'contain';
      readonly onFailure: FailurePolicy;
      readonly ending: Ending;
      readonly oldEndpoints: readonly number[];
    }
  | { readonly next: 'close'; readonly ending: Ending };

interface WaitOfWave extends Pick<PlannedWait, 'seconds'> {
  /** In how many milliseconds it is over. @default - nobody can say */
  readonly leftMs?: Ms;
  /** As in `PlannedWait`. @default null */
  readonly of?: string;
}

/** A wave waits. Where its time stands still under a pause, nobody can say when it is over. */
export function waitFor(
  kind: WaitKind,
  { clock, isPaused }: Pick<WaveProgress, 'clock' | 'isPaused'>,
  { seconds, leftMs, of = '' }: WaitOfWave,
): Extract<Decision, { next: 'wait' }> {
  const isStill = leftMs === undefined || (isPaused === true && WAITS[kind].standsStill);
  const until = isStill ? null : clock.at + Math.max(0, leftMs);
  return { next: 'wait', for: kind, of: of === '' ? null : of, until, seconds, step: 'look' };
}

/** The next rolls of a wave wait for their window. @param wave 0-based. `null`: they may go. */
export function waitToRoll(
  record: RolloutRecord,
  plan: RolloutPlan,
  wave: number,
  progress: WaveProgress,
): Extract<Decision, { next: 'wait' }> | null {
  const wait = findRollWait(record, plan, wave, progress.clock.at);
  return wait === null ? null : { next: 'wait', step: 'look', ...wait };
}

/** What a rollout waits for after a look at a wave, in place of what it waited for before. */
export function waitAfter(
  decision: Decision,
  { wave, clock }: Pick<WaveProgress, 'wave' | 'clock'>,
  before: Wait | null,
): WaitChange {
  if (decision.next === 'roll') {
    return { before, wait: waitFrom(decision.wait, decision.wave, before, clock.at) };
  }
  const wait = decision.next === 'wait' ? waitFrom(decision, wave, before, clock.at) : null;
  return { before, wait };
}

/**
 * The rollout has failed, and its failure policy follows. The old endpoints are those of the last look. The workflow
 * gets ranges of them, and these are only limits: nothing outside is stopped. In a range the step of the stops finds
 * the old endpoints again, and before each stop `decideStop` decides on a new list.
 */
export function contain(
  record: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
  ending: Ending,
  onFailure: FailurePolicy = policyAfter(
    ending.failure ?? 'stuck',
    record.request.policy.onFailure,
  ),
): Decision {
  const oldEndpoints = findOldEndpoints(record, plan, progress);
  return { next: 'contain', onFailure, ending, oldEndpoints };
}

/**
 * What was told stays true: once a rollout has told that it fails, its failure policy is carried out for that reason,
 * whatever the endpoints show by now. An abort that came later is followed after that.
 */
export function containAsTold(
  record: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
): Decision | undefined {
  const failing = failingOf(record.events);
  if (failing === undefined || legOf(plan).after === 'close') return undefined;
  return contain(record, plan, progress, failing.cause, failing.onFailure);
}

/** Ends a leg that contains a failure, with its first reason. `trouble` says what kept it from going on. */
export function endRollback(
  { rollback }: Pick<RolloutRecord, 'rollback'>,
  trouble?: string,
): Decision {
  const cause = rollback?.cause ?? UNEXPLAINED;
  const message = trouble === undefined ? cause.message : `${cause.message} ${trouble}`;
  return { next: 'close', ending: { ...cause, message } };
}
