import type { Instant } from '../clock.ts';
import { containmentOf } from '../containment/failure-policies.ts';
import { findLockout } from '../endpoint/rolls.ts';
import { isNoAccess } from '../error-meanings.ts';
import { failingOf } from '../rollout/event.ts';
import { listReadings, unansweredIn } from '../rollout/gates.ts';
import type { Outcome } from '../rollout/outcome.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { Approval } from '../rollout/policy.ts';
import {
  type AskedRollout,
  progressOn,
  type RolloutRecord,
  type WaveProgress,
  wasOpened,
} from '../rollout/record.ts';
import type { Waiting } from '../rollout/waiting.ts';
import { waveAwaitingApproval } from '../signals/approval.ts';
import { bakeLeftMs } from '../wave/bake.ts';

/**
 * The phases of a rollout.
 * - `waiting`: it has not begun; its record says what it waits for.
 * - `planning`: the list is read and the plan is made.
 * - `rolling`: the wave has not converged yet, on the way forward or back.
 * - `unreadable`: the wave rolls or bakes, and the list cannot be read.
 * - `baking`: the wave has converged and is not trusted yet.
 * - `verifying`: the wave has baked, and the gates are asked.
 * - `approval`: the rollout waits for a person.
 * - `stopping`, `turning-around`, `holding`: the rollout has failed, and this follows.
 */
export const PHASES = [
  'waiting',
  'planning',
  'rolling',
  'unreadable',
  'baking',
  'verifying',
  'approval',
  'stopping',
  'turning-around',
  'holding',
  'ended',
] as const;
type PhaseName = (typeof PHASES)[number];

/** The phase with its countdowns, in milliseconds that never fall below 0. */
export type Phase =
  | Simple<'planning' | 'verifying' | 'stopping' | 'turning-around' | 'holding'>
  | (Simple<'waiting'> & { readonly waiting: Waiting })
  | (Simple<'rolling'> & { readonly deadlineMs: number; readonly lockout: Lockout | null })
  | (Simple<'unreadable'> & {
      readonly forMs: number;
      readonly deadlineMs: number;
      readonly lockout: Lockout | null;
    })
  | (Simple<'baking'> & { readonly leftMs: number; readonly doubt: Doubt | null })
  | (Simple<'approval'> & {
      /** 1-based. */
      readonly wave: number;
      readonly leftMs: number;
      readonly until: Instant;
      readonly onTimeout: Approval['onTimeout'];
    })
  | (Simple<'ended'> & { readonly outcome: Outcome });

/** A look gave a reason to doubt the wave. */
interface Doubt {
  /** The gates that gave no answer, in words. `null`: the doubt comes from the list. */
  readonly unanswered: string | null;
  /** How long the doubt may still last. */
  readonly deadlineMs: number;
}

/** Nobody is let in with the credentials of the rollout. */
export interface Lockout {
  /** The name of the error. */
  readonly reason: string;
  readonly since: Instant;
}

/** A wave waits for a person. */
export type AwaitedApproval = Extract<Phase, { readonly phase: 'approval' }>;

interface Simple<Name extends PhaseName> {
  readonly phase: Name;
}

export function phaseOf(record: AskedRollout, now: Instant): Phase {
  const { plan, rollback, progress, outcome, waiting } = record;
  if (outcome !== null) return { phase: 'ended', outcome };
  if (waiting !== null) return { phase: 'waiting', waiting };
  if (!wasOpened(record)) return { phase: 'planning' };
  if (rollback !== null) {
    const begun = progressOn(record, rollback.plan);
    return begun === undefined
      ? { phase: 'turning-around' }
      : phaseOfWave(record, rollback.plan, begun, now);
  }
  const failing = failingOf(record.events);
  if (failing !== undefined) return { phase: containmentOf(failing.onFailure, plan).phase };
  if (plan === null || progress === null) return { phase: 'planning' };
  return phaseOfWave(record, plan, progress, now);
}

function phaseOfWave(
  record: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
  now: number,
): Phase {
  const { progressDeadlineSeconds } = record.request.policy;
  const { clock, bakedMs, isCheckedAgain, readAt, unreadableMs, doubtMs } = progress;
  const sinceLookMs = Math.max(0, now - clock.at);
  const leftAfter = (ms: number) => left(progressDeadlineSeconds * 1000 - ms - sinceLookMs);
  const unreadable = {
    phase: 'unreadable',
    forMs: left(now - readAt),
    deadlineMs: leftAfter(unreadableMs ?? 0),
    lockout: lockoutOfReads(progress),
  } as const;
  if (bakedMs === null || isCheckedAgain) {
    return unreadableMs === null
      ? {
          phase: 'rolling',
          deadlineMs: leftAfter(progress.stalledMs),
          lockout: lockoutOfRolls(record),
        }
      : unreadable;
  }
  const { approval } = record.request.policy.verify;
  if (approval !== null && waveAwaitingApproval(record) !== null) {
    const { timeoutSeconds, onTimeout } = approval;
    const leftMs = left(timeoutSeconds * 1000 - progress.askedMs - sinceLookMs);
    return { phase: 'approval', wave: progress.wave + 1, leftMs, until: now + leftMs, onTimeout };
  }
  if (unreadableMs !== null) return unreadable;
  const leftMs = left(bakeLeftMs(plan, progress) - sinceLookMs);
  if (doubtMs === null) {
    return leftMs === 0 ? { phase: 'verifying' } : { phase: 'baking', leftMs, doubt: null };
  }
  const silent = progress.gates?.at === readAt ? unansweredIn(progress.gates) : [];
  const unanswered = silent.length === 0 ? null : listReadings(silent);
  return { phase: 'baking', leftMs, doubt: { unanswered, deadlineMs: leftAfter(doubtMs) } };
}

function lockoutOfRolls({ journal }: RolloutRecord): Lockout | null {
  const refused = findLockout(journal);
  return refused === undefined ? null : { reason: refused.reason ?? '', since: refused.at };
}

function lockoutOfReads({ readFault: reason = '', readAt: since }: WaveProgress): Lockout | null {
  return isNoAccess(reason) ? { reason, since } : null;
}

function left(milliseconds: number): number {
  return Math.max(0, milliseconds);
}

/** The 0-based wave that bakes, or has baked and is held by a gate; `null` when none does. */
export function waveThatBakes(record: RolloutRecord): number | null {
  const { progress, rollback, outcome, events } = record;
  if (outcome !== null || rollback !== null || progress === null) return null;
  const isOver = failingOf(events) !== undefined;
  const isAsked = waveAwaitingApproval(record) !== null;
  return progress.bakedMs === null || isOver || isAsked ? null : progress.wave;
}
