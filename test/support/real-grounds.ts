import { openSqliteLedger } from '../../lib/adapters/ledger/sqlite/ledger.ts';
import { FAKE_TIME } from './fake-timers.ts';
import type { Grounds } from './grounds.ts';
import { runInLocalStepFunctions } from './local-step-functions.ts';

/** What a rollout in one process runs on, but for the time: it takes ten times as long as on those of a rehearsal. */
export function realGrounds(): Grounds {
  const { ledger, end } = openSqliteLedger(':memory:');
  return { time: FAKE_TIME, ledger, engine: runInLocalStepFunctions, end };
}
