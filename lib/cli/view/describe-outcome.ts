import type { Outcome, OutcomeKind } from '../../domain/outcome.ts';
import { describeDuration } from './describe-duration.ts';
import { plainText } from './plain-text.ts';
import type { Screen } from './screen.ts';

const LOOK: Readonly<Record<OutcomeKind, { sign: string; format: 'green' | 'red' | 'yellow' }>> = {
  Succeeded: { sign: '✔', format: 'green' },
  Failed: { sign: '✘', format: 'red' },
  Errored: { sign: '✘', format: 'red' },
  Superseded: { sign: '⚠', format: 'yellow' },
  Aborted: { sign: '⚠', format: 'yellow' },
};

/** How a rollout ended, in two lines. */
export function describeOutcome(outcome: Outcome, elapsedMs: number, screen: Screen): string[] {
  const { sign, format } = LOOK[outcome.outcome];
  const title = `${sign} ${outcome.outcome} (${outcome.reason}) in ${describeDuration(elapsedMs)}, cleanup: ${outcome.cleanup}`;
  return [screen.style(format, title), `  ${plainText(outcome.message)}`];
}
