import type { Ledger } from '../ports/ledger.ts';

export interface Death {
  /** 1-based: the call of the ledger at which a step dies. */
  readonly point: number;
  /** What the state machine is told. A `Killed` process never comes back. */
  readonly error: string;
  /** Whether the ledger has carried that call out. */
  readonly when: 'before' | 'after';
}

/** Kills one step at one of its calls. The first call of a step's run is to open or to read. */
export function mortalLedger(ledger: Ledger, { point, error, when }: Death): Ledger {
  let calls = 0;
  let isDead = false;
  return watchedLedger(ledger, async (call, name) => {
    calls += 1;
    const isTheEnd = calls === point;
    if (error !== 'Killed' && (name === 'open' || name === 'read')) isDead = false;
    if (isDead || (isTheEnd && when === 'before')) {
      isDead = true;
      throw named(error);
    }
    const answer = await call();
    isDead ||= isTheEnd;
    if (isDead) throw named(error);
    return answer;
  });
}

export type Watch = <T>(call: () => Promise<T>, name: keyof Ledger) => Promise<T>;

/** The same ledger, with every call that a step makes in the hands of `watch`. */
export function watchedLedger(ledger: Ledger, watch: Watch): Ledger {
  return {
    ...ledger,
    enlist: (...args) => watch(() => ledger.enlist(...args), 'enlist'),
    saveWaiting: (...args) => watch(() => ledger.saveWaiting(...args), 'saveWaiting'),
    recordLatestRequest: (...args) =>
      watch(() => ledger.recordLatestRequest(...args), 'recordLatestRequest'),
    findLatestRequest: (...args) =>
      watch(() => ledger.findLatestRequest(...args), 'findLatestRequest'),
    open: (...args) => watch(() => ledger.open(...args), 'open'),
    renew: (...args) => watch(() => ledger.renew(...args), 'renew'),
    freezePlan: (...args) => watch(() => ledger.freezePlan(...args), 'freezePlan'),
    freezeRollback: (...args) => watch(() => ledger.freezeRollback(...args), 'freezeRollback'),
    append: (...args) => watch(() => ledger.append(...args), 'append'),
    saveProgress: (...args) => watch(() => ledger.saveProgress(...args), 'saveProgress'),
    recordEvent: (...args) => watch(() => ledger.recordEvent(...args), 'recordEvent'),
    markSent: (...args) => watch(() => ledger.markSent(...args), 'markSent'),
    withdraw: (...args) => watch(() => ledger.withdraw(...args), 'withdraw'),
    signal: (...args) => watch(() => ledger.signal(...args), 'signal'),
    hear: (...args) => watch(() => ledger.hear(...args), 'hear'),
    read: (...args) => watch(() => ledger.read(...args), 'read'),
    readSummary: (...args) => watch(() => ledger.readSummary(...args), 'readSummary'),
    close: (...args) => watch(() => ledger.close(...args), 'close'),
  };
}

/** What a step that dies throws. */
export function named(name: string): Error {
  return Object.assign(new Error('The process is gone.'), { name });
}
