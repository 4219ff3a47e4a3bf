import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { watchCommand, withEngine } from '../engine/open-engine.ts';
import { ExitCode } from '../invocation/exit-code.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { idField, wholeNumber } from '../options/fields.ts';
import { ledgerShape } from '../options/global-options.ts';
import { prepare } from '../settings/prepare.ts';
import { isForPeople, printResult } from '../terminal/print-result.ts';
import { plainLines } from '../terminal/text.ts';

const optionsSchema = z.strictObject({
  ...ledgerShape,
  'runtime-id': idField('use the id of a runtime'),
  '--version': wholeNumber,
  '--release-id': z.string().min(1).max(256).optional(),
});

/** `steproll release publish`: announces that a version exists, for a listener or a stack to roll it. */
export async function releasePublish(invocation: Invocation): Promise<number> {
  const { options } = await prepare(optionsSchema, invocation);
  const { 'runtime-id': runtimeId, '--version': version } = options;
  const { '--release-id': releaseId = randomUUID() } = options;
  return withEngine(options, async (engine) => {
    const { rolloutId, result } = await engine.publish({ runtimeId, version, releaseId });
    if (!isForPeople(options)) {
      printResult({ rolloutId, releaseId, runtimeId, version, result }, options);
      return ExitCode.Done;
    }
    const lines = [
      `Published release ${releaseId}: ${runtimeId}, version ${version}. It starts this rollout, if nothing speaks against it:`,
      `  ${watchCommand(rolloutId, options)}`,
    ];
    process.stdout.write(`${plainLines(lines.join('\n'))}\n`);
    return ExitCode.Done;
  });
}
