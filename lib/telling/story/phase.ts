import type { Instant, Ms } from '../../domain/clock.ts';
import { containmentOf } from '../../domain/containment/failure-policies.ts';
import { findLockout } from '../../domain/endpoint/rolls.ts';
import { isNoAccess } from '../../domain/error-meanings.ts';
import { failingOf } from '../../domain/rollout/event.ts';
import type { Outcome } from '../../domain/rollout/outcome.ts';
import type { Approval } from '../../domain/rollout/policy.ts';
import {
  type AskedRollout,
  activePlan,
  progressOn,
  type RolloutRecord,
  type RolloutSummary,
  type WaveProgress,
  wasOpened,
} from '../../domain/rollout/record.ts';
import { WAITS, WAVE_PHASES, type Wait } from '../../domain/rollout/wait.ts';
import {
  approvalsNeeded,
  listApprovals,
  waveAwaitingApproval,
} from '../../domain/signals/approval.ts';
import { senderOf } from '../../domain/signals/signal-kind.ts';

/**
 * The phases of a rollout.
 * - `waiting`: it has not begun; its record says what it waits for.
 * - `planning`: the list is read and the plan is made.
 * - `rolling`: the wave has not converged yet, on the way forward or back.
 * - `unreadable`: the wave rolls or bakes, and the list cannot be read.
 * - `baking`: the wave has converged and is not trusted yet.
 * - `verifying`: the wave has baked, and the gates are asked.
 * - `approval`: the rollout waits for a person.
 * - `window`: nothing is in mid-roll, and the next rolls wait for their window, or for the end of a freeze.
 * - `paused`: nothing is in mid-roll, and somebody keeps the rollout from going on.
 * - `stopping`, `turning-around`, `holding`: the rollout has failed, and this follows.
 */
export const PHASES = [
  'waiting',
  'planning',
  ...WAVE_PHASES,
  'stopping',
  'turning-around',
  'holding',
  'ended',
] as const;
type PhaseName = (typeof PHASES)[number];

/** A countdown that never falls below 0. `null`: it stands still, or nobody counts. */
type Left = Ms | null;

/** The phase with its countdowns. */
export type Phase =
  | Simple<'planning' | 'verifying' | 'paused' | 'stopping' | 'turning-around' | 'holding'>
  | (Simple<'waiting' | 'window'> & { readonly wait: Wait })
  | (Simple<'rolling'> & { readonly deadlineMs: Left; readonly lockout: Lockout | null })
  | (Simple<'unreadable'> & {
      readonly forMs: Ms;
      readonly deadlineMs: Left;
      readonly lockout: Lockout | null;
    })
  | (Simple<'baking'> & { readonly leftMs: Left; readonly doubt: Doubt | null })
  | (Simple<'approval'> & AwaitedApproval & { readonly leftMs: Left })
  | (Simple<'ended'> & { readonly outcome: Outcome });

/** A look gave a reason to doubt the wave. */
interface Doubt {
  /** The gates that gave no answer, in words. `null`: the doubt comes from the list. */
  readonly unanswered: string | null;
  /** How long the doubt may still last. */
  readonly deadlineMs: Left;
}

/** Nobody is let in with the credentials of the rollout. */
export interface Lockout {
  /** The name of the error. */
  readonly reason: string;
  readonly since: Instant;
}

/** A wave waits for a person. */
export interface AwaitedApproval {
  /** 1-based. */
  readonly wave: number;
  /** `null`: the time stands still, because it is paused, or something else keeps the wave as well. */
  readonly until: Instant | null;
  readonly onTimeout: Approval['onTimeout'];
  /** How many people have to say yes. */
  readonly needed: number;
  /** Those who have, by the names that they said. `null`: nobody has read it. */
  readonly approvedBy: readonly string[] | null;
}

/** The wave of a rollout that waits for a person, up to the look that hears of an answer. `null`: none does. */
export function approvalIn({
  policy,
  startedBy,
  wait,
  outcome,
}: Pick<RolloutSummary, 'policy' | 'startedBy' | 'wait' | 'outcome'>): AwaitedApproval | null {
  const approval = policy?.verify.approval ?? null;
  if (outcome !== null || approval === null || wait?.for !== 'approval') return null;
  const needed = approvalsNeeded({ policy, startedBy });
  const { onTimeout } = approval;
  return { wave: (wait.wave ?? 0) + 1, until: wait.until, onTimeout, needed, approvedBy: null };
}

