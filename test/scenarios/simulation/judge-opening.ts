import { isWrite } from '../../../lib/rehearsal/calls.ts';
import type { ScenarioResult } from '../../support/run-scenario.ts';
import { START } from '../../support/scenario-time.ts';
import { isPlain } from './judge-plain.ts';
import type { Ordeal } from './ordeal.ts';

/** It begins when it may, neither earlier nor much later, and nothing is written before. */
export function beginsWhenItMay(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { opensAfter, hours, asked, clock } = ordeal;
  if ((opensAfter === 0 && hours === null) || clock !== null) return [];
  const isUndisturbed = isPlain(ordeal) && asked === null;
  const { reason, message } = run.outcome;
  return [
    ...beginsInTime(ordeal, beginningOf(run), isUndisturbed),
    ...(reason === 'OutsideWindow' && !mustBeRefused(ordeal) && (isUndisturbed || !refuses(ordeal))
      ? [`it was refused: ${message}`]
      : []),
  ];
}

type Opening = NonNullable<Ordeal['hours']>['openings'][number];

function openingsOf({ hours, opensAfter }: Ordeal): readonly Opening[] {
  return hours?.openings ?? [[opensAfter, Number.POSITIVE_INFINITY]];
}

function nextOpening(ordeal: Ordeal): number | undefined {
  return openingsOf(ordeal).find(([, to]) => to > 0)?.[0];
}

function mustBeRefused(ordeal: Ordeal): boolean {
  const next = nextOpening(ordeal);
  return next === undefined || (ordeal.hours?.outsideWindow === 'refuse' && next > 0);
}

/** Who waits for a window is refused only if there is none. */
function refuses({ hours }: Ordeal): boolean {
  return hours?.outsideWindow === 'refuse';
}

function beginsInTime(ordeal: Ordeal, begun: number | null, isUndisturbed: boolean): string[] {
  if (begun === null || ordeal.death !== null || ordeal.stall !== null) return [];
  const late = longestOpeningSeconds(ordeal);
  const isPossible = openingsOf(ordeal).some(([from, to]) => begun >= from && begun < to + late);
  const isLate = isUndisturbed && begun > Math.max(0, nextOpening(ordeal) ?? 0) + late;
  return [
    ...(isPossible ? [] : [`it began after ${begun} s`]),
    ...(isLate ? [`it began late, after ${begun} s`] : []),
    ...(mustBeRefused(ordeal) ? ['it began, and had to be refused'] : []),
  ];
}

/** When it told that it starts, or wrote for the first time, in seconds since the start. `null`: it never began. */
function beginningOf({ record, calls }: ScenarioResult): number | null {
  const startedAt = record?.events.find(({ kind }) => kind === 'started')?.at;
  const writtenAt = calls.find(isWrite)?.at;
  const at = Math.min(startedAt ?? Number.POSITIVE_INFINITY, writtenAt ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(at) ? (at - START) / 1000 : null;
}

/**
 * How long an opening may take that waits for nothing: its reads of the list are ten calls at most, and 20 s are for
 * tries that fail.
 */
export function longestOpeningSeconds({ latencyMs }: Ordeal): number {
  return 20 + (10 * latencyMs) / 1000;
}
