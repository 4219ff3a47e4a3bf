import type { Ledger } from '../ports/ledger.ts';
import { close } from './close.ts';
import { listUnsent, markSent, recordEvent } from './events.ts';
import type { Retention } from './history.ts';
import { addHold, hear, liftHold, listHolds, markTold } from './holds.ts';
import { findLatestRequest, recordLatestRequest } from './latest.ts';
import { type LeaseOwner, listHeld, renew } from './lease.ts';
import { bury, mayOpen, open } from './open.ts';
import { listRollouts, read, readSummary } from './record.ts';
import { findTaker, takeRelease } from './releases.ts';
import type { Rule } from './storage.ts';
import {
  append,
  enlist,
  freezeRollback,
  listWaiting,
  saveProgress,
  saveWaiting,
  signal,
  stopAsking,
  understands,
} from './write.ts';

const ANYBODY: LeaseOwner = { name: '', isGone: () => false };

/**
 * The ledger: its rules, over a storage.
 *
 * | `pk`           | `sk`                    | what                                                                 |
 * |----------------|-------------------------|----------------------------------------------------------------------|
 * | `runtime#<id>` | `lease`                 | who holds the runtime's lease                                        |
 * | `runtime#<id>` | `latest#<endpoint URL>` | the latest request; its rollout waits, or has begun                 |
 * | `holds`        | `everything`            | the holds on everything and on groups                                |
 * | `holds`        | `runtime#<id>`          | the holds on a runtime and on its rollouts                           |
 * | `release#<hash>` | `rollout`                | which rollout rolls a release, for as long as no other event may roll it |
 * | `rollout#<id>` | `rollout`               | request, plan, journal, progress, outcome, and signals: those that came, and the words that are understood |
 * | `rollout#<id>` | `event#<id>`            | an event of the rollout                                              |
 * | `yes#<person>` | `<rollout id>`          | what a person has answered to a rollout: approvals and rejections    |
 * | `answers#<rollout id>` | `<person>`      | that this person may have                                            |
 *
 * The rules need no transactions. Each of their writes changes one item under a condition, that of an answer under one of
 * the rollout's item too, and each rule may be followed
 * again from its beginning, whatever of it was done before. Whoever takes over a lease first closes the rollout of the
 * old holder, and every write of a rollout has to find it open. So concurrent batches of one rollout never cancel each
 * other. One gap is left without transactions: an event that was on its way when the lease was lost is sent.
 *
 * @param follow Follows a rule on a storage.
 * @param owner Whoever takes leases here. @default - any process may go on with a rollout
 * @param history How long ended rollouts stay, where the storage removes them by itself. @default - it removes none
 */
export function createLedger(
  follow: <T>(rule: Rule<T>) => Promise<T>,
  owner: LeaseOwner = ANYBODY,
  history?: Retention,
): Ledger {
  return {
    enlist: (request, waiting, now) => follow(enlist(request, waiting, now)),
    saveWaiting: (request, waiting) => follow(saveWaiting(request, waiting)),
    listWaiting: () => follow(listWaiting()),
    withdraw: (rolloutId, outcome, now, known) =>
      follow(close(rolloutId, outcome, now, known, history, { epoch: 'absent' })),
    mayOpen: (request, now) => follow(mayOpen(owner, request, now)),
    open: (request, now, leaseUntil, begin) =>
      follow(open(owner, request, now, leaseUntil, begin, history)),
    renew: (lease, leaseUntil, isProven) => follow(renew(lease, leaseUntil, isProven)),
    freezeRollback: (lease, rollback) => follow(freezeRollback(lease, rollback)),
    append: (lease, entries) => follow(append(lease, entries)),
    saveProgress: (lease, progress, change) => follow(saveProgress(lease, progress, change)),
    signal: (rolloutId, said) => follow(signal(rolloutId, said)),
    stopAsking: (lease) => follow(stopAsking(lease)),
    hear: (of) => follow(hear(of)),
    recordEvent: (lease, event) => follow(recordEvent(lease, event)),
    markSent: (rolloutId, eventIds) => follow(markSent(rolloutId, eventIds)),
    listUnsent: () => follow(listUnsent()),
    recordLatestRequest: (request, now, before) =>
      follow(recordLatestRequest(request, now, before)),
    findLatestRequest: (of) => follow(findLatestRequest(of)),
    takeRelease: (wish, now) => follow(takeRelease(wish, now)),
    findTaker: (of, now) => follow(findTaker(of, now)),
    list: (query) => follow(listRollouts(query, history)),
    read: (rolloutId) => follow(read(rolloutId, history)),
    readSummary: (rolloutId) => follow(readSummary(rolloutId, history)),
    close: (rolloutId, outcome, now, known) =>
      follow(close(rolloutId, outcome, now, known, history)),
    listHolds: () => follow(listHolds()),
    addHold: (hold, now) => follow(addHold(hold, now)),
    liftHold: (hold, lifted) => follow(liftHold(hold, lifted)),
    markTold: (hold, kinds) => follow(markTold(hold, kinds)),
    understands: (rolloutId, word) => follow(understands(rolloutId, word)),
    listHeld: () => follow(listHeld()),
    bury: (rolloutId) => follow(bury(rolloutId)),
  };
}
