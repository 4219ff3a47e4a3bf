import { moveOn } from '../domain/clock.ts';
import { isToldToEnd, judgeTold } from '../domain/decision/wake-early.ts';
import type { Hold } from '../domain/holds/hold.ts';
import { holdIdsOn } from '../domain/holds/what-holds.ts';
import { type AskedRollout, clockOf, wasOpened } from '../domain/rollout/record.ts';
import type { AskedRequest } from '../domain/rollout/request.ts';
import { decideWithdrawn } from '../domain/signals/signals.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { StepContext } from '../steps/io/ports.ts';
import { signalsThatCount } from '../steps/io/record.ts';
import { createLines, createTurn, type Lines } from './turn.ts';

/** So often one that waits in line asks whether somebody has aborted it. */
const HEAR_IN_LINE_MS = 30_000;

/** Hears what a rollout is told while it waits. */
export interface Ear {
  /** The ledger for one step: the signals and holds that it reads are known from then on. */
  listening(): Ledger;
  /**
   * Whether a signal has come that no step has read, and that the next look follows, or a hold has come or gone, or, before it
   * has begun, whether nobody is ahead of it any more. It costs one small read.
   *
   * @param waitedSeconds How long the rollout has waited for that look.
   */
  isTold(waitedSeconds: number): Promise<boolean>;
  /**
   * Whether something was said that the step under way would end or contain the rollout for.
   *
   * @param isNews Whether only that counts which the step has not read.
   */
  isToldToEnd(isNews: boolean): Promise<boolean>;
}

export function createEar(
  rolloutId: string,
  { ledger, clock }: Pick<StepContext, 'ledger' | 'clock'>,
  lines: Lines = createLines({ ledger, clock }),
): Ear {
  const turn = createTurn({ ledger, clock }, lines);
  let known = 0;
  /** How many signals the step under way has read. */
  let weighed = 0;
  let request: AskedRequest | null = null;
  let knownHolds = '';
  let heardAt = 0;

  const holdsNow = (holds: readonly Hold[]) =>
    request === null ? '' : holdIdsOn(request, holds, clock.now()).join();

  /** The record with those of its signals that count. */
  async function readCounted(): Promise<AskedRollout> {
    const stored = await ledger.read(rolloutId);
    return { ...stored, signals: await signalsThatCount(stored.signals, { ledger, clock }) };
  }

  async function isFollowed(count: number, waitedSeconds: number): Promise<boolean> {
    const record = await readCounted();
    if (!wasOpened(record)) {
      known = count;
      return decideWithdrawn(record.signals) !== null;
    }
    const now = clock.now();
    const { watched } = moveOn(clockOf(record, now), now, waitedSeconds * 1000);
    const verdict = judgeTold(record, watched);
    if (verdict === 'ignored') known = count;
    return verdict === 'followed';
  }

  return {
    listening() {
      heardAt = clock.now();
      const hearing = firstHeard(ledger, rolloutId, {
        onRecord(record) {
          known = record.signals.length;
          weighed = known;
          ({ request } = record);
        },
        onHolds(holds) {
          knownHolds = holdsNow(holds);
        },
      });
      // Whatever else it has is found in the ledger itself, which a test may have as a proxy.
      return Object.assign(Object.create(ledger) as Ledger, turn.learning(), hearing);
    },
    async isTold(waitedSeconds) {
      if (request === null) return false;
      try {
        if (await turn.hasCome()) return true;
        const now = clock.now();
        // Thousands may wait in line.
        if (turn.isInLine() && now < heardAt + HEAR_IN_LINE_MS) return false;
        heardAt = now;
        const { signals, holds } = await ledger.hear({ rolloutId, runtimeId: request.runtimeId });
        const held = holdsNow(holds);
        // Once, because not every look asks for holds.
        if (held !== knownHolds) {
          knownHolds = held;
          return true;
        }
        return signals.length > known && (await isFollowed(signals.length, waitedSeconds));
      } catch {
        // The next look asks again, and says what is wrong with the ledger.
        return false;
      }
    },
    async isToldToEnd(isNews) {
      if (request === null) return false;
      try {
        const { signals } = await ledger.hear({ rolloutId, runtimeId: request.runtimeId });
        if (signals.length <= (isNews ? weighed : 0)) return false;
        const record = await readCounted();
        if (!wasOpened(record)) return decideWithdrawn(record.signals) !== null;
        const { watched } = clockOf(record, clock.now());
        return isToldToEnd(record, watched);
      } catch {
        return false;
      }
    },
  };
}

/** What a step reads and hears first decides; what it hears later, the next look has to follow. */
function firstHeard(
  ledger: Ledger,
  rolloutId: string,
  {
    onRecord,
    onHolds,
  }: { onRecord(record: AskedRollout): void; onHolds(holds: readonly Hold[]): void },
): Pick<Ledger, 'read' | 'renew' | 'hear'> {
  let hasRead = false;
  let hasHeard = false;
  const note = (holds: readonly Hold[]) => {
    if (!hasHeard) onHolds(holds);
    hasHeard = true;
  };
  return {
    async read(id) {
      const record = await ledger.read(id);
      if (id === rolloutId && !hasRead) onRecord(record);
      hasRead ||= id === rolloutId;
      return record;
    },
    async renew(...args) {
      const holds = await ledger.renew(...args);
      if (!args[2]) note(holds);
      return holds;
    },
    async hear(of) {
      const heard = await ledger.hear(of);
      note(heard.holds);
      return heard;
    },
  };
}
