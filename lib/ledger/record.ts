import {
  HISTORY_INDEX,
  LISTED_IN_ALL,
  OPEN_AS,
  ROLLOUT_KEY_PREFIX,
  RUNTIME_INDEX,
} from '../contract/ledger/table.ts';
import { NOTHING_TO_DO } from '../domain/ending/success.ts';
import { eventIdOf } from '../domain/rollout/event.ts';
import type { AskedRollout, RolloutSummary, Signal } from '../domain/rollout/record.ts';
import { isAnswer } from '../domain/signals/approval.ts';
import { namedAsSeen } from '../domain/wave/names-seen.ts';
import type { RolloutQuery } from '../ports/ledger.ts';
import { answersTo } from './answers.ts';
import { isGone, type Retention } from './history.ts';
import { rolloutKey } from './keys.ts';
import { rolloutNotFound } from './refusals.ts';
import { find, get, type Item, list, type Rule } from './storage.ts';

/** `null` also for a rollout that was buried before its request was recorded. */
export function* readRecord(rolloutId: string, history?: Retention): Rule<AskedRollout | null> {
  const { pk, sk } = rolloutKey(rolloutId);
  const items = yield* list(pk);
  const rollout = items.find(({ key }) => key.sk === sk)?.item ?? {};
  if (!isRecorded(rollout) || isGone(rollout, history)) return null;
  const events = items.flatMap(({ item: { event, openAs } }) =>
    event === undefined || event === null ? [] : [{ event, isUnsent: openAs !== undefined }],
  );
  return namedAsSeen({
    request: rollout.request,
    epoch: rollout.epoch ?? 0,
    ...whereaboutsOf(rollout),
    opening: isWaitingToBegin(rollout) ? (rollout.opening ?? null) : null,
    plan: rollout.plan ?? null,
    rollback: rollout.rollback ?? null,
    progress: rollout.progress ?? null,
    journal: rollout.journal ?? [],
    lines: rollout.lines ?? [],
    signals: yield* saidTo(rolloutId, rollout),
    events: events.map(({ event }) => event),
    unsent: [
      ...events.filter(({ isUnsent }) => isUnsent).map(({ event }) => event.eventId),
      // The event of the end is no item, because it follows from the outcome.
      ...(rollout.openAs === OPEN_AS.event ? [eventIdOf(rolloutId, 'ended')] : []),
    ],
  });
}

export function* read(rolloutId: string, history?: Retention): Rule<AskedRollout> {
  const record = yield* readRecord(rolloutId, history);
  if (record === null) throw rolloutNotFound(rolloutId);
  return record;
}

/** All that was said to a rollout: what its own item has, in that order, and in between, by their times, what people answered. */
export function* saidTo(
  rolloutId: string,
  rollout: Pick<Item, 'signals' | 'asks'>,
): Rule<readonly Signal[]> {
  const said = [...knownAmong(rollout.signals)];
  for (const answer of yield* answersTo(rolloutId, rollout)) {
    const next = said.findIndex(({ at }) => at >= answer.at);
    said.splice(next < 0 ? said.length : next, 0, answer);
  }
  return said;
}

/** Those of kinds that this version knows. An answer counts only among those of the person who gave it. */
export function knownAmong(signals: Item['signals'] = []): readonly Signal[] {
  return signals.filter((signal) => signal !== null).filter((signal) => !isAnswer(signal));
}

const SUMMARY_FIELDS = [
  'request',
  'listedWait',
  'startedAt',
  'endedAt',
  'outcome',
  'expiresAt',
  'epoch',
] as const;

export function* listRollouts(
  { runtimeId, limit, hasRolled }: RolloutQuery,
  history?: Retention,
): Rule<readonly RolloutSummary[]> {
  const among =
    runtimeId === undefined
      ? { index: HISTORY_INDEX, value: LISTED_IN_ALL }
      : { index: RUNTIME_INDEX, value: runtimeId };
  // What has left the history stays in a storage for a while, also before what is still in it.
  for (let newest = limit; ; newest *= 2) {
    const found = yield* find({
      ...among,
      prefix: ROLLOUT_KEY_PREFIX,
      newest,
      fields: SUMMARY_FIELDS,
    });
    const listed = found
      .filter(({ item }) => !hasRolled || mayHaveRolled(item))
      .map(({ item }) => summaryOf(item, history))
      .filter((summary) => summary !== null);
    if (listed.length >= limit || found.length < newest) return listed.slice(0, limit);
  }
}

function mayHaveRolled({ epoch, outcome }: Item): boolean {
  return epoch !== undefined && outcome?.reason !== NOTHING_TO_DO;
}

export function* readSummary(rolloutId: string, history?: Retention): Rule<RolloutSummary | null> {
  return summaryOf(yield* get(rolloutKey(rolloutId), ...SUMMARY_FIELDS, 'wait'), history);
}

function summaryOf(item: Item, history: Retention | undefined): RolloutSummary | null {
  if (!isRecorded(item) || isGone(item, history)) return null;
  return { ...item.request, ...whereaboutsOf(item) };
}

/** One write stores all that a rollout has from its first moment. */
function isRecorded(item: Item): item is Item & Required<Pick<Item, 'request' | 'startedAt'>> {
  return item.request !== undefined;
}

function isWaitingToBegin({ epoch, outcome }: Item): boolean {
  return epoch === undefined && outcome === undefined;
}

function whereaboutsOf({ startedAt = 0, listedWait, wait = listedWait, outcome, endedAt }: Item) {
  return {
    startedAt,
    wait: outcome === undefined ? (wait ?? null) : null,
    outcome: outcome ?? null,
    endedAt: endedAt ?? null,
  };
}

export function toSummary(record: AskedRollout): RolloutSummary {
  const { request, startedAt, wait, endedAt, outcome } = record;
  return { ...request, startedAt, wait, endedAt, outcome };
}
