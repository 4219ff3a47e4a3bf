import type { Position } from '../../contract/flow/position.ts';
import { type Instant, type Moment, moveOn, standStill } from '../../domain/clock.ts';
import { addLost } from '../../domain/ending/crash.ts';
import { legOf } from '../../domain/endpoint/leg.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { heldSince, linesOfHolds } from '../../domain/holds/held.ts';
import type { Hold } from '../../domain/holds/hold.ts';
import { asPinned, pinsUnderWay } from '../../domain/holds/pins.ts';
import { whatPausesOn, whatSendsBack } from '../../domain/holds/what-holds.ts';
import { failingOf } from '../../domain/rollout/event.ts';
import { isFresh, type Lease, leaseUntil, SHORT_WAIT_SECONDS } from '../../domain/rollout/lease.ts';
import type { RolloutPlan } from '../../domain/rollout/plan.ts';
import {
  activePlan,
  clockOf,
  type RolloutRecord,
  type Signal,
  type WaveProgress,
  wasOpened,
} from '../../domain/rollout/record.ts';
import { ABORT, findAbort } from '../../domain/signals/abort.ts';
import { hearPromotion } from '../../domain/signals/promote.ts';
import { countsUnderPause } from '../../domain/signals/signals.ts';
import { whatFreezesRolls } from '../../domain/turn/roll-window.ts';
import type { RecordPorts, StepPorts } from './ports.ts';
import { signalsThatCount } from './record.ts';
import { runFrom } from './running-clock.ts';

/** Where a step begins: a batch, or a position with what came before it. */
type Begun = Lease & Partial<Pick<Position, 'waitSeconds' | 'batches' | 'looks'>>;

export interface TakenUp {
  readonly lease: Lease;
  readonly record: RolloutRecord;
  readonly plan: RolloutPlan;
  /** When the step begins. */
  readonly clock: Moment;
  /** Moves the rollout's clock on. */
  now(): Moment;
}

/**
 * Takes up the rollout from the state in the ledger: reads the record, proves and extends the lease, and moves the
 * rollout's clock on. A wait before the step counts once: a look that has been stored since then came after it. The holds
 * are read together with the proof.
 *
 * @throws `LeaseLost`, `IncompatibleState` when the plan is missing.
 */
export async function takeUp(
  { ledger, clock }: Pick<StepPorts, 'ledger' | 'clock'>,
  begun: Begun,
): Promise<TakenUp> {
  const { runtimeId, rolloutId, epoch } = begun;
  const lease = { runtimeId, rolloutId, epoch };
  const known = await ledger.read(rolloutId);
  if (!wasOpened(known)) {
    throw new SteprollError(ErrorName.IncompatibleState, 'This rollout was never opened.');
  }
  const before = await signalsThatCount(known.signals, { ledger, clock });
  const isLost = known.epoch !== epoch || known.outcome !== null;
  if (isExtended(begun) && isLost) throw lost(rolloutId);
  const holds = isExtended(begun)
    ? (await ledger.hear(lease)).holds
    : await ledger.renew(lease, leaseUntil(clock.now()));
  const plan = activePlan(known);
  if (plan === null) {
    throw new SteprollError(ErrorName.IncompatibleState, 'The ledger has no plan of this rollout.');
  }
  const sentBack = await heedGoBack(lease, known, plan, holds, { ledger, clock });
  const counted = [...before, ...sentBack];
  const pauses = whatPausesOn(plan, known.request, holds, clock.now());
  const isPaused = pauses.length > 0;
  const frozenBy = whatFreezesRolls(plan, known.request, holds, clock.now());
  const signals = isPaused ? counted.filter(countsUnderPause) : counted;
  const progress = countLost(hearPromotion({ ...known, signals }), begun);
  // A way back is never held: what had held the rollout does so still, for whoever would go on.
  const news = legOf(plan).heedsHolds
    ? await newsOfHolds(known, [...pauses, ...frozenBy], { ledger, clock })
    : [];
  const record = {
    ...{ ...known, signals, progress },
    ...(isPaused && { isPaused }),
    ...(frozenBy.length > 0 && { frozenBy }),
    ...asPinned(pinsUnderWay(plan, known.request, holds, clock.now())),
    ...(news.length > 0 && { news }),
  };
  const moment = clockAt(record, begun, clock.now());
  return { lease, record, plan, clock: moment, now: runFrom(moment, clock) };
}

