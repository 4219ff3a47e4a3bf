import { SteprollError } from '../domain/errors.ts';
import type { AskedRequest } from '../domain/rollout/request.ts';
import { datedRequest, goesBefore, type LatestRequest } from '../domain/turn/queue.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { StepContext } from '../steps/io/ports.ts';

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

/** Whom a rollout waits for before it can begin. `nobody`: it takes turns with others, and wakes by itself. */
type Ahead = 'nobody' | { readonly holder: string } | { readonly behind: AskedRequest & OfRuntime };

/** Whether it is the turn of a rollout that waits in line. */
interface Turn {
  /** These calls of the ledger for one step: from them it learns whom the rollout waits for. */
  learning(): Pick<Ledger, 'findLatestRequest' | 'mayOpen' | 'open' | 'saveWaiting'>;
  /** Whether the last step has put the rollout in line. */
  isInLine(): boolean;
  /** Whether nobody is ahead of it any more. It costs one small read. */
  hasCome(): Promise<boolean>;
}

export function createTurn(
  { ledger, clock }: Pick<StepContext, 'ledger' | 'clock'>,
  lines: Lines,
): Turn {
  let ahead: Ahead | null = null;
  return {
    learning() {
      let latest: LatestRequest | null = null;
      let holder: string | undefined;
      const noteHolder = (error: unknown) => {
        if (error instanceof SteprollError) ({ holder } = error);
        throw error;
      };
      ahead = null;
      return {
        async findLatestRequest(of) {
          latest = await ledger.findLatestRequest(of);
          return latest;
        },
        mayOpen: (...args) => ledger.mayOpen(...args).catch(noteHolder),
        open: (...args) => ledger.open(...args).catch(noteHolder),
        async saveWaiting(asked, waits) {
          await ledger.saveWaiting(asked, waits);
          if (waits.wait?.for !== 'turn' && waits.wait?.for !== 'start') return;
          const { endpointUrl } = asked;
          const isBehind = latest && goesBefore(latest, datedRequest(asked), clock.now());
          if (holder !== undefined) ahead = { holder };
          else if (isBehind && endpointUrl) ahead = { behind: { ...asked, endpointUrl } };
          else ahead = 'nobody';
        },
      };
    },
    isInLine: () => ahead !== null,
    async hasCome() {
      if (ahead === null || ahead === 'nobody') return false;
      if ('holder' in ahead) return (await ledger.readSummary(ahead.holder))?.outcome != null;
      const { behind } = ahead;
      const latest = await lines(behind);
      if (latest === null || latest.wakesAt === null) return true;
      return !goesBefore(latest, datedRequest(behind), clock.now());
    },
  };
}
