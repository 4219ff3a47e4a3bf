import type { Endpoint } from '../../../../lib/domain/endpoint/endpoint.ts';
import { SHORT_WAIT_SECONDS } from '../../../../lib/domain/rollout/lease.ts';
import { isList, type ListCall } from '../../../../lib/rehearsal/calls.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { isSteady, type Ordeal } from '../ordeal.ts';
import type { Observed } from '../to-script.ts';
import type { StepRun } from '../watch-engine.ts';
import { waitsForCheck } from './checks.ts';
import { isLook } from './engine.ts';

/** A plan is made from two reads that agree, and where nothing gets in between, few are enough. */
export function readsTwice(
  ordeal: Ordeal,
  { calls, record }: Pick<ScenarioResult, 'calls' | 'record'>,
): string[] {
  if (record === null || !isSteady(ordeal)) return [];
  const { plan, events, endedAt } = record;
  const until = events.find(({ kind }) => kind === 'started')?.at ?? endedAt ?? 0;
  const reads = calls.filter(isList).filter(({ at }) => at <= until);
  const planned = plan && [...plan.endpoints, ...plan.leftOut].map(({ endpointId }) => endpointId);
  const isAgreed = reads.some(({ endpoints }, index) => {
    const ids = idsOf(endpoints);
    return ids === planned?.toSorted().join() && ids === idsOf(reads[index + 1]?.endpoints);
  });
  const most = isUndisturbed(ordeal) ? MOST_READS : Number.POSITIVE_INFINITY;
  return [
    ...(planned === null || isAgreed ? [] : ['no two reads agree on the endpoints of its plan']),
    ...(reads.length > most ? [`it read the list ${reads.length} times before it began`] : []),
  ];
}

/** Two for its version or a gate that is red, two for its plan, and one for its first roll. */
const MOST_READS = 5;

function isUndisturbed(ordeal: Ordeal): boolean {
  const { lists, people, broken, guises, earlier, ahead, asked, held } = ordeal;
  const ills = [lists, people, guises, broken.filter(({ kind }) => kind === 'vanish')];
  const isAlone = [earlier, ahead, asked].every((one) => one === null);
  const isFree = held === undefined && !waitsForCheck(ordeal);
  return ills.every((all) => all.length === 0) && isAlone && isFree;
}

function idsOf(endpoints: readonly Endpoint[] | null | undefined): string | undefined {
  return endpoints
    ?.map(({ id }) => id)
    .toSorted()
    .join();
}

/** Who was taken back while he waited, or was taken over, reads nothing when he wakes up. */
export function endedReadsNothing(
  ordeal: Ordeal,
  { calls, record, executions }: Pick<Observed, 'calls' | 'record' | 'executions'>,
): string[] {
  const { endedAt } = record ?? {};
  const { stall, death, clock } = ordeal;
  // A look proves the lease first, so where its process stood still in the call before its list, it reads none.
  const isStillFirst = stall?.when === 'before' && death === null && clock === null;
  if (endedAt == null || !(isSteady(ordeal) || isStillFirst)) return [];
  const runs = executions.flatMap((execution) => execution.runs.filter(isLook));
  // After a long wait the first read of the ledger proves the lease, and then the look hears the holds, and may stand still.
  const mayBeProven = (run: StepRun) => run.begunAt <= endedAt && waitOf(run) > SHORT_WAIT_SECONDS;
  const isMeant = ({ at }: ListCall) =>
    isSteady(ordeal) ||
    runs.some((run) => run.begunAt <= at && at <= (run.endedAt ?? at) && !mayBeProven(run));
  const late = calls
    .filter(isList)
    .filter((one) => one.at > endedAt + LONGEST_STEP_MS && isMeant(one));
  return late.length > 0 ? [`it read the list ${late.length} times after its end`] : [];
}

function waitOf({ payload }: StepRun): number {
  return JSON.parse(payload).position?.waitSeconds ?? 0;
}

/** A step that is under way then goes on to its end. */
const LONGEST_STEP_MS = 60_000;
