import * as z from 'zod';
import { systemClock } from '../../adapters/machine/clock.ts';
import { commandOf } from '../../domain/command.ts';
import { describeScope, isOver } from '../../domain/holds/hold.ts';
import { shownUntil } from '../../domain/holds/news.ts';
import { dateTime } from '../../domain/local-time.ts';
import { plainText } from '../../telling/text.ts';
import { toShownHold } from '../../telling/view/shown-hold.ts';
import { widthOf } from '../../telling/width.ts';
import { engineArguments, hasHistory, withEngine } from '../engine/open-engine.ts';
import { ExitCode } from '../invocation/exit-code.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { ledgerShape } from '../options/global-shape.ts';
import { prepare } from '../settings/prepare.ts';
import { isForPeople, printResult, renderValue } from '../terminal/print-result.ts';

export async function holdList(invocation: Invocation): Promise<number> {
  const { options } = await prepare(z.strictObject(ledgerShape), invocation);
  const now = systemClock.now();
  const all = hasHistory(options)
    ? await withEngine(options, ({ ledger }) => ledger.listHolds())
    : [];
  const holds = all.filter((hold) => now < shownUntil(hold));
  const standing = holds.filter((hold) => !isOver(hold, now));
  if (!isForPeople(options)) {
    printResult((options['--output'] === 'id' ? standing : holds).map(toShownHold), options);
    return ExitCode.Done;
  }
  const rows = standing.map(({ id, kind, scope, until, by, reason }) => ({
    id,
    kind,
    scope: plainText(describeScope(scope)),
    until: until === null ? 'it is lifted' : dateTime(until),
    by: plainText(by),
    reason: plainText(reason),
  }));
  const lines = rows.length === 0 ? [] : renderValue(rows, widthOf(process.stdout));
  process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  const note =
    rows.length === 0
      ? 'Nothing is held by a command. Freezes of the configuration are not shown here.'
      : `To lift one: ${commandOf(['hold', 'lift', 'ID', '--reason', 'WHY'], engineArguments(options))}`;
  process.stderr.write(`${note}\n`);
  return ExitCode.Done;
}
