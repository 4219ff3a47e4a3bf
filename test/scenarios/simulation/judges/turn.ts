import { isList, isWrite } from '../../../../lib/rehearsal/calls.ts';
import { isForeign, isWhole, REFUSED } from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import type { Ordeal } from '../ordeal.ts';
import { isOpen } from './told-cleanup.ts';

/** A way back leaves out what may have been stopped before it, and nothing else as stopped. */
export function stoppedIsLeftOut({ record, calls, turnedAt }: ScenarioResult): string[] {
  if (record?.rollback == null || turnedAt === null) return [];
  const { endpoints, leftOut } = record.rollback.plan;
  const left = leftOut.filter(({ reason }) => reason === 'stopped');
  const rest = [...endpoints, ...leftOut.filter((one) => !left.includes(one))];
  const mayBeStopped = ({ endpointId }: { readonly endpointId: string }) => {
    const isMeant = calls.some(
      (call) =>
        isWrite(call) &&
        call.operation === 'stop' &&
        call.endpointId === endpointId &&
        call.at <= turnedAt &&
        !REFUSED.has(call.answer ?? ''),
    );
    const stops = record.journal.filter(
      (entry) => entry.operation === 'stop' && entry.endpointId === endpointId,
    );
    // A step that died after it had noted a stop may have sent it, and the one after it cannot know.
    return isMeant || isOpen(stops);
  };
  return [
    ...rest.filter(mayBeStopped).map(({ name }) => `${name} may be stopped, and is not left out`),
    ...left.filter((one) => !mayBeStopped(one)).map(({ name }) => `${name} is not stopped`),
  ];
}

/** What somebody else has stays there, and who has nothing to take back looks no more. */
export function takesBackOnlyItsOwn(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { record, states } = run;
  if (record?.rollback == null) return [];
  const since = states.slice(states.lastIndexOf('Turn around'));
  // Who takes over from a process that died goes on where it was, and looks once more.
  const goesOn = ordeal.death === null && (since.includes('Roll wave') || since.includes('Look'));
  const isEmpty = record.rollback.plan.endpoints.length === 0;
  return [
    ...theirsIn(run).map((name) => `${name} was to go back, and somebody else has it`),
    ...(isEmpty && goesOn ? ['it went on, and had nothing to take back'] : []),
  ];
}

/** An endpoint that was made just now is on no version. */
export function nothingGoesNowhere({ record }: Pick<ScenarioResult, 'record'>): string[] {
  const planned = record?.rollback?.plan.endpoints ?? [];
  return planned
    .filter(({ desiredVersion }) => desiredVersion < 1)
    .map(({ name }) => `${name} was to go back to version 0`);
}

/** What may be at risk at once is the same on the way there and back. */
export function riskStaysAsItWas({ record }: Pick<ScenarioResult, 'record'>): string[] {
  const { plan, rollback } = record ?? {};
  if (plan == null || rollback == null || rollback.plan.maxAtRisk === plan.maxAtRisk) return [];
  return [`its way back may risk ${rollback.plan.maxAtRisk}, and its way there ${plan.maxAtRisk}`];
}

/** What the last list before the turn had shown in the hands of somebody else. */
function theirsIn({ record, calls, turnedAt }: ScenarioResult): readonly (string | null)[] {
  if (record === null || turnedAt === null) return [];
  // No look remembers the list of a batch, on which it writes.
  const reads = calls
    .filter((call, index) => isList(call) && !calls.slice(index + 1, index + 2).some(isWrite))
    .filter(isList)
    .filter(({ at }) => at <= turnedAt);
  // Of several reads at that moment, nobody can tell which of them came before the turn.
  const last = reads.filter(({ at }) => at === reads.at(-1)?.at);
  const isUnclear = last.some((read) => !isWhole(read, record));
  if (last.length === 0 || isUnclear) return [];
  const isTheirs = (id: string) => {
    const planned = record.plan?.endpoints.find(({ endpointId }) => endpointId === id);
    return last.every(({ endpoints }) =>
      endpoints?.some((one) => one.id === id && isForeign(one, planned)),
    );
  };
  const planned = record.rollback?.plan.endpoints ?? [];
  return planned.filter(({ endpointId }) => isTheirs(endpointId)).map(({ name }) => name);
}
