import type { Phase } from '../../domain/story/phase.ts';
import type { Waiting } from '../../domain/turn/waiting.ts';
import { dateTime } from './clock-time.ts';
import { describeDuration } from './describe-duration.ts';
import { plainText } from './plain-text.ts';

/** What a rollout is at, with its countdowns. `where` names the wave: `Wave 2 of 3`. */
export function describePhase(phase: Phase, where: string): string {
  switch (phase.phase) {
    case 'waiting':
      return plainText(describeWaiting(phase.waiting));
    case 'planning':
      return 'Reading the list, making the plan';
    case 'rolling':
      return `${where}: rolling, ${describeDeadline(phase.deadlineMs)}`;
    case 'unreadable':
      return `${where}: the list has not been readable for ${describeDuration(phase.forMs)}, ${describeDeadline(phase.deadlineMs)}`;
    case 'baking':
      return phase.isInDoubt
        ? `${where}: baking, in doubt since a look spoke against it`
        : `${where}: baking, ${describeDuration(phase.leftMs)} left`;
    case 'verifying':
      return `${where}: baked, verifying`;
    case 'approval':
      return `${where}: waits for approval, ${onTimeout(phase)}`;
    case 'stopping':
      return 'Stopping the old endpoints';
    case 'turning-around':
      return 'Planning the way back';
    case 'holding':
      return 'Ending, with everything as it is';
    case 'ended':
      return `${phase.outcome.outcome} (${phase.outcome.reason})`;
    default:
      return phase satisfies never;
  }
}

/** Why a rollout has not begun, and until when it waits. */
export function describeWaiting({ for: wait, message, until }: Waiting): string {
  // The sentence about a window says when it opens.
  if (until === null || wait === 'window') return message;
  return `${message} It waits until ${dateTime(until)} at most.`;
}

function describeDeadline(leftMs: number): string {
  return leftMs > 0 ? `deadline in ${describeDuration(leftMs)}` : 'deadline reached';
}

function onTimeout({ leftMs, onTimeout }: Extract<Phase, { phase: 'approval' }>): string {
  const what = onTimeout === 'approve' ? 'approved' : 'rejected';
  return `${what} by itself in ${describeDuration(leftMs)}`;
}
