import { commandOf } from '../domain/command.ts';
import { ErrorName, errorMessageOf, errorNameOf } from '../domain/errors.ts';
import { describeWait } from '../domain/rollout/opening.ts';
import { nameOfOutcome, type Outcome } from '../domain/rollout/outcome.ts';
import type { AskedRequest } from '../domain/rollout/request.ts';
import { isOpeningState } from '../domain/rollout/wait.ts';
import type { Ledger } from '../ports/ledger.ts';
import { findRecord } from '../steps/io/record.ts';

/** What a process that runs many rollouts logs of one of them. */
interface RolloutLog {
  line(text: string): void;
  state(name: string): void;
  failure(error: unknown): void;
  /** Does the work, and tells how it ends. A rollout that ends badly does not end the others. */
  follow(work: () => Promise<Outcome | null>): Promise<void>;
}

export function createRolloutLog(
  { rolloutId, runtimeId }: Pick<AskedRequest, 'rolloutId' | 'runtimeId'>,
  ledger: Ledger,
  log: (line: string) => void,
): RolloutLog {
  const line = (text: string) => log(`Rollout ${rolloutId} of ${runtimeId}: ${text}`);
  let told = '';
  let trouble = '';
  const tellWait = async () => {
    // The log is worth less than the rollout, which reads the ledger by itself.
    const record = await findRecord(rolloutId, ledger).catch(() => null);
    const wait = record?.wait ?? null;
    if (wait === null || wait.of === null || wait.of === told) return;
    told = wait.of;
    line(`waits. ${describeWait(wait)}`);
  };
  return {
    line,
    state(name) {
      if (isOpeningState(name)) void tellWait();
    },
    failure(error) {
      const why = errorMessageOf(error);
      if (errorNameOf(error) !== ErrorName.LedgerUnavailable || why === trouble) return;
      trouble = why;
      line(`waits, trying again. ${why}`);
    },
    async follow(work) {
      try {
        line(await describeEnd(rolloutId, await work(), ledger));
      } catch (error) {
        line(`cannot go on here. ${errorNameOf(error)}: ${errorMessageOf(error)}`);
      }
    },
  };
}

/** Describes a rollout with which this process is done. @param outcome `null`: the rollout was left open. */
async function describeEnd(
  rolloutId: string,
  outcome: Outcome | null,
  ledger: Ledger,
): Promise<string> {
  const known = await findRecord(rolloutId, ledger);
  const end = outcome ?? known?.outcome ?? null;
  if (end === null) {
    return `left open. The next listener goes on with it, or: ${commandOf(['rollout', 'resume', rolloutId])}`;
  }
  const goesOnElsewhere = known !== null && known.outcome === null;
  return goesOnElsewhere ? end.message : `${nameOfOutcome(end)}: ${end.message}`;
}
