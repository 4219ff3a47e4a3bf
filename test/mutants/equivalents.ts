import { IN_ENDPOINTS } from './equivalents-in-endpoints.ts';
import { IN_STEPS } from './equivalents-in-steps.ts';
import type { Mutant } from './mutant.ts';

/** Mutants that behave like the original in every rollout of the simulation. */
export interface Equivalent {
  readonly file: string;
  /** The line on which the change begins, or a part of it. */
  readonly on: string;
  readonly original: string;
  /** @default - whatever it is changed to */
  readonly mutated?: string;
  /** Why nobody can tell them apart. */
  readonly why: string;
}

const OF_GROUPS = 'Only a rollout of a group can tell.';

export const EQUIVALENTS: readonly Equivalent[] = [
  {
    file: 'lib/domain/containment/serving.ts',
    on: 'return status?.toLowerCase() ?? null;',
    original: 'status?.toLowerCase()',
    mutated: 'status?.toUpperCase()',
    why: 'Both sides of every comparison are folded in the same way.',
  },
  {
    file: 'lib/steps/opening/get-ready.ts',
    on: "versionFrom ?? ''",
    original: "''",
    mutated: '"Stryker was here!"',
    why: 'Who asks for no version asks for an endpoint.',
  },
  {
    file: 'lib/steps/opening/gates.ts',
    on: 'export const LATELY_MS = 24 * 3_600_000;',
    original: '24 * 3_600_000',
    mutated: '24 / 3_600_000',
    why: 'Only the command line reads metrics before a rollout.',
  },
  {
    file: 'lib/steps/opening/asked-request.ts',
    on: '...(parent !== undefined && { parent }),',
    original: '{ parent }',
    mutated: '{}',
    why: OF_GROUPS,
  },
  {
    file: 'lib/steps/opening/asked-request.ts',
    on: '...(group !== undefined && { group }),',
    original: '{ group }',
    mutated: '{}',
    why: OF_GROUPS,
  },
  {
    file: 'lib/steps/opening/asked-request.ts',
    on: '...(versions !== undefined && { versions }),',
    original: '{ versions }',
    mutated: '{}',
    why: OF_GROUPS,
  },
  {
    file: 'lib/steps/opening/asked-request.ts',
    on: 'if (versions !== undefined) return { versions };',
    original: 'versions !== undefined',
    mutated: 'false',
    why: OF_GROUPS,
  },
  {
    file: 'lib/steps/opening/asked-request.ts',
    on: 'if (versions !== undefined) return { versions };',
    original: '{ versions }',
    mutated: '{}',
    why: OF_GROUPS,
  },
  {
    file: 'lib/steps/opening/get-ready.ts',
    on: 'const isGroup = groupNameOf(request.runtimeId) !== null;',
    original: 'groupNameOf(request.runtimeId) !== null',
    mutated: 'false',
    why: OF_GROUPS,
  },
  {
    file: 'lib/steps/opening/get-ready.ts',
    on: 'isGroup && request.revert === undefined',
    original: 'isGroup && request.revert === undefined',
    mutated: 'false',
    why: OF_GROUPS,
  },
  {
    file: 'lib/steps/opening/get-ready.ts',
    on: 'isGroup && request.revert === undefined',
    original: 'request.revert === undefined',
    mutated: 'true',
    why: OF_GROUPS,
  },
  {
    file: 'lib/steps/opening/get-ready.ts',
    on: 'isGroup && request.revert === undefined',
    original: 'request.revert === undefined',
    mutated: 'request.revert !== undefined',
    why: OF_GROUPS,
  },
  {
    file: 'lib/steps/opening/stable-list.ts',
    on: 'if (groupNameOf(runtimeId) !== null) return before;',
    original: 'groupNameOf(runtimeId) !== null',
    mutated: 'false',
    why: OF_GROUPS,
  },
  {
    file: 'lib/steps/stop-batch.ts',
    on: 'if (index < from || index >= to || planned === undefined) return [];',
    original: 'index < from || index >= to',
    mutated: 'index < from && index >= to',
    why: 'The first batch does the work of all, and the next ones find it in the journal. Only a limit of AWS could tell.',
  },
  ...IN_ENDPOINTS,
  ...IN_STEPS,
  {
    file: 'lib/steps/opening/take-lease.ts',
    on: 'throw new SteprollError(decided.error, decided.message, { cause });',
    original: '{ cause }',
    mutated: '{}',
    why: 'It is for who debugs steproll.',
  },
  {
    file: 'lib/domain/turn/queue.ts',
    on: 'return later > 0 || (later === 0 && request.rolloutId > other.rolloutId);',
    original: 'request.rolloutId > other.rolloutId',
    mutated: 'request.rolloutId >= other.rolloutId',
    why: 'No request is compared with itself.',
  },
];

/** The mutants that are left. @throws when an entry is about no mutant any more. */
export function withoutEquivalents(
  mutants: readonly Mutant[],
  equivalents: readonly Equivalent[],
): readonly Mutant[] {
  const idle = equivalents.filter((entry) => !mutants.some((mutant) => isMeant(entry, mutant)));
  if (idle.length > 0) {
    const entries = idle.map(
      ({ file, original, mutated }) => `${file}: ${original} -> ${mutated ?? 'anything'}`,
    );
    throw new Error(['No mutant is like this any more:', ...entries].join('\n  '));
  }
  return mutants.filter((mutant) => !equivalents.some((entry) => isMeant(entry, mutant)));
}

function isMeant(entry: Equivalent, mutant: Mutant): boolean {
  return (
    entry.file === mutant.file &&
    mutant.on.includes(entry.on) &&
    plain(entry.original) === plain(mutant.original) &&
    (entry.mutated === undefined || plain(entry.mutated) === plain(mutant.mutated))
  );
}

function plain(code: string): string {
  return code.replaceAll(/\s+/g, ' ').trim();
}
