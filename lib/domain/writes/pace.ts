import type { Ms } from '../clock.ts';
import { isNoAccess, meaningOf } from '../error-meanings.ts';
import type { Written } from './write-rules.ts';

/** How many writes begin together, and how many pauses there were since something was accepted. */
export interface Pace {
  readonly handful: number;
  readonly pauses: number;
}

/** How many writes of one call begin together and run at once. */
export const HANDFUL = 8;

/** A longer wait is left to the workflow, which waits without a running process. */
const LONGEST_PAUSE_MS = 20_000;
const FIRST_PAUSE_MS = 1_000;
/** After so many pauses in which nothing was accepted, the rest is left. */
const MOST_PAUSES = 3;

/** After a refusal that may pass, fewer are sent at once. */
export function paceAfter({ handful, pauses }: Pace, answers: readonly Written[]): Pace {
  if (answers.some(isDenied)) return { handful, pauses };
  if (!answers.some(mayPass)) return { handful: Math.min(HANDFUL, handful + 1), pauses };
  const isTaken = answers.some(({ result }) => result === 'accepted');
  return { handful: Math.max(1, Math.floor(handful / 2)), pauses: isTaken ? 1 : pauses + 1 };
}

/** How long to wait before the next look after these answers; `undefined`: nothing more is to be tried now. */
export function pauseAfter({ pauses }: Pace, answers: readonly Written[]): Ms | undefined {
  const refused = answers.filter(mayPass);
  if (refused.length === 0) return answers.every(letsOthersGo) ? 0 : undefined;
  const asked = Math.max(...refused.map(({ retryAfterSeconds = 0 }) => retryAfterSeconds * 1000));
  const pause = Math.max(asked, FIRST_PAUSE_MS * 2 ** (pauses - 1));
  return pauses <= MOST_PAUSES && pause <= LONGEST_PAUSE_MS ? pause : undefined;
}

/** The write was not carried out, and may be accepted soon. */
export function mayPass({ result, reason = '' }: Written): boolean {
  return result === 'rejected' && meaningOf(reason).roll === 'again';
}

export function letsOthersGo({ reason = '' }: Written): boolean {
  return meaningOf(reason).others === 'go';
}

export function isDenied({ reason = '' }: Written): boolean {
  return isNoAccess(reason);
}
