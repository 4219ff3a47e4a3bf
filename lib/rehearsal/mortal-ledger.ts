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

const CALLS_OF_STEPS = [
  ...([
    'enlist',
    'saveWaiting',
    'recordLatestRequest',
    'findLatestRequest',
    'mayOpen',
    'open',
  ] as const),
  ...(['renew', 'freezeRollback', 'append', 'saveProgress'] as const),
  ...(['recordEvent', 'markSent', 'withdraw', 'signal', 'hear'] as const),
  ...(['read', 'readSummary', 'close'] as const),
];

/** The same ledger, with every call that a step makes in the hands of `watch`. */
export function watchedLedger(ledger: Ledger, watch: Watch): Ledger {
  const watched = CALLS_OF_STEPS.map((name) => {
    const call = (...args: never[]) => {
      const carryOut: (...args: never[]) => Promise<unknown> = ledger[name];
      return watch(() => carryOut(...args), name);
    };
    return [name, call];
  });
  return { ...ledger, ...Object.fromEntries(watched) };
}

/** What a step that dies throws. */
export function named(name: string): Error {
  return Object.assign(new Error('The process is gone.'), { name });
}
