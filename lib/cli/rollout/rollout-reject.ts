import * as z from 'zod';
import { FAILURE_POLICIES } from '../../domain/policy.ts';
import { withEngine } from '../engine/with-engine.ts';
import { ExitCode } from '../exit-code.ts';
import type { Invocation } from '../invocation.ts';
import { signalShape } from '../options/signal-options.ts';
import { wholeNumber } from '../options/whole-number.ts';
import { prepare } from '../settings/prepare.ts';
import { waveToAnswer } from './answer-approval.ts';
import { reportSignal, say } from './say.ts';

const optionsSchema = z.strictObject({
  ...signalShape,
  '--wave': wholeNumber.optional(),
  '--on-failure': z.enum(FAILURE_POLICIES).optional(),
});

/** `steproll rollout reject`: fails a rollout at the wave that waits. */
export async function rolloutReject(invocation: Invocation): Promise<number> {
  const { options } = await prepare(optionsSchema, invocation);
  const { 'rollout-id': rolloutId, '--wave': said, '--reason': reason } = options;
  return withEngine(options, async ({ ledger }) => {
    const record = await ledger.read(rolloutId);
    const wave = waveToAnswer(record, said);
    const { '--on-failure': onFailure = record.request.policy?.onFailure ?? 'hold' } = options;
    const signal = await say(rolloutId, { kind: 'reject', wave, onFailure, reason }, ledger);
    const sentence = `Rejected wave ${wave + 1}. The rollout fails; what it does then: ${onFailure}.`;
    reportSignal(rolloutId, signal, sentence, options);
    return ExitCode.Done;
  });
}
