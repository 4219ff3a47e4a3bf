import * as z from 'zod';
import { systemClock } from '../adapters/machine/clock.ts';
import type { Instant } from '../domain/clock.ts';
import { dayOf } from '../domain/local-time.ts';
import { storyOf } from '../telling/story/story.ts';
import { widthOf, wrapCommand } from '../telling/width.ts';
import { describeReport, type Report, reportOf, tellReport } from '../telling/words/report.ts';
import type { Engine } from './engine/engine.ts';
import { engineArguments, hasHistory, withHistory } from './engine/open-engine.ts';
import { ExitCode } from './invocation/exit-code.ts';
import type { Invocation } from './invocation/invocation.ts';
import { refuse, timeOf } from './options/fields.ts';
import { ledgerShape } from './options/global-shape.ts';
import { durationSchema } from './options/policy-shape.ts';
import { readOpen } from './rollout/read-open.ts';
import { prepare } from './settings/prepare.ts';
import { isForPeople, printResult } from './terminal/print-result.ts';

export const SINCE =
  'use for how long, such as 8h, a time of day, such as 22:00Z, or a time, such as 2026-12-24T22:00Z';

const DAY_MS = 24 * 3_600_000;

/** The time that somebody means by a duration that ends now, a time of day that was last, or a time. `null`: none in the past. */
export function sinceOf(text: string, now: Instant): Instant | null {
  const { data: seconds } = durationSchema.safeParse(text);
  if (seconds !== undefined) return timeOrNull(now - seconds * 1_000);
  const at = timeOf(text);
  if (at !== null) return at <= now ? at : null;
  const today = timeOf(`${dayOf(now + DAY_MS)}T${text}`);
  if (today === null) return null;
  // A zone may be on another day than UTC.
  const last = [0, 1, 2, 3].map((days) => today - days * DAY_MS).find((at) => at <= now);
  return last ?? null;
}

/** So long ago that no calendar has it, nobody means. */
function timeOrNull(at: Instant): Instant | null {
  return Number.isNaN(new Date(at).getTime()) ? null : at;
}

const sinceSchema = z.string({ error: SINCE }).transform((text, context): Instant => {
  const since = sinceOf(text, systemClock.now());
  return since === null ? refuse(context, text, `${SINCE}; it must be over`) : since;
});

const optionsSchema = z.strictObject({ ...ledgerShape, '--since': sinceSchema });

/** So many of the newest rollouts are looked through. */
const LOOKED_THROUGH = 1_000;

/** `steproll report`: what happened since a time, and what is under way. Only reads. */
export async function showReport(invocation: Invocation): Promise<number> {
  const { options } = await prepare(optionsSchema, invocation);
  const now = systemClock.now();
  const where = engineArguments(options);
  const since = options['--since'];
  const report = hasHistory(options)
    ? await withHistory(options, (engine) => readReport(engine, { since, now }, where))
    : reportOf({ since, now, newest: [], isCut: false, open: [], holds: [] }, where);
  if (!isForPeople(options)) printResult(report, options);
  else {
    const width = widthOf(process.stdout);
    const lines = describeReport(tellReport(report)).flatMap((line) => wrapCommand(line, width));
    process.stdout.write(lines.map((line) => `${line}\n`).join(''));
  }
  return ExitCode.Done;
}

/** @param where The arguments with which a command finds the engine. */
export async function readReport(
  engine: Pick<Engine, 'ledger' | 'isAbandoned'>,
  { since, now }: { readonly since: Instant; readonly now: Instant },
  where: string,
): Promise<Report> {
  const [newest, open, holds] = await Promise.all([
    engine.ledger.list({ limit: LOOKED_THROUGH }),
    readOpen(engine),
    engine.ledger.listHolds(),
  ]);
  return reportOf(
    {
      ...{ since, now, newest, isCut: newest.length === LOOKED_THROUGH, holds },
      open: open.map(({ record, isAbandoned }) => storyOf(record, now, isAbandoned)),
    },
    where,
  );
}
