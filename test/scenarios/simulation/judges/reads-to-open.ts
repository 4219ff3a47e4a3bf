import type { Endpoint } from '../../../../lib/domain/endpoint/endpoint.ts';
import { SHORT_WAIT_SECONDS } from '../../../../lib/domain/rollout/lease.ts';
import { isList, type ListCall } from '../../../../lib/rehearsal/calls.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { isSteady, type Ordeal } from '../ordeal.ts';
import type { Observed } from '../to-script.ts';
import type { StepRun } from '../watch-engine.ts';
import { waitsForCheck } from './checks.ts';
import { isLook } from './engine.ts';

/** A plan is made from two reads that agree, and where nothing gets in between, no others are needed. */
export function readsTwice(
  ordeal: Ordeal,
  { calls, record }: Pick<ScenarioResult, 'calls' | 'record'>,
): string[] {
  // What is held reads it once more when it may begin.
  if (record === null || !isSteady(ordeal) || ordeal.held !== undefined) return [];
  if (waitsForCheck(ordeal)) return [];
  const { plan, events, endedAt } = record;
  const begunAt = events.find(({ kind }) => kind === 'started')?.at;
  const until = begunAt ?? endedAt ?? 0;
  const reads = calls.filter(isList).filter(({ at }) => at <= until);
  const planned = plan && [...plan.endpoints, ...plan.leftOut].map(({ endpointId }) => endpointId);
  const isAgreed = reads.some(({ endpoints }, index) => {
    const ids = idsOf(endpoints);
    return ids === planned?.toSorted().join() && ids === idsOf(reads[index + 1]?.endpoints);
  });
  // A red gate is in nobody's way where there is nothing to roll, which the list has to show first.
  const ofRed = mayBeRed(ordeal) && plan?.waves.length === 0 ? 2 : 0;
  const most = isUndisturbed(ordeal)
    ? mostReads(ordeal, record.request.desiredVersion) + ofRed
    : Infinity;
  // Where a call takes no time, the read for the first roll comes in the moment of the start.
  const count = reads.length - (begunAt !== undefined && ordeal.latencyMs === 0 ? 1 : 0);
  return [
    ...(planned === null || isAgreed ? [] : ['no two reads agree on the endpoints of its plan']),
    ...(isAloneToOpen(ordeal)
      ? [...readsOn(reads, ordeal, Math.max(1, ofRed)), ...givesUpAfterThree(reads, ordeal)]
      : []),
    ...(count > most ? [`it read the list ${count} times, and ${most} times are enough`] : []),
  ];
}

function mayBeRed({ alarms, readings }: Ordeal): boolean {
  return alarms.length + readings.length > 0;
}

/** Nothing else makes it read the list, or wait, before it begins. */
function isAloneToOpen(ordeal: Ordeal): boolean {
  const { asked, earlier, ahead, people, policy, wire } = ordeal;
  const others = [asked, earlier, ahead, wire].filter((one) => one !== null);
  return others.length + people.length === 0 && policy.maxVersionStep >= 2;
}

/**
 * With two reads in a row that agree, it has what it needs.
 *
 * @param most How many more may come: one with the first roll, or those after a red gate.
 */
function readsOn(
  reads: readonly ListCall[],
  { latencyMs }: Pick<Ordeal, 'latencyMs'>,
  most: number,
): string[] {
  const second = reads.findIndex(({ endpoints, at }, index) => {
    const before = reads[index - 1];
    // After a wait it begins anew.
    const isInARow = before !== undefined && at - before.at <= latencyMs;
    return isInARow && endpoints !== null && idsOf(endpoints) === idsOf(before.endpoints);
  });
  const more = second < 0 ? 0 : reads.length - second - 1;
  return more > most ? [`two reads agree, and it read the list ${more} times more`] : [];
}

/** Each time it looks, two reads in a row agree by the third one, or it waits. */
function givesUpAfterThree(
  reads: readonly ListCall[],
  { latencyMs }: Pick<Ordeal, 'latencyMs'>,
): string[] {
  const rows: ListCall[][] = [];
  for (const read of reads) {
    const row = rows.at(-1);
    const before = row?.at(-1);
    if (row !== undefined && before !== undefined && read.at - before.at <= latencyMs)
      row.push(read);
    else rows.push([read]);
  }
  return rows.flatMap((row) => {
    if (row.some(({ endpoints }) => endpoints === null)) return [];
    const isAgreed = (to: number) =>
      row
        .slice(1, to)
        .some(({ endpoints }, index) => idsOf(endpoints) === idsOf(row[index]?.endpoints));
    const isRight = isAgreed(MOST_READS) || row.length === MOST_READS;
    return isRight ? [] : [`it read the list ${row.length} times in a row, and they did not agree`];
  });
}

const MOST_READS = 3;

function idsOf(endpoints: readonly Endpoint[] | null | undefined): string | undefined {
  const ids = endpoints?.map(({ id }) => id);
  return ids?.toSorted().join();
}

function isUndisturbed({ lists, people, broken, guises, earlier, asked }: Ordeal): boolean {
  const ills = [lists, people, guises, broken.filter(({ kind }) => kind === 'vanish')];
  const isPlain = asked === null || asked.kind === 'source' || asked.kind === 'listed';
  // Whoever has the runtime for the same version is not asked for it, so no list is read for that.
  const isAsked = earlier !== null && earlier.version !== 2;
  return ills.every((all) => all.length === 0) && !isAsked && isPlain;
}

/**
 * Before its turn, it looks at the list only for a version that is too high, or that it takes from an endpoint.
 *
 * @param version `null`: it was found, and is not in its record because it was refused after that.
 */
function mostReads({ asked, policy }: Ordeal, version: number | null): number {
  const isLooked = asked?.kind === 'source' || (version ?? 2) > policy.maxVersionStep;
  return isLooked ? 4 : 2;
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
