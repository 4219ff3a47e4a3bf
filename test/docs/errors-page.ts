import { readFileSync } from 'node:fs';
import { exitCodeOfError, exitCodeOfOutcome } from '../../lib/cli/invocation/exit-code.ts';
import { LIFECYCLE_EVENTS } from '../../lib/contract/event.ts';
import { KEPT_WORDS } from '../../lib/domain/containment/decide-stop.ts';
import { meaningOf } from '../../lib/domain/error-meanings.ts';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import type { OutcomeKind } from '../../lib/domain/rollout/outcome.ts';
import { LEFT_OUT_WORDS } from '../../lib/domain/rollout/plan.ts';
import { ADVICE, ENDING_REASONS } from './error-advice.ts';
import { tableOf } from './markdown-table.ts';

/** Every error and every reason of a rollout, from A to Z. */
export function errorsTable(): string {
  const errors = Object.values(ErrorName).map((name) => {
    const { helps, only } = ADVICE[name];
    const code = `${exitCodeOfError(new SteprollError(name, ''))}`;
    const ending = only === undefined ? meaningOf(name).ending : null;
    return row(name, meaningIn(name), helps, ending, code);
  });
  const reasons = Object.entries(ENDING_REASONS).map(([name, { outcome, means, helps }]) =>
    row(name, means, helps, outcome, ''),
  );
  const rows = [...errors, ...reasons].toSorted(([one], [other]) => compare(one, other));
  return tableOf(
    ['name', 'what it means', 'what to do', 'rollout: outcome, exit code', 'command', 'event'],
    rows,
  );
}

/** Why an endpoint was left out of a plan, or why its stop was kept back. */
export function endpointReasonsTable(): string {
  const kept = Object.entries(KEPT_WORDS).map(([name, words]) => [name, `no stop: ${words}`]);
  const left = Object.entries(LEFT_OUT_WORDS).map(([name, words]) => [name, `no roll: ${words}`]);
  const names = [...new Set([...kept, ...left].map(([name = '']) => name))].toSorted(compare);
  return tableOf(
    ['reason of an endpoint', 'what it means'],
    names.map((name) => [
      `\`${name}\``,
      [...kept, ...left].flatMap(([one, words = '']) => (one === name ? [words] : [])).join('; '),
    ]),
  );
}

function row(
  name: string,
  means: string,
  helps: string,
  outcome: OutcomeKind | null,
  code: string,
): [string, ...string[]] {
  const ofRollout =
    outcome === null ? '' : `${outcome}, ${exitCodeOfOutcome({ outcome, reason: name })}`;
  return [`\`${name}\``, means, helps, ofRollout, code, eventsOf(outcome)];
}

function eventsOf(outcome: OutcomeKind | null): string {
  const { ended, failing } = LIFECYCLE_EVENTS;
  if (outcome === null) return '';
  return outcome === 'Failed' ? `${failing.detailType}, ${ended.detailType}` : ended.detailType;
}

/** The sentence beside the name in the code. */
function meaningIn(name: ErrorName): string {
  const [, sentence] = new RegExp(String.raw`/\*\* ([^\n]+) \*/\s+${name}: `).exec(SOURCE) ?? [];
  if (sentence === undefined) throw new Error(`lib/domain/errors.ts does not say what ${name} is.`);
  return sentence;
}

const SOURCE = readFileSync(new URL('../../lib/domain/errors.ts', import.meta.url), 'utf8');

function compare(one: string, other: string): number {
  return one.localeCompare(other, 'en');
}
