import * as z from 'zod';
import { countOf } from '../../domain/sentences.ts';
import { plainText } from '../../telling/text.ts';
import { assertHistory, ledgerFile } from '../engine/open-engine.ts';
import { ExitCode } from '../invocation/exit-code.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { ledgerShape } from '../options/global-shape.ts';
import { prepare } from '../settings/prepare.ts';
import { printTold } from '../terminal/print-result.ts';

const optionsSchema = z.strictObject({
  ...ledgerShape,
  '--engine': z
    .literal('embedded', { error: 'use embedded: on AWS the table has backups of its own' })
    .default('embedded'),
  file: z.string({ error: 'use a file that is not there yet' }).min(1),
});

/** `steproll ledger copy`: all that the ledger of this machine has, in one file. Nobody has to stop for it. */
export async function ledgerCopy(invocation: Invocation): Promise<number> {
  const { options } = await prepare(optionsSchema, invocation);
  assertHistory(options);
  const { openSqliteLedger } = await import('../../adapters/ledger/sqlite/ledger.ts');
  const { copyTo, end } = openSqliteLedger(ledgerFile());
  try {
    const copied = copyTo(options.file);
    const { file, rollouts } = copied;
    const line = `Copied the ledger ${ledgerFile()} to ${file}, with ${countOf(rollouts, 'rollout')}.`;
    printTold(copied, [plainText(line)], options);
    return ExitCode.Done;
  } finally {
    end();
  }
}
