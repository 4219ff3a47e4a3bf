import { commandOf } from '../../domain/command.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { refuseUndoing, versionsBefore } from '../../domain/planning/plan-revert.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import { readChildren } from '../../steps/group/children.ts';
import { describeStopped } from '../../telling/words/retry.ts';
import { type EngineOptions, engineArguments } from '../engine/open-engine.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { type Again, prepareAgain, startAgain } from './again.ts';
import { findNewer, nameNewer } from './newer.ts';
import { askedByHand } from './start.ts';

/** `steproll rollout revert`: a rollout that takes back to their versions what one that has ended has rolled. */
export async function rolloutRevert(invocation: Invocation): Promise<number> {
  const ready = await prepareAgain(revert, askedByHand(invocation));
  return startAgain(ready, ready.note);
}

/** The same service is asked, and newer rollouts are named. */
export const revert: Again = async (record, options, ledger) => {
  refuseRevert(record, options);
  const { runtimeId, endpointUrl, rolloutId } = record.request;
  const stopped = describeStopped(record, await readChildren(record, ledger));
  const notes = [stopped, nameNewer(await findNewer(record, ledger))].filter((one) => one !== null);
  return {
    input: {
      ...{ schemaVersion: 1, runtimeId, revert: rolloutId },
      ...(endpointUrl !== undefined && { endpointUrl }),
    },
    note: notes.length === 0 ? null : notes.join(' '),
  };
};

function refuseRevert(record: AskedRollout, engine: EngineOptions): void {
  const { rolloutId } = record.request;
  const name = `Rollout ${JSON.stringify(rolloutId)}`;
  if (record.outcome === null) {
    const words = ['rollout', 'abort', rolloutId, '--on-abort', 'roll-back'];
    throw new SteprollError(
      ErrorName.NothingToRevert,
      `${name} is under way: "${commandOf(words, engineArguments(engine))}" ends it and takes back what it has rolled.`,
    );
  }
  refuseUndoing(record);
  if (versionsBefore(record).length === 0) {
    throw new SteprollError(
      ErrorName.NothingToRevert,
      `${name} has rolled nothing whose version before is known, so there is nothing to go back to.`,
    );
  }
}
