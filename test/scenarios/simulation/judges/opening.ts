import { isList, isWrite } from '../../../../lib/rehearsal/calls.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { START } from '../../../support/scenario-time.ts';
import { isRelease, type Ordeal } from '../ordeal.ts';
import type { Beside } from '../to-script.ts';
import { freezesOf } from './holds.ts';
import { isPlain } from './plain.ts';

/** It begins when it may, neither earlier nor much later, and nothing is written before. */
export function beginsWhenItMay(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { opensAfter, hours, asked, clock } = ordeal;
  if ((opensAfter === 0 && hours === null) || clock !== null) return [];
  // Who waits behind an older one looks more and more seldom.
  const isUndisturbed = isPlain(ordeal) && asked === null && ordeal.ahead === null;
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
  if (begun === null || ordeal.stall !== null) return [];
  const late = longestOpeningSeconds(ordeal);
  const openings = openingsOf(ordeal);
  // What was left for dead waits on, and windows are drawn for some days only.
  const isFarOff = openings.every(([, to]) => begun > to + DAY_SECONDS);
  const isPossible = isFarOff || openings.some(([from, to]) => begun >= from && begun < to + late);
  const isLate =
    isUndisturbed && ordeal.death === null && begun > Math.max(0, nextOpening(ordeal) ?? 0) + late;
  return [
    ...(isPossible ? [] : [`it began after ${begun} s`]),
    ...(isLate ? [`it began late, after ${begun} s`] : []),
    // Whoever goes on with it looks anew, when it may be open.
    ...(mustBeRefused(ordeal) && ordeal.death === null ? ['it began, and had to be refused'] : []),
  ];
}

const DAY_SECONDS = 24 * 3600;

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

/** It waits for a list that cannot be read, and goes on without a plan no longer than it may. */
export function waitsForItsList(
  ordeal: Ordeal,
  { calls, record, haltedAt, holds }: ScenarioResult & Pick<Beside, 'haltedAt' | 'holds'>,
): string[] {
  const { clock, death, stall, asked, policy, latencyMs } = ordeal;
  const others = [ordeal.earlier, ordeal.ahead, ordeal.hours].filter((one) => one !== null);
  const isAlone = others.length === 0 && !ordeal.people.some(isRelease);
  if (!isAlone || clock !== null || death !== null || asked !== null) return [];
  const startedAt = record?.events.find(({ kind }) => kind === 'started')?.at;
  // What is frozen is not about to begin: it waits for the end of that, and then for its list anew.
  const last = calls.findLast(isList)?.at ?? 0;
  const thawedAt = Math.max(
    0,
    ...freezesOf(ordeal, { holds }).flatMap(({ to }) => (to > last ? [] : [to])),
  );
  const reads = calls.filter(isList).filter(({ at }) => at >= thawedAt && at <= (startedAt ?? at));
  const first = reads.findIndex(({ endpoints }) => endpoints === null);
  const from = reads[first];
  // While its process stands still, it does not count the time.
  const movesFrom = haltedAt === null ? 0 : haltedAt + Number(stall?.seconds) * 1000;
  if (from === undefined || from.at < movesFrom || stall?.isRaced === true) return [];
  const end = reads.findIndex(({ endpoints }, index) => index > first && endpoints !== null);
  const tries = reads.slice(first, end < 0 ? reads.length : end + 1);
  // What the reads themselves take is no wait.
  const readSeconds = (tries.length * latencyMs) / 1000;
  const seconds = ((tries.at(-1)?.at ?? from.at) - from.at) / 1000 - readSeconds;
  return seconds > policy.progressDeadlineSeconds
    ? [`it waited for its list for ${seconds} s`]
    : [];
}
