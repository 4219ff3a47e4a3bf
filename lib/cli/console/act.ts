import type { Act } from '../../contract/console/asked.ts';
import { policyAfter } from '../../domain/rollout/policy.ts';
import type { Engine } from '../engine/engine.ts';
import { refuseAbortOfGroup, sendAbort } from '../rollout/abort.ts';
import { waveToAnswer } from '../rollout/approval.ts';
import { sendSignal, tellSent } from '../rollout/signal.ts';

const NOBODY_FOLLOWS =
  ' Its process seems to be dead: nobody carries the abort out until somebody resumes the rollout.';

/**
 * Sends the signal that a person has asked for, as the command of the same name does it. Answers a sentence that says what
 * follows.
 *
 * @throws `RolloutNotFound`, `RolloutClosed`, `ApprovalNotWanted`, `NotUnderstood`, `InvalidInput`,
 *   `LedgerUnavailable`.
 */
export async function sendAct(
  rolloutId: string,
  act: Exclude<Act, { readonly act: 'retry' }>,
  engine: Engine,
): Promise<string> {
  const { ledger } = engine;
  const { reason } = act;
  switch (act.act) {
    case 'approve': {
      const wave = waveToAnswer(await ledger.read(rolloutId), act.wave);
      const signal = await sendSignal(rolloutId, { kind: 'approve', wave, reason }, ledger);
      return tellSent(rolloutId, signal, ledger);
    }
    case 'reject': {
      const record = await ledger.read(rolloutId);
      const wave = waveToAnswer(record, act.wave);
      const onFailure =
        act.onFailure ?? policyAfter('bad', record.request.policy?.onFailure ?? 'hold');
      const said = { kind: 'reject', wave, onFailure, reason } as const;
      return tellSent(rolloutId, await sendSignal(rolloutId, said, ledger), ledger);
    }
    case 'abort': {
      // The abort is sent even if nothing can be read now.
      const record = await ledger.read(rolloutId).catch(() => null);
      refuseAbortOfGroup(record, act.onAbort);
      const signal = await sendAbort(rolloutId, { onFailure: act.onAbort, reason }, engine);
      if (signal === null) return 'Ended. It had not begun: nothing was rolled.';
      const isDead = await engine.isAbandoned(rolloutId).catch(() => false);
      return `${await tellSent(rolloutId, signal, ledger)}${isDead ? NOBODY_FOLLOWS : ''}`;
    }
    default:
      return act satisfies never;
  }
}
