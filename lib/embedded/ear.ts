import { moveOn } from '../domain/clock.ts';
import { isToldToEnd, judgeTold } from '../domain/decision/wake-early.ts';
import { SteprollError } from '../domain/errors.ts';
import type { Hold } from '../domain/holds/hold.ts';
import { holdIdsOn } from '../domain/holds/what-holds.ts';
import { clockOf, wasOpened } from '../domain/rollout/record.ts';
import type { AskedRequest } from '../domain/rollout/request.ts';
import { decideWithdrawn } from '../domain/signals/signals.ts';
import { datedRequest, goesBefore, type LatestRequest } from '../domain/turn/queue.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { StepContext } from '../steps/io/ports.ts';
import { signalsThatCount } from '../steps/io/record.ts';

/** The latest requests of runtimes, read once for all rollouts of this process that wait in line. */
export type Lines = (of: OfRuntime) => Promise<LatestRequest | null>;
type OfRuntime = Parameters<Ledger['findLatestRequest']>[0];

export function createLines({ ledger, clock }: Pick<StepContext, 'ledger' | 'clock'>): Lines {
  const known = new Map<string, { readonly at: number; readonly latest: ReturnType<Lines> }>();
  return ({ runtimeId, endpointUrl }) => {
    const key = JSON.stringify([runtimeId, endpointUrl]);
    const now = clock.now();
    const last = known.get(key);
    if (last !== undefined && now >= last.at && now < last.at + READ_MS) return last.latest;
    const latest = ledger.findLatestRequest({ runtimeId, endpointUrl });
    known.set(key, { at: now, latest });
    return latest;
  };
}

/** With the wait of up to a second before it asks, a rollout hears within 2 s that it is its turn. */
const READ_MS = 500;

/** So often one that waits in line asks whether somebody has aborted it. */
const HEAR_IN_LINE_MS = 30_000;

/** Whom a rollout waits for before it can begin. `nobody`: it takes turns with others, and wakes by itself. */
type Ahead = 'nobody' | { readonly holder: string } | { readonly behind: AskedRequest & OfRuntime };

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
  let ahead: Ahead | null = null;
  let known = 0;
  /** How many signals the step under way has read. */
  let weighed = 0;
  let request: AskedRequest | null = null;
  let knownHolds = '';
  let heardAt = 0;

  const holdsNow = (holds: readonly Hold[]) =>
    request === null ? '' : holdIdsOn(request, holds, clock.now()).join();

  async function isFollowed(count: number, waitedSeconds: number): Promise<boolean> {
    const stored = await ledger.read(rolloutId);
    const signals = await signalsThatCount(stored.signals, { ledger, clock });
    if (!wasOpened(stored)) {
      known = count;
      return decideWithdrawn(signals) !== null;
    }
    const now = clock.now();
    const { watched } = moveOn(clockOf(stored, now), now, waitedSeconds * 1000);
    const verdict = judgeTold({ ...stored, signals }, watched);
    if (verdict === 'ignored') known = count;
    return verdict === 'followed';
  }

  async function isItsTurn(who: Ahead): Promise<boolean> {
    if (who === 'nobody') return false;
    if ('holder' in who) return (await ledger.readSummary(who.holder))?.outcome != null;
    const latest = await lines(who.behind);
    if (latest === null || latest.wakesAt === null) return true;
    return !goesBefore(latest, datedRequest(who.behind), clock.now());
  }

  return {
    listening() {
      let latest: LatestRequest | null = null;
      let holder: string | undefined;
      const noteHolder = (error: unknown) => {
        if (error instanceof SteprollError) ({ holder } = error);
        throw error;
      };
      ahead = null;
      heardAt = clock.now();
      let isFirst = true;
      let hasHeard = false;
      // What a step hears first decides; what it hears later, the next look has to follow.
      const note = (holds: readonly Hold[]) => {
        if (!hasHeard) knownHolds = holdsNow(holds);
        hasHeard = true;
      };
      // Whatever else it has is found in the ledger itself, which a test may have as a proxy.
      return Object.assign(Object.create(ledger) as Ledger, {
        async read(id: string) {
          const record = await ledger.read(id);
          if (id === rolloutId && isFirst) {
            isFirst = false;
            known = record.signals.length;
            weighed = known;
            ({ request } = record);
          }
          return record;
        },
        async findLatestRequest(of: OfRuntime) {
          latest = await ledger.findLatestRequest(of);
          return latest;
        },
        mayOpen: (...args: Parameters<Ledger['mayOpen']>) =>
          ledger.mayOpen(...args).catch(noteHolder),
        open: (...args: Parameters<Ledger['open']>) => ledger.open(...args).catch(noteHolder),
        async saveWaiting(...[asked, waits]: Parameters<Ledger['saveWaiting']>) {
          await ledger.saveWaiting(asked, waits);
          const isInLine = waits.wait?.for === 'turn' || waits.wait?.for === 'start';
          if (!isInLine) return;
          const { endpointUrl } = asked;
          const isBehind = latest && goesBefore(latest, datedRequest(asked), clock.now());
          if (holder !== undefined) ahead = { holder };
          else if (isBehind && endpointUrl) ahead = { behind: { ...asked, endpointUrl } };
          else ahead = 'nobody';
        },
        async renew(...args: Parameters<Ledger['renew']>) {
          const holds = await ledger.renew(...args);
          if (!args[2]) note(holds);
          return holds;
        },
        async hear(of: Parameters<Ledger['hear']>[0]) {
          const heard = await ledger.hear(of);
          note(heard.holds);
          return heard;
        },
      });
    },
    async isTold(waitedSeconds) {
      if (request === null) return false;
      try {
        if (ahead !== null && (await isItsTurn(ahead))) return true;
        const now = clock.now();
        // Thousands may wait in line.
        if (ahead !== null && now < heardAt + HEAR_IN_LINE_MS) return false;
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
        const stored = await ledger.read(rolloutId);
        const counted = await signalsThatCount(stored.signals, { ledger, clock });
        if (!wasOpened(stored)) return decideWithdrawn(counted) !== null;
        const { watched } = clockOf(stored, clock.now());
        return isToldToEnd({ ...stored, signals: counted }, watched);
      } catch {
        return false;
      }
    },
  };
}
