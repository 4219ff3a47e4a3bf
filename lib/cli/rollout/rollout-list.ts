import * as z from 'zod';
import { systemClock } from '../../adapters/system-clock.ts';
import { withEngine } from '../engine/with-engine.ts';
import { ExitCode } from '../exit-code.ts';
import type { Invocation } from '../invocation.ts';
import { ledgerShape } from '../options/global-options.ts';
import { idField } from '../options/id-field.ts';
import { isForPeople } from '../options/is-for-people.ts';
import { prepare } from '../settings/prepare.ts';
import { toListedRollout } from '../view/listed-rollout.ts';
import { printResult } from '../view/print-result.ts';
import { renderValue } from '../view/render-value.ts';
import { toRolloutRow } from '../view/rollout-row.ts';
import { widthOf } from '../view/screen.ts';

const MOST = 1_000;

const optionsSchema = z.strictObject({
  ...ledgerShape,
  'runtime-id': idField('use the id of a runtime').optional(),
  '--limit': z
    .string()
    .regex(/^\d{1,4}$/, `use a number from 1 to ${MOST}`)
    .transform(Number)
    .pipe(z.int().min(1).max(MOST))
    .default(20),
});

/** `steproll rollout list`: the newest rollouts, and how they ended. */
export async function rolloutList(invocation: Invocation): Promise<number> {
  const { options } = await prepare(optionsSchema, invocation);
  const { 'runtime-id': runtimeId, '--limit': limit } = options;
  return withEngine(options, async ({ ledger }) => {
    const rollouts = await ledger.list({ runtimeId, limit });
    if (!isForPeople(options)) {
      printResult(rollouts.map(toListedRollout), options);
      return ExitCode.Done;
    }
    const now = systemClock.now();
    const lines = renderValue(
      rollouts.map((rollout) => toRolloutRow(rollout, now)),
      widthOf(process.stdout),
    );
    process.stdout.write(lines.map((line) => `${line}\n`).join(''));
    if (rollouts.length === 0) process.stderr.write('No rollouts.\n');
    return ExitCode.Done;
  });
}
