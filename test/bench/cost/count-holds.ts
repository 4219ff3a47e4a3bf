import type { Hold } from '../../../lib/domain/holds/hold.ts';
import type { Outcome } from '../../../lib/domain/rollout/outcome.ts';
import { tellHolds } from '../../../lib/steps/io/tell-holds.ts';
import { recordOf } from '../../domain/examples.ts';
import { openCountedLedger } from './open-counted-ledger.ts';

const NOW = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;
const GOOD: Outcome = {
  ...{ outcome: 'Succeeded', cleanup: 'none' },
  ...{ reason: 'Converged', message: '100 endpoints rolled to version 3.' },
};
const BAD: Outcome = {
  ...{ outcome: 'Failed', failure: 'bad', cleanup: 'rolledBack', reason: 'GateFailed' },
  message: 'Wave 1 of 3: a gate says no: alarm errors.',
};

export interface Units {
  readonly what: string;
  readonly read: number;
  readonly write: number;
}

/** The units of the ledger for what holds add to rollouts and to the sweep. */
export async function countHolds(): Promise<readonly Units[]> {
  const counts = { read: 0, write: 0 };
  const { ledger, end } = await openCountedLedger(() => counts);
  const units: Units[] = [];
  const count = async (what: string, work: () => Promise<unknown>) => {
    const { read, write } = counts;
    await work();
    units.push({ what, read: counts.read - read, write: counts.write - write });
  };
  let number = 0;
  const begin = async () => {
    number += 1;
    const of = { rolloutId: `rollout-${number}`, runtimeId: `runtime-${number}` };
    await ledger.open({ ...recordOf().request, ...of }, NOW, NOW + HOUR);
    return of;
  };
  const sweep = () => {
    const events = { publish: async () => undefined };
    return tellHolds({ ledger, events, clock: { now: () => NOW } });
  };
  const add = async (runtimeId: string, id: string) => {
    const hold: Hold = {
      ...{ id, kind: 'pause', scope: { runtimeId }, by: 'ann', reason: 'errors in checkout' },
      ...{ at: NOW, until: NOW + HOUR },
    };
    await ledger.addHold(hold, NOW);
  };
  try {
    await count('a sweep without holds', sweep);
    const good = await begin();
    await count('a close', () => ledger.close(good.rolloutId, GOOD, NOW));
    const bad = await begin();
    await count('a close of a version that failed as bad', () =>
      ledger.close(bad.rolloutId, BAD, NOW),
    );
    const held = await begin();
    await count('a hearing without holds', () => ledger.hear(held));
    await add(held.runtimeId, 'first');
    await count('a hearing with a hold', () => ledger.hear(held));
    await count('a sweep with two holds to tell', sweep);
    await count('a sweep with two holds that are told', sweep);
    for (let each = 2; each <= 50; each += 1) await add(held.runtimeId, `hold-${each}`);
    await count('a hearing with 50 holds', () => ledger.hear(held));
    return units;
  } finally {
    end();
  }
}
