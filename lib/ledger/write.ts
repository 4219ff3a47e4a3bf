import {
  LISTED_IN_ALL,
  OPEN_AS,
  OPEN_INDEX,
  ROLLOUT_KEY_PREFIX,
} from '../contract/ledger/table.ts';
import type { JournalEntry } from '../domain/endpoint/journal.ts';
import type { Lease } from '../domain/rollout/lease.ts';
import { linesOfWait, type NotBegun } from '../domain/rollout/opening.ts';
import type { Rollback } from '../domain/rollout/plan.ts';
import type { LogLine, Signal, WaveProgress } from '../domain/rollout/record.ts';
import type { AskedRequest } from '../domain/rollout/request.ts';
import { isListedAnew, type WaitChange } from '../domain/rollout/wait.ts';
import { isAnswer } from '../domain/signals/approval.ts';
import { UNDERSTOOD, wordsOf } from '../domain/signals/signals.ts';
import { answer, answersTo, takeNoAnswers } from './answers.ts';
import { IS_OPEN, isMet } from './condition.ts';
import { rolloutIdOf, rolloutKey } from './keys.ts';
import { isOpenWith, proveLease } from './lease.ts';
import { leaseLost, notUnderstood, rolloutClosed, rolloutNotFound } from './refusals.ts';
import { find, get, type Rule, update } from './storage.ts';

export function* enlist(request: AskedRequest, accepted: NotBegun, now: number): Rule<boolean> {
  const { rolloutId, runtimeId } = request;
  return yield* update({
    key: rolloutKey(rolloutId),
    set: {
      ...{ runtimeId, startedAt: now, request, understands: [...UNDERSTOOD] },
      ...waitToBegin(accepted),
      ...{ listedIn: LISTED_IN_ALL, openAs: OPEN_AS.asked },
    },
    only: { request: 'absent', leaseLost: 'absent' },
  });
}

/** A rollout that has not begun changes its wait at each look. */
function waitToBegin({ wait, opening }: NotBegun) {
  return { listedWait: wait, opening };
}

export function* saveWaiting(request: AskedRequest, waiting: NotBegun): Rule<void> {
  const { rolloutId } = request;
  const key = rolloutKey(rolloutId);
  const only = { ...IS_OPEN, epoch: 'absent' } as const;
  const lines = linesOfWait(waiting);
  if (lines.length > 0) yield* update({ key, add: { lines }, only });
  if (yield* update({ key, set: { request, ...waitToBegin(waiting) }, only })) return;
  const { runtimeId, epoch, outcome } = yield* get(key, 'runtimeId', 'epoch', 'outcome');
  if (runtimeId === undefined) throw rolloutNotFound(rolloutId);
  // Another process has begun it meanwhile.
  throw epoch === undefined || outcome !== undefined
    ? rolloutClosed(rolloutId)
    : leaseLost(rolloutId);
}

/** A rollout under way waits for the same for many looks. */
function waitUnderWay({ before, wait }: WaitChange) {
  return { wait, ...(isListedAnew(before, wait) && { listedWait: wait }) };
}

export function* listWaiting(): Rule<readonly string[]> {
  const asked = yield* find({
    index: OPEN_INDEX,
    value: OPEN_AS.asked,
    prefix: ROLLOUT_KEY_PREFIX,
    fields: [],
  });
  return asked.map(({ key }) => rolloutIdOf(key));
}

export function* freezeRollback(lease: Lease, rollback: Rollback): Rule<Rollback> {
  const key = rolloutKey(lease.rolloutId);
  const before = yield* proveLease(lease, 'rollback');
  if (before.rollback !== undefined) return before.rollback;
  const only = { ...isOpenWith(lease), rollback: 'absent' } as const;
  if (yield* update({ key, set: { rollback }, only })) return rollback;
  const stored = yield* proveLease(lease, 'rollback');
  if (stored.rollback === undefined) throw leaseLost(lease.rolloutId);
  return stored.rollback;
}

export function* append(lease: Lease, entries: readonly JournalEntry[]): Rule<void> {
  const key = rolloutKey(lease.rolloutId);
  const isAdded = yield* update({ key, add: { journal: entries }, only: isOpenWith(lease) });
  if (!isAdded) throw leaseLost(lease.rolloutId);
}

/** What a look adds to the log comes first: it may be added twice, but whatever the progress knows is there. */
export function* saveProgress(
  lease: Lease,
  { news = [], ...progress }: WaveProgress,
  change?: WaitChange,
): Rule<void> {
  yield* addLines(lease, news);
  const isSaved = yield* update({
    key: rolloutKey(lease.rolloutId),
    // Another version may have opened the rollout, and handed it over.
    set: {
      progress,
      understands: [...UNDERSTOOD],
      ...(change?.wait?.for === 'approval' && { asks: progress.wave }),
      ...(change && waitUnderWay(change)),
    },
    only: isOpenWith(lease),
  });
  if (!isSaved) throw leaseLost(lease.rolloutId);
}

export function* addLines(lease: Lease, lines: readonly LogLine[]): Rule<void> {
  if (lines.length === 0) return;
  yield* update({ key: rolloutKey(lease.rolloutId), add: { lines }, only: isOpenWith(lease) });
}

/**
 * One write both checks that the rollout is open and understands the signal, and adds it. Once there is an outcome, a
 * signal is refused. An outcome is not stored if a signal came first.
 */
export function* signal(rolloutId: string, said: Signal): Rule<void> {
  if (isAnswer(said)) return yield* answer(rolloutId, { key: said.by, ...said });
  const key = rolloutKey(rolloutId);
  // The call may be made twice, and meanwhile the rollout may have followed the signal and ended.
  const isNew = { signals: { lacks: said } };
  const isAdded = yield* update({
    key,
    add: { signals: [said] },
    only: { ...IS_OPEN, ...isNew, understands: { has: wordsOf(said) } },
  });
  if (isAdded) return;
  const { runtimeId, outcome, signals } = yield* get(key, 'runtimeId', 'outcome', 'signals');
  if (runtimeId === undefined) throw rolloutNotFound(rolloutId);
  if (!isMet(isNew, { signals })) return;
  throw outcome === undefined ? notUnderstood(rolloutId, said) : rolloutClosed(rolloutId);
}

/** No answer is taken from now on: those that were taken are all that will have been. */
export function* stopAsking(lease: Lease): Rule<readonly Signal[]> {
  const known = yield* proveLease(lease, 'asks');
  yield* takeNoAnswers(lease.rolloutId, known);
  return yield* answersTo(lease.rolloutId, known);
}

export function* understands(rolloutId: string, word: string): Rule<boolean> {
  const known = yield* get(rolloutKey(rolloutId), 'understands');
  return known.understands?.includes(word) ?? false;
}
