import type { EventPattern } from 'aws-cdk-lib/aws-events';
import { HOLD_EVENTS, LIFECYCLE_EVENTS } from '../../contract/output/event.ts';
import { type EventKind, KEPT_OUT } from '../../domain/events/kinds.ts';
import { LIFECYCLE_SOURCE } from '../../domain/trigger/release.ts';

const EVENTS = { ...LIFECYCLE_EVENTS, 'kept-out': LIFECYCLE_EVENTS.ended, ...HOLD_EVENTS };

/** What a rule takes that is to be told of these events. */
export function patternOf(kinds: readonly EventKind[]): EventPattern {
  const detailType = [...new Set(kinds.map((kind) => EVENTS[kind].detailType))];
  const [hasEnds, hasKeptOut] = [kinds.includes('ended'), kinds.includes('kept-out')];
  const all = { source: [LIFECYCLE_SOURCE], detailType };
  if (hasEnds === hasKeptOut) return all;
  const reason = hasEnds ? [{ 'anything-but': [...KEPT_OUT] }] : [...KEPT_OUT];
  // Only an end has an outcome. The reason of a hold is whatever a person has written.
  return { ...all, detail: { $or: [{ outcome: [{ exists: false }] }, { reason }] } };
}
