import type { Act } from '../../contract/console/asked.ts';
import { containmentOf } from '../../domain/containment/failure-policies.ts';
import type { Engine } from '../engine/engine.ts';
import { refuseAbortOfGroup, sendAbort } from '../rollout/abort.ts';
import { waveToAnswer } from '../rollout/approval.ts';
import { sendSignal } from '../rollout/signal.ts';

const NOBODY_FOLLOWS =
  ' Its process seems to be dead: nobody carries the abort out until somebody resumes the rollout.';

/**
 * Sends the signal that a person has asked for, as the command of the same name does it. Answers a sentence that says what
 * follows.
 *
 * @throws `RolloutNotFound`, `RolloutClosed`, `ApprovalNotWanted`, `InvalidInput`, `LedgerUnavailable`.
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
      await sendSignal(rolloutId, { kind: 'approve', wave, reason }, ledger);
      return `Approved wave ${wave + 1}. The next one follows.`;
    }
    case 'reject': {
      const record = await ledger.read(rolloutId);
      const wave = waveToAnswer(record, act.wave);
      const onFailure = act.onFailure ?? record.request.policy?.onFailure ?? 'hold';
      await sendSignal(rolloutId, { kind: 'reject', wave, onFailure, reason }, ledger);
      const { consequence } = containmentOf(onFailure, record.plan);
      return `Rejected wave ${wave + 1}. The rollout fails, and ${consequence}.`;
    }
    case 'abort': {
      // The abort is sent even if nothing can be read now.
      const record = await ledger.read(rolloutId).catch(() => null);
      refuseAbortOfGroup(record, act.onAbort);
      const { halt, consequence } = containmentOf(act.onAbort, record?.plan ?? null);
      const signal = await sendAbort(rolloutId, { onFailure: act.onAbort, reason }, engine);
      if (signal === null) return 'Ended. It had not begun: nothing was rolled.';
      const isDead = await engine.isAbandoned(rolloutId).catch(() => false);
      return `Asked to abort. ${halt}, and ${consequence}.${isDead ? NOBODY_FOLLOWS : ''}`;
    }
    default:
      return act satisfies never;
  }
}
