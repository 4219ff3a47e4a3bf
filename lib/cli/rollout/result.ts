import type { Outcome } from '../../domain/rollout/outcome.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import { type HowToPrint, isForPeople, printResult } from '../terminal/print-result.ts';
import { createScreen } from '../terminal/screen.ts';
import { hintsFor } from '../words/errors.ts';
import { describeOutcome } from '../words/outcome.ts';

export interface EndedRollout {
  readonly rolloutId: string;
  readonly runtimeId: string;
  /** `null`: the version was to be taken from another endpoint, and never became known. */
  readonly version: number | null;
  readonly outcome: Outcome;
  readonly elapsedMs: number;
  /** The rollout that kept this one from beginning. @default - there is none, or it is not known */
  readonly holder?: string | undefined;
}

/**
 * Prints how a rollout ended to stdout, in the form that was asked for. The sentences for people go to stdout too, or
 * to stderr. After a refusal, the commands that help go to stderr.
 *
 * @param engine The arguments with which a command finds the engine. @default - none, because it is this machine's
 */
export function printOutcome(ended: EndedRollout, how: HowToPrint, engine = ''): void {
  const { outcome, elapsedMs, runtimeId, holder } = ended;
  const screen = createScreen(isForPeople(how) ? process.stdout : process.stderr);
  for (const line of describeOutcome(outcome, elapsedMs, screen)) screen.line(line);
  if (!isForPeople(how)) printResult(toResult(ended), how);
  const about = { rolloutId: holder, runtimeId, engine };
  for (const hint of hintsFor(outcome.reason, about)) process.stderr.write(`${hint}\n`);
}

/** How a rollout ended, in the form for programs. */
export function toResult({ rolloutId, runtimeId, version, outcome, elapsedMs }: EndedRollout) {
  const seconds = Math.round(elapsedMs / 1000);
  return { rolloutId, runtimeId, version, ...outcome, seconds };
}

/** How a rollout ended; `null` while it is under way. */
export function endOf({ request, outcome, startedAt, endedAt }: AskedRollout): EndedRollout | null {
  if (outcome === null) return null;
  const { rolloutId, runtimeId, desiredVersion: version } = request;
  const elapsedMs = (endedAt ?? startedAt) - startedAt;
  return { rolloutId, runtimeId, version, outcome, elapsedMs };
}
