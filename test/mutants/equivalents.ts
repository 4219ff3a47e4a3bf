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

const A_YES =
  'The answer is a yes in both ways. Only its sentence, for people, says the limit or does not.';
const FLEETS_ARE_SMALL = 'No fleet of the simulation fills a batch, or needs so many of them.';
const SAMPLED =
  'A minute of the simulation that has a value has calls and samples, too, so nothing is divided by 0.';
const OF_GROUPS = 'Only a rollout of a group can tell.';

export const EQUIVALENTS: readonly Equivalent[] = [
  {
    file: 'lib/domain/planning/batches.ts',
    on: 'last.to === index && last.to - last.from < size',
    original: 'last.to - last.from < size',
    mutated: 'true',
    why: FLEETS_ARE_SMALL,
  },
  {
    file: 'lib/domain/planning/batches.ts',
    on: 'last.to === index && last.to - last.from < size',
    original: 'last.to - last.from < size',
    mutated: 'last.to - last.from <= size',
    why: FLEETS_ARE_SMALL,
  },
  {
    file: 'lib/domain/planning/batches.ts',
    on: 'last.to === index && last.to - last.from < size',
    original: 'last.to - last.from',
    mutated: 'last.to + last.from',
    why: FLEETS_ARE_SMALL,
  },
  {
    file: 'lib/domain/planning/batches.ts',
    on: 'return batches.slice(0, limit);',
    original: 'batches.slice(0, limit)',
    mutated: 'batches',
    why: FLEETS_ARE_SMALL,
  },
  {
    file: 'lib/domain/planning/batches.ts',
    on: 'indexes.slice(from, from + size)',
    original: 'indexes.slice(from, from + size)',
    mutated: 'indexes',
    why: FLEETS_ARE_SMALL,
  },
  {
    file: 'lib/domain/ending/asked-to-end.ts',
    on: "result === 'kept' && reason === ('gave-way' satisfies CallOff)",
    original: "result === 'kept'",
    mutated: 'true',
    why: 'Only a stop that was kept back has this reason.',
  },
  {
    file: 'lib/domain/planning/abilities.ts',
    on: 'if (version === LATEST) {',
    original: '{ if (!listsVersions) throw unlistable(); }',
    mutated: '{}',
    why: 'The look for the version, which follows at once, refuses it in the same words.',
  },
  {
    file: 'lib/domain/planning/abilities.ts',
    on: 'if (!listsVersions) throw unlistable();',
    original: '!listsVersions',
    mutated: 'false',
    why: 'The look for the version, which follows at once, refuses it in the same words.',
  },
  {
    file: 'lib/domain/planning/plan-rollout.ts',
    on: 'endpoints.filter((endpoint) => !isMovedByService(endpoint, abilities)),',
    original: 'endpoints.filter((endpoint) => !isMovedByService(endpoint, abilities))',
    mutated: 'endpoints',
    why: 'Only before a stop is the resting status asked for, and the one service that moves endpoints by itself stops none.',
  },
  {
    file: 'lib/domain/planning/plan-revert.ts',
    on: 'Math.abs(now - forwardAt) < REGISTERING_MS',
    original: 'Math.abs(now - forwardAt) < REGISTERING_MS',
    mutated: 'Math.abs(now - forwardAt) <= REGISTERING_MS',
    why: 'Whoever undoes a rollout comes at no whole second, so never a whole minute after a roll.',
  },
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
    file: 'lib/steps/opening/asked-request.ts',
    on: 'return desiredVersion === null && versionFrom !== undefined',
    original: 'desiredVersion === null',
    why: 'Whoever goes on with a rollout finds in the ledger what was asked for.',
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
  {
    file: 'lib/domain/wave/metrics.ts',
    on: 'if (value === null || (per === null && isDivided && divisor === 0)) {',
    original: 'per === null && isDivided && divisor === 0',
    mutated: 'false',
    why: SAMPLED,
  },
  {
    file: 'lib/domain/wave/metrics.ts',
    on: 'if (value === null || (per === null && isDivided && divisor === 0)) {',
    original: 'per === null',
    mutated: 'true',
    why: SAMPLED,
  },
  {
    file: 'lib/domain/wave/metrics.ts',
    on: 'if (value === null || (per === null && isDivided && divisor === 0)) {',
    original: 'per === null',
    mutated: 'per !== null',
    why: SAMPLED,
  },
  {
    file: 'lib/domain/wave/metrics.ts',
    on: 'limit.above === Number.POSITIVE_INFINITY',
    original: "'above' in limit && limit.above === Number.POSITIVE_INFINITY",
    why: A_YES,
  },
  {
    file: 'lib/domain/wave/metrics.ts',
    on: 'limit.above === Number.POSITIVE_INFINITY',
    original: 'limit.above === Number.POSITIVE_INFINITY',
    why: A_YES,
  },
  {
    file: 'lib/domain/wave/metrics.ts',
    on: 'limit.above === Number.POSITIVE_INFINITY',
    original: "'above'",
    why: A_YES,
  },
  {
    file: 'lib/domain/wave/metrics.ts',
    on: 'limit.above === Number.POSITIVE_INFINITY',
    original: "{ return { verdict: 'pass', detail: said }; }",
    why: A_YES,
  },
  {
    file: 'lib/domain/wave/metrics.ts',
    on: "return { verdict: 'pass', detail: said };",
    original: "{ verdict: 'pass', detail: said }",
    why: 'No policy has such a limit: only the command line does, when it tries a metric.',
  },
  {
    file: 'lib/domain/wave/metrics.ts',
    on: "return { verdict: 'pass', detail: said };",
    original: "'pass'",
    why: 'No policy has such a limit: only the command line does, when it tries a metric.',
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
    file: 'lib/domain/planning/find-version.ts',
    on: 'const mayCome = ',
    original: 'version < wanted',
    mutated: 'version <= wanted',
    why: 'A version that is in the list is not waited for here.',
  },
  {
    file: 'lib/domain/planning/plan-rollout.ts',
    on: 'const compareIds = ',
    original: 'one < other',
    mutated: 'one <= other',
    why: 'No two endpoints of a list have the same id.',
  },
  {
    file: 'lib/domain/turn/window.ts',
    on: 'const goesOverMidnight = to < from;',
    original: 'to < from',
    mutated: 'to <= from',
    why: 'No configuration has a window that closes at the time at which it opens.',
  },
  {
    file: 'lib/domain/turn/window.ts',
    on: 'const openedOn = weekdayOf(',
    original: 'time < to',
    mutated: 'time <= to',
    why: 'A window over midnight is closed at the time at which it ends, whichever day it has opened on.',
  },
  {
    file: 'lib/domain/turn/window.ts',
    on: 'if (isOpen(rules, at) === open) return at;',
    original: 'isOpen(rules, at) === open',
    mutated: 'false',
    why: 'A rollout asks when it opens only where it is not open.',
  },
  {
    file: 'lib/domain/turn/queue.ts',
    on: 'return later > 0 || (later === 0 && request.rolloutId > other.rolloutId);',
    original: 'request.rolloutId > other.rolloutId',
    mutated: 'request.rolloutId >= other.rolloutId',
    why: 'No request is compared with itself.',
  },
  {
    file: 'lib/domain/containment/serving.ts',
    on: 'if (resting.some(',
    original: 'resting.some(({ status }) => matchesAny(status, statuses.serving))',
    mutated: 'resting.every(({ status }) => matchesAny(status, statuses.serving))',
    why: 'Where all show the same status, all of them show one of the words, or none does.',
  },
  {
    file: 'lib/domain/containment/serving.ts',
    on: 'if (resting.some(',
    original: 'resting.some(({ status }) => matchesAny(status, statuses.serving))',
    mutated: 'false',
    why: 'A status that counts as serving anyway counts once more.',
  },
  {
    file: 'lib/domain/containment/serving.ts',
    on: 'if (resting.some(',
    original: '({ status }) => matchesAny(status, statuses.serving)',
    mutated: '() => undefined',
    why: 'A status that counts as serving anyway counts once more.',
  },
  {
    file: 'lib/domain/containment/old-endpoints.ts',
    on: 'if (plan === null || progress === null || rollback !== null)',
    original: 'rollback !== null',
    mutated: 'false',
    why: 'Of a way back the outcome says what came of it. Only a sentence has this number then.',
  },
  {
    file: 'lib/domain/containment/failure-policies.ts',
    on: "request: '',",
    original: "''",
    mutated: '"Stryker was here!"',
    why: 'It is a part of a sentence for people.',
  },
  {
    file: 'lib/domain/containment/decide-stop.ts',
    on: 'const ours = ',
    original: 'endpoints.filter(({ id }) => !notOurs.has(id))',
    mutated: 'endpoints',
    why: 'No known service both stops endpoints and moves one by itself.',
  },
  {
    file: 'lib/domain/containment/decide-stop.ts',
    on: 'const inPlan = ',
    original: 'plan.endpoints.length + plan.leftOut.length - notOurs.size',
    mutated: 'plan.endpoints.length + plan.leftOut.length + notOurs.size',
    why: 'No known service both stops endpoints and moves one by itself.',
  },
  {
    file: 'lib/domain/containment/decide-stop.ts',
    on: "return reason === 'moved-by-service';",
    original: "reason === 'moved-by-service'",
    mutated: 'false',
    why: 'No known service both stops endpoints and moves one by itself.',
  },
  {
    file: 'lib/domain/decision/hand-over.ts',
    on: 'EXECUTION_LIMITS',
    original: '10 * 24',
    mutated: '10 / 24',
    why: 'Every rollout of the simulation has limits of its own.',
  },
  {
    file: 'lib/domain/decision/hand-over.ts',
    on: 'EXECUTION_LIMITS',
    original: '10 * 24 * 3600',
    mutated: '10 * 24 / 3600',
    why: 'Every rollout of the simulation has limits of its own.',
  },
  {
    file: 'lib/domain/decision/after-gates.ts',
    on: "if (answers.some(({ kind }) => kind === 'approve'))",
    original: "kind === 'approve'",
    mutated: 'true',
    why: 'Only an approval and a rejection name a wave, and a rejection was followed just before.',
  },
  {
    file: 'lib/domain/decision/interruption.ts',
    on: 'groupNameOf(',
    original: 'groupNameOf(request.runtimeId) !== null && observations.some(isInMidRoll)',
    mutated: 'false',
    why: 'Only releases of groups have a name of a group.',
  },
  {
    file: 'lib/domain/decision/interruption.ts',
    on: 'groupNameOf(',
    original: 'observations.some(isInMidRoll)',
    mutated: 'observations.every(isInMidRoll)',
    why: 'Only releases of groups have a name of a group.',
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
