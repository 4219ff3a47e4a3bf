import { allEvents } from '../../domain/events/events.ts';
import type { RolloutEvent } from '../../domain/rollout/event.ts';
import type { AskedRollout, Signal } from '../../domain/rollout/record.ts';
import { ABORT } from '../../domain/signals/abort.ts';
import { REJECT } from '../../domain/signals/approval.ts';
import { namesWave } from '../../domain/signals/signal-kind.ts';
import { kindOf } from '../../domain/signals/signals.ts';

/** What a rollout did after it was told something. */
export interface SignalAnswer {
  /** Whether it did what it was told. Otherwise something else has decided. */
  readonly isHeard: boolean;
  readonly event: RolloutEvent;
}

/** The first event that shows whether a person's signal was heard. `null`: there is none yet. */
export function findAnswerTo(signal: Signal, record: AskedRollout): SignalAnswer | null {
  const { kind, at } = signal;
  const event = allEvents(record).find((one) => one.at >= at && decides(one, signal));
  if (event === undefined) return null;
  if (event.kind !== 'failing' && event.kind !== 'ended') {
    return { isHeard: kind !== REJECT.kind, event };
  }
  const wanted = ENDS[kind];
  const hasSucceeded = event.kind === 'ended' && event.outcome === 'Succeeded';
  return { isHeard: wanted === undefined ? hasSucceeded : event.reason === wanted, event };
}

/** The reasons of the ends that signals bring about. */
const ENDS: Readonly<Record<string, string>> = {
  [ABORT.kind]: 'Aborted',
  [REJECT.kind]: 'Rejected',
};

function decides(event: RolloutEvent, signal: Signal): boolean {
  if (event.kind === 'ended') return true;
  // A failure does not outrank an abort: that may still be heard.
  if (event.kind === 'failing')
    return signal.kind !== ABORT.kind || event.reason === ENDS[ABORT.kind];
  if (event.kind === 'started' || !namesWave(kindOf(signal))) return false;
  const wave = (signal.wave ?? 0) + 1;
  return event.kind === 'wave-started'
    ? event.wave === wave + 1
    : event.kind === 'approval-wanted' && event.wave === wave && kindOf(signal).endsBake === true;
}
