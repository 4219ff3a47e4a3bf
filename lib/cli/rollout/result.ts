import { ErrorName } from '../../domain/errors.ts';
import type { Outcome } from '../../domain/rollout/outcome.ts';
import { type AskedRollout, elapsedOf } from '../../domain/rollout/record.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { type Left, leftAfter } from '../../telling/story/next-steps.ts';
import { type AboutRollout, hintsAfter, hintsFor } from '../../telling/words/errors.ts';
import { describeOutcome } from '../../telling/words/outcome.ts';
import { type HowToPrint, isForPeople, printResult } from '../terminal/print-result.ts';
import { createScreen } from '../terminal/screen.ts';

export interface EndedRollout {
  readonly rolloutId: string;
  readonly runtimeId: string;
  /** `null`: the version was to be taken from another endpoint, and never became known. */
  readonly version: number | null;
  readonly outcome: Outcome;
  readonly elapsedMs: number;
  /** The rollout that kept this one from beginning. @default - there is none, or it is not known */
  readonly holder?: string | undefined;
  /** The rollout that kept this one out is of another service, so nobody here should end it. @default false */
  readonly isHolderElsewhere?: boolean;
  /** `null`: the ledger does not know the rollout. */
  readonly left: Left | null;
}

/**
 * Prints how a rollout ended to stdout, in the form that was asked for. The sentences for people go to stdout too, or
 * to stderr. If it did not succeed, the commands that help go to stderr.
 *
 * @param where Where the rollout ran. @default - on this machine, without a configuration
 */
export async function printOutcome(
  ended: EndedRollout,
  how: HowToPrint,
  where: Pick<AboutRollout, 'engine' | 'config'> = {},
): Promise<void> {
  const { outcome, elapsedMs, rolloutId, runtimeId, version, holder, left } = ended;
  const screen = await createScreen(isForPeople(how) ? process.stdout : process.stderr);
  for (const line of describeOutcome(outcome, elapsedMs, screen)) screen.line(line);
  if (!isForPeople(how)) printResult(toResult(ended), how);
  if (ended.isHolderElsewhere) return;
  const isKeptOut = outcome.reason === ErrorName.LeaseHeld;
  const about = { rolloutId: isKeptOut ? holder : rolloutId, runtimeId, version, ...where };
  const hints = left === null ? hintsFor(outcome.reason, about) : hintsAfter(outcome, left, about);
  for (const hint of hints) process.stderr.write(`${hint}\n`);
}

/** The rollout that kept another one from beginning, if that is why it ended and if it still does. */
export async function findHolder(
  { reason, message }: Pick<Outcome, 'reason' | 'message'>,
  ledger: Pick<Ledger, 'listHeld'>,
): Promise<string | undefined> {
  if (reason !== ErrorName.LeaseHeld) return undefined;
  // The hint is worth less than the result, so the result must not get lost with it.
  const held = await ledger.listHeld().catch(() => []);
  return held.find(({ rolloutId }) => message.includes(JSON.stringify(rolloutId)))?.rolloutId;
}

/** How a rollout ended, in the form for programs. */
export function toResult({ rolloutId, runtimeId, version, outcome, elapsedMs }: EndedRollout) {
  const seconds = Math.round(elapsedMs / 1000);
  const { tell: _, rollMs: __, failure = null, ...said } = outcome;
  return { rolloutId, runtimeId, version, ...said, failure, seconds };
}

/** How a rollout ended; `null` while it is under way. */
export function endOf(record: AskedRollout): EndedRollout | null {
  const { request, outcome, startedAt, endedAt } = record;
  if (outcome === null) return null;
  const { rolloutId, runtimeId, desiredVersion: version } = request;
  const elapsedMs = elapsedOf(record, endedAt ?? startedAt);
  return { rolloutId, runtimeId, version, outcome, elapsedMs, left: leftAfter(record) };
}
