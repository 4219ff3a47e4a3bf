import { sinceBakedMs } from '../judge/bake.ts';
import { waveAwaitingApproval } from '../judge/wave-awaiting-approval.ts';
import type { WaveProgress } from '../observation.ts';
import type { Outcome } from '../outcome.ts';
import type { Approval } from '../policy.ts';
import { type AskedRollout, type RolloutRecord, wasOpened } from '../rollout.ts';
import type { RolloutPlan } from '../rollout-plan.ts';
import type { Waiting } from '../turn/waiting.ts';

/**
 * What a rollout can be at.
 * - `waiting`: it has not begun, and waits for what its record says.
 * - `planning`: the list is read and the plan made.
 * - `rolling`: the wave is not converged yet, forward or on the way back.
 * - `unreadable`: the same, and the list cannot be read.
 * - `baking`: the wave has converged, and is not trusted yet.
 * - `verifying`: it has baked, and the gates are asked.
 * - `approval`: it waits for a person.
 * - `stopping`, `turning-around`, `holding`: it has failed, and this follows.
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

/** The same with countdowns, in milliseconds that never fall below 0. */
export type Phase =
  | Simple<'planning' | 'verifying' | 'stopping' | 'turning-around' | 'holding'>
  | (Simple<'waiting'> & { readonly waiting: Waiting })
  | (Simple<'rolling'> & { readonly deadlineMs: number })
  | (Simple<'unreadable'> & { readonly forMs: number; readonly deadlineMs: number })
  /** `isInDoubt`: a look spoke against the wave. */
  | (Simple<'baking'> & { readonly leftMs: number; readonly isInDoubt: boolean })
  | (Simple<'approval'> & { readonly leftMs: number; readonly onTimeout: Approval['onTimeout'] })
  | (Simple<'ended'> & { readonly outcome: Outcome });

interface Simple<Name extends PhaseName> {
  readonly phase: Name;
}

/** What a rollout is at, as far as its record tells, at `now` in milliseconds since the Unix epoch. */
export function phaseOf(record: AskedRollout, now: number): Phase {
  const { plan, rollback, progress, outcome, waiting } = record;
  if (outcome !== null) return { phase: 'ended', outcome };
  if (waiting !== null) return { phase: 'waiting', waiting };
  if (!wasOpened(record)) return { phase: 'planning' };
  if (rollback !== null) {
    return progress?.direction === 'back'
      ? phaseOfWave(record, rollback.plan, progress, now)
      : { phase: 'turning-around' };
  }
  const failing = record.events.find((event) => event.kind === 'failing');
  if (failing !== undefined) return { phase: CONTAINMENT[failing.onFailure] };
  if (plan === null || progress === null) return { phase: 'planning' };
  return phaseOfWave(record, plan, progress, now);
}

const CONTAINMENT = {
  'stop-old': 'stopping',
  'roll-back': 'turning-around',
  hold: 'holding',
} as const;

function phaseOfWave(
  record: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
  now: number,
): Phase {
  const { progressDeadlineSeconds } = record.request.policy;
  const { bakedMs, progressedAt, readAt, unreadableMs, doubtMs } = progress;
  const sinceReadMs = Math.max(0, now - readAt);
  if (bakedMs === null) {
    const deadlineMs = left(progressDeadlineSeconds * 1000 - (now - progressedAt));
    return unreadableMs === null
      ? { phase: 'rolling', deadlineMs }
      : { phase: 'unreadable', forMs: sinceReadMs, deadlineMs };
  }
  const overMs = sinceBakedMs(plan, progress) + sinceReadMs;
  const { approval } = record.request.policy.verify;
  if (approval !== null && waveAwaitingApproval(record) !== null) {
    const { timeoutSeconds, onTimeout } = approval;
    return { phase: 'approval', leftMs: left(timeoutSeconds * 1000 - overMs), onTimeout };
  }
  if (overMs >= 0 && doubtMs === null) return { phase: 'verifying' };
  return { phase: 'baking', leftMs: left(-overMs), isInDoubt: doubtMs !== null };
}

function left(milliseconds: number): number {
  return Math.max(0, milliseconds);
}