/** Who has lifted a hold is read once, when it holds no more. */
async function newsOfHolds(
  { lines }: Pick<RolloutRecord, 'lines'>,
  holding: readonly Hold[],
  { ledger, clock }: Pick<StepPorts, 'ledger' | 'clock'>,
) {
  const isOver = heldSince(lines) !== null && holding.length === 0;
  return linesOfHolds(lines, holding, isOver ? await ledger.listHolds() : [], clock.now());
}

/** Batches that were lost before a look count once, as the wait before it does. */
function countLost(progress: WaveProgress | null, { looks, batches = [] }: Begun) {
  if (progress === null || looks !== progress.looks) return progress;
  const lost = addLost(
    progress.lost,
    batches.flatMap((batch) => batch.lost ?? []),
  );
  return { ...progress, ...(lost && { lost }) };
}

function clockAt(
  record: RolloutRecord,
  { waitSeconds, looks, batches = [] }: Begun,
  now: Instant,
): Moment {
  const last = clockOf(record, now);
  // A batch goes on with the look that it follows.
  if (waitSeconds === undefined) return standStill(last, now);
  const isFirst = looks === record.progress?.looks;
  return moveOn(last, now, isFirst ? waitSeconds * 1000 : 0, isFirst && batches.length > 0);
}

/**
 * Whether the lease lasts as long as a renewal would make it: before a long wait it was extended beyond the end of the
 * wait. Batches before the wait have taken a part of that time.
 */
function isExtended({ waitSeconds = 0, batches = [] }: Begun): boolean {
  return waitSeconds > SHORT_WAIT_SECONDS && batches.length === 0;
}

/** Whoever takes a lease over first gives the rollout that had it an outcome. */
function lost(rolloutId: string): SteprollError {
  const message = `The rollout ${JSON.stringify(rolloutId)} has ended: another one has its lease, or nobody has.`;
  return new SteprollError(ErrorName.LeaseLost, message);
}

/**
 * Keeps a lease during writes that may take long, with pauses in which the process stood still. It must be called
 * just before each write. The service cannot refuse the write of a rollout that was taken over, so this check is the
 * only one.
 *
 * @param provenAt When the call began that proved the lease. Another rollout may have got it since then.
 * @throws `LeaseLost`
 */
export function keepLease(
  lease: Lease,
  provenAt: number,
  { ledger, clock }: Pick<RecordPorts, 'ledger' | 'clock'>,
): () => Promise<void> {
  let proof = provenAt;
  return async () => {
    for (let now = clock.now(); !isFresh(proof, now); now = clock.now()) {
      await ledger.renew(lease, leaseUntil(now));
      proof = now;
    }
  };
}

/**
 * Follows a quarantine that sends back what is under way: that is an abort with `roll-back`, from its owner. It is
 * accepted like one that is sent, so it is followed also if this step dies now or the hold is lifted. A rollout that fails
 * already, or that a person has aborted, stays with that.
 */
async function heedGoBack(
  { rolloutId }: Lease,
  { request, events, signals }: Pick<RolloutRecord, 'request' | 'events' | 'signals'>,
  plan: RolloutPlan,
  holds: readonly Hold[],
  { ledger, clock }: Pick<RecordPorts, 'ledger' | 'clock'>,
): Promise<readonly Signal[]> {
  const [hold] = legOf(plan).heedsHolds ? whatSendsBack(request, holds, clock.now()) : [];
  const isEnding = findAbort(signals) !== undefined || failingOf(events) !== undefined;
  if (hold === undefined || isEnding) return [];
  const { by, reason, at } = hold;
  const abort = { kind: ABORT.kind, at, wave: null, onFailure: 'roll-back', by, reason } as const;
  await ledger.signal(rolloutId, abort);
  return [abort];
}
