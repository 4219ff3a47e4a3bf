import { groupNameOf } from '../../domain/rollout/group.ts';
import { OUTCOME_KINDS } from '../../domain/rollout/outcome.ts';
import type { PastRollouts } from '../desk.ts';

/** The filters of the history, as they stand in its address, by what people call them. */
const FILTERS = {
  runtime: 'runtime',
  group: 'group',
  version: 'version',
  by: 'who',
  from: 'from',
  to: 'to',
  id: 'id',
  outcome: 'outcome',
} as const;

type Name = (typeof FILTERS)[keyof typeof FILTERS];

export interface Chip {
  readonly name: Name;
  readonly value: string;
}

type Known = Pick<PastRollouts, 'runtimes'>;

/** What somebody means who looks for `shop`, `version:5`, `v5`, `failed`, `2026-01-31`, `by:ann` or the beginning of an id. */
export function chipOf(text: string, { runtimes }: Known): Chip {
  const [, word = '', rest = ''] = /^([a-z]+):(.+)$/i.exec(text) ?? [];
  const name = FILTERS[word.toLowerCase() as keyof typeof FILTERS];
  if (name !== undefined) return { name, value: name === 'outcome' ? outcomeOf(rest) : rest };
  if (runtimes.includes(text)) return { name: 'runtime', value: text };
  if (/^v?\d{1,6}$/i.test(text)) return { name: 'version', value: text.replace(/^v/i, '') };
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return { name: 'from', value: text };
  const outcome = outcomeOf(text);
  return outcome === text && !isOutcome(text)
    ? { name: 'id', value: text }
    : { name: 'outcome', value: outcome };
}

function isOutcome(text: string): boolean {
  return OUTCOME_KINDS.some((kind) => kind === text);
}

function outcomeOf(text: string): string {
  return OUTCOME_KINDS.find((kind) => kind.toLowerCase() === text.toLowerCase()) ?? text;
}

/** The filters of an address. Each outcome is one of its own. */
export function chipsOf(search: string): readonly Chip[] {
  const asked = new URLSearchParams(search);
  return Object.values(FILTERS).flatMap((name) =>
    (asked.get(name) ?? '')
      .split(name === 'outcome' ? ',' : '\n')
      .filter((value) => value !== '')
      .map((value) => ({ name, value })),
  );
}

/** How somebody would type it. */
export function wordsOf({ name, value }: Chip): string {
  const [word = name] = Object.entries(FILTERS).find(([, one]) => one === name) ?? [];
  return `${word} ${value}`;
}

/** The address with one more, which takes the place of one of its kind; of outcomes there may be several. */
export function withChip(search: string, { name, value }: Chip): string {
  const next = new URLSearchParams(search);
  const outcomes = OUTCOME_KINDS.filter(
    (kind) => kind === value || next.get('outcome')?.split(',').includes(kind),
  );
  next.set(name, name === 'outcome' ? outcomes.join() || value : value);
  return `?${next}`;
}

/** The address without it. */
export function withoutChip(search: string, { name, value }: Chip): string {
  const next = new URLSearchParams(search);
  const rest = (next.get(name) ?? '').split(',').filter((one) => one !== value);
  if (name === 'outcome' && rest.length > 0) next.set(name, rest.join());
  else next.delete(name);
  return next.size === 0 ? '' : `?${next}`;
}

/** What may be looked for, for the field to suggest. */
export function suggestions({ runtimes }: Known): readonly string[] {
  return runtimes.map((id) => {
    const group = groupNameOf(id);
    return group === null ? id : `group:${group}`;
  });
}
