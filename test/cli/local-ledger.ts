import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openSqliteLedger } from '../../lib/adapters/ledger/sqlite/ledger.ts';
import type { Outcome } from '../../lib/domain/rollout/outcome.ts';
import type { RolloutPlan } from '../../lib/domain/rollout/plan.ts';
import type { RolloutRequest } from '../../lib/domain/rollout/request.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import { recordOf } from '../domain/examples.ts';
import { beginWith } from '../support/begin-with.ts';
import { storeField } from '../support/store-field.ts';
import { runHere } from './run-here.ts';

export interface LocalLedger {
  /** The state directory. */
  readonly folder: string;
  readonly ledger: Ledger;
  /** Runs a command on this ledger, without profiles, and with a configuration that says nothing. */
  run(...args: string[]): ReturnType<typeof runHere>;
  /** The same, at a terminal where somebody types this. */
  type(typed: string, ...args: string[]): ReturnType<typeof runHere>;
  /** Opens a rollout of the examples, and closes it if an outcome is given. */
  begin(
    said: Partial<RolloutRequest>,
    outcome?: Outcome['outcome'],
    plan?: RolloutPlan,
  ): Promise<void>;
  /** A steproll that understands only these words of signals goes on with the rollout. */
  understandOnly(rolloutId: string, words: readonly string[]): void;
  remove(): void;
}

/** The ledger of a machine in a folder of its own. */
export function createLocalLedger(): LocalLedger {
  const folder = mkdtempSync(join(tmpdir(), 'steproll-ledger-'));
  const config = join(folder, 'config.json');
  writeFileSync(config, '{}');
  const { ledger, end } = openSqliteLedger(join(folder, 'ledger.sqlite'));
  const variables = {
    STEPROLL_STATE_DIR: folder,
    STEPROLL_CONFIG: config,
    STEPROLL_PROFILES_FILE: join(folder, 'profiles'),
  };
  return {
    folder,
    ledger,
    run: (...args) => runHere(args, variables),
    type: (typed, ...args) => runHere(args, variables, typed),
    async begin(said, outcome, plan) {
      const request = { ...recordOf().request, ...said };
      const now = Date.now();
      await ledger.open(request, now, now + 60_000, plan && beginWith(plan));
      if (outcome === undefined) return;
      const ending = { outcome, cleanup: 'none', reason: 'Because', message: 'So.' } as const;
      await ledger.close(request.rolloutId, ending, now + 90_400);
    },
    understandOnly(rolloutId, words) {
      const database = new DatabaseSync(join(folder, 'ledger.sqlite'));
      storeField(database, rolloutId, 'understands', words);
      database.close();
    },
    remove() {
      end();
      rmSync(folder, { recursive: true });
    },
  };
}
