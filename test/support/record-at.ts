import {
  type AskedRollout,
  type RolloutRecord,
  wasOpened,
} from '../../lib/domain/rollout/record.ts';
import { runScenario, type Script } from './run-scenario.ts';
import { scenarioNow } from './scenario-time.ts';

export interface RecordAt {
  readonly record: RolloutRecord;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** What the ledger has of a scenario's rollout so many seconds after its start, and at its end. */
export async function recordsAt(seconds: readonly number[], script: Script = {}) {
  const records: RecordAt[] = [];
  const { record: end } = await runScenario({
    ...script,
    async beside(stage) {
      const own = script.beside?.(stage);
      for (const second of seconds) {
        await stage.until(second);
        records.push({
          record: openedOf(await stage.ledger.read('rollout-1')),
          now: scenarioNow(),
        });
      }
      await own;
    },
  });
  return { records, end: openedOf(end) };
}

export function openedOf(record: AskedRollout | null): RolloutRecord {
  if (record !== null && wasOpened(record)) return record;
  throw new Error('It was never opened.');
}

export async function recordAt(seconds: number, script: Script = {}): Promise<RecordAt> {
  const { records } = await recordsAt([seconds], script);
  return records[0] as RecordAt;
}

/** What it has of one that has ended. */
export async function recordOfEnd(script: Script = {}): Promise<RolloutRecord> {
  return (await recordsAt([], script)).end;
}
