import * as z from 'zod';
import { withEngine } from '../engine/with-engine.ts';
import { ExitCode } from '../exit-code.ts';
import type { Invocation } from '../invocation.ts';
import { signalShape } from '../options/signal-options.ts';
import { wholeNumber } from '../options/whole-number.ts';
import { prepare } from '../settings/prepare.ts';
import { waveToAnswer } from './answer-approval.ts';
import { reportSignal, say } from './say.ts';

const optionsSchema = z.strictObject({ ...signalShape, '--wave': wholeNumber.optional() });

/** `steproll rollout approve`: lets the wave after the one that waits begin. */
export async function rolloutApprove(invocation: Invocation): Promise<number> {
  const { options } = await prepare(optionsSchema, invocation);
  const { 'rollout-id': rolloutId, '--wave': said, '--reason': reason } = options;
  return withEngine(options, async ({ ledger }) => {
    const wave = waveToAnswer(await ledger.read(rolloutId), said);
    const signal = await say(rolloutId, { kind: 'approve', wave, reason }, ledger);
    reportSignal(rolloutId, signal, `Approved wave ${wave + 1}. The next one follows.`, options);
    return ExitCode.Done;
  });
}
