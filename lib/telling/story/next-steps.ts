import type { describeGate } from '../../domain/ending/failure.ts';
import { listFates } from '../../domain/ending/fate.ts';
import { quarantineAfter } from '../../domain/ending/quarantine.ts';
import type { Outcome } from '../../domain/rollout/outcome.ts';
import { APPROVAL_TIMED_OUT } from '../../domain/rollout/outcome.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import { type LeftToDo, leftToDo } from './fates.ts';

/**
 * What may come after a rollout that did not succeed.
 * - `take-back`: revert what it rolled.
 * - `roll-rest`, `try-again`: retry it; `try-again` once the cause is gone.
 * - `start-again`, `start-afresh`: retry it from the beginning, because it had no plan yet, or because nothing of it is left.
 * - `roll-newer`: start a newer version, because something has spoken against this one.
 */
export const NEXT_STEPS = [
  'take-back',
  'roll-rest',
  'try-again',
  'start-again',
  'start-afresh',
  'roll-newer',
] as const;
export type NextStep = (typeof NEXT_STEPS)[number];

/** What a rollout has left behind. */
export interface Left extends LeftToDo {
  /** Whether some endpoint may be elsewhere than before it, or stopped. */
  readonly isAnyChanged: boolean;
  /** The id of the quarantine that it has put its version into. @default - none */
  readonly quarantine?: string;
}

export function leftAfter(record: AskedRollout): Left {
  const isAnyChanged = listFates(record).some(({ fate, reason }) => {
    if (fate === 'lost') return reason !== 'taken-back' && reason !== 'superseded';
    return fate !== 'back' && fate !== 'not-rolled' && fate !== 'refused';
  });
  const left = leftToDo(record);
  // What was refused before its policy was known cannot be asked for again.
  const isUnknown = record.request.policy === null && left.toRoll === 'unplanned';
  const { request, outcome, endedAt } = record;
  const hold = outcome && endedAt !== null ? quarantineAfter({ request, outcome, endedAt }) : null;
  return {
    ...left,
    isAnyChanged,
    ...(hold && { quarantine: hold.id }),
    ...(isUnknown && { toRoll: 'nothing' as const }),
  };
}

/**
 * The best one comes first. What is left of a version that something has spoken against is taken back first, and that
 * version is not offered again. What is stuck may get there once its cause is gone.
 */
export function nextStepsAfter(
  { outcome, failure, reason }: Outcome,
  { toRoll, toTakeBack, wasToGoBack, isAnyChanged }: Left,
): readonly NextStep[] {
  if (outcome === 'Superseded' || outcome === 'Succeeded') return [];
  const back: readonly NextStep[] = toTakeBack ? ['take-back'] : [];
  const again: Readonly<Record<typeof toRoll, readonly NextStep[]>> = {
    unplanned: ['start-again'],
    something: [isAnyChanged ? 'roll-rest' : 'start-afresh'],
    nothing: [],
  };
  // Before there is a plan, nothing was rolled to the version. An approval that did not come says nothing of it.
  const isUnjudged = toRoll === 'unplanned' || reason === APPROVAL_TIMED_OUT;
  // What was found bad stays bad, however the rollout ended while its failure policy was carried out.
  if ((outcome === 'Failed' || failure === 'bad') && !isUnjudged) {
    const isWorthATry = failure === 'stuck' && toRoll === 'something';
    return [...back, isWorthATry ? 'try-again' : 'roll-newer'];
  }
  // The way back came to no end. Another rollout to the version would roll it on.
  if (outcome === 'Errored' && wasToGoBack) return [...back, 'roll-newer'];
  // Nobody has said anything about the version, except where its gates were to say it, or where a person has ended it.
  const isDoubted = outcome === 'Aborted' || reason === GATE_UNKNOWN;
  return isDoubted ? [...back, ...again[toRoll]] : [...again[toRoll], ...back];
}

const GATE_UNKNOWN: Parameters<typeof describeGate>[0] = 'GateUnknown';
