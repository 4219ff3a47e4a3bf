import type { Outcome, OutcomeKind } from '../../domain/outcome.ts';
import { describeDuration } from './describe-duration.ts';
import { plainText } from './plain-text.ts';
import type { Screen } from './screen.ts';
import { wrapText } from './wrap-text.ts';

const LOOK: Readonly<Record<OutcomeKind, { sign: string; format: 'green' | 'red' | 'yellow' }>> = {
  Succeeded: { sign: '✔', format: 'green' },
  Failed: { sign: '✘', format: 'red' },
  Errored: { sign: '✘', format: 'red' },
  Superseded: { sign: '⚠', format: 'yellow' },
  Aborted: { sign: '⚠', format: 'yellow' },
};

/** How a rollout ended: what, how long it took, and why. */
export function describeOutcome(outcome: Outcome, elapsedMs: number, screen: Screen): string[] {
  const { sign, format } = LOOK[outcome.outcome];
  // An abort is its own reason.
  const reason = outcome.reason === outcome.outcome ? '' : ` (${plainText(outcome.reason)})`;
  const title = `${sign} ${outcome.outcome}${reason} in ${describeDuration(elapsedMs)}, cleanup: ${outcome.cleanup}`;
  // Only a terminal would break them in the middle of a word.
  const width = screen.isLive ? screen.columns : Number.POSITIVE_INFINITY;
  return [
    ...wrapText(title, width, '  ').map((line) => screen.style(format, line)),
    ...wrapText(`  ${plainText(outcome.message)}`, width, '  '),
  ];
}