interface Simple<Name extends PhaseName> {
  readonly phase: Name;
}

export function phaseOf(record: AskedRollout, now: Instant): Phase {
  const { plan, rollback, outcome, opening, wait } = record;
  if (outcome !== null) return { phase: 'ended', outcome };
  if (opening !== null && wait !== null) return { phase: 'waiting', wait };
  const active = activePlan(record);
  const progress = active === null ? undefined : progressOn(record, active);
  const failing = rollback === null ? failingOf(record.events) : undefined;
  if (failing !== undefined) return { phase: containmentOf(failing.onFailure, plan).phase };
  if (!wasOpened(record) || progress === undefined) {
    return { phase: rollback === null ? 'planning' : 'turning-around' };
  }
  return phaseOfWave(record, progress, wait, now);
}

/** Where a wave is, as it follows from what it waits for. A step that decides nothing to wait for is about to act. */
function phaseOfWave(
  record: RolloutRecord,
  progress: WaveProgress,
  wait: Wait | null,
  now: Instant,
): Phase {
  const phase = wait === null ? null : WAITS[wait.for].phase;
  const approval = approvalOfWave(record, progress, wait, now);
  if (approval !== null) return approval;
  const leftMs = wait === null || wait.until === null ? null : Math.max(0, wait.until - now);
  switch (phase) {
    case 'rolling':
      return { phase, deadlineMs: leftMs, lockout: lockoutOfRolls(record) };
    case 'unreadable': {
      const forMs = Math.max(0, now - progress.readAt);
      return { phase, forMs, deadlineMs: leftMs, lockout: lockoutOfReads(progress) };
    }
    case 'baking': {
      const isDoubt = wait?.for !== 'bake';
      if (!isDoubt && leftMs === 0) return { phase: 'verifying' };
      return isDoubt
        ? { phase, leftMs: null, doubt: { unanswered: wait?.of ?? null, deadlineMs: leftMs } }
        : { phase, leftMs, doubt: null };
    }
    // It acts on an answer at its next look.
    case 'approval':
    case 'verifying':
      return { phase: 'verifying' };
    case 'paused':
      return { phase };
    case 'window':
      return { phase, wait: wait as Wait };
    case null:
      return progress.bakedMs === null
        ? { phase: 'rolling', deadlineMs: null, lockout: lockoutOfRolls(record) }
        : { phase: 'verifying' };
    default:
      return phase satisfies never;
  }
}

/** A person is asked, whatever else the wave waits for: the time for an answer stands still meanwhile. */
function approvalOfWave(
  record: RolloutRecord,
  { wave, bakedMs }: WaveProgress,
  wait: Wait | null,
  now: Instant,
): Phase | null {
  const { approval } = record.request.policy.verify;
  const isOver = bakedMs === null || wait === null || WAITS[wait.for].phase === 'window';
  if (approval === null || isOver || waveAwaitingApproval(record) === null) return null;
  const until = wait.for === 'approval' ? wait.until : null;
  const leftMs = until === null ? null : Math.max(0, until - now);
  const { onTimeout } = approval;
  const needed = approvalsNeeded(record.request);
  const approvedBy = listApprovals(record, wave).map(senderOf);
  return { phase: 'approval', wave: wave + 1, until, leftMs, onTimeout, needed, approvedBy };
}

function lockoutOfRolls({ journal }: RolloutRecord): Lockout | null {
  const refused = findLockout(journal);
  return refused === undefined ? null : { reason: refused.reason ?? '', since: refused.at };
}

function lockoutOfReads({ readFault: reason = '', readAt: since }: WaveProgress): Lockout | null {
  return isNoAccess(reason) ? { reason, since } : null;
}

/** The 0-based wave that bakes, or has baked and is held by a gate; `null` when none does. */
export function waveThatBakes(record: RolloutRecord): number | null {
  const { progress, rollback, outcome, events } = record;
  if (outcome !== null || rollback !== null || progress === null) return null;
  const isOver = failingOf(events) !== undefined;
  const isAsked = waveAwaitingApproval(record) !== null;
  return progress.bakedMs === null || isOver || isAsked ? null : progress.wave;
}
