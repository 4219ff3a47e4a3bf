import { capitalized, countOf, describeSeconds } from '../../domain/sentences.ts';
import type { BadNight } from '../../rehearsal/bad-night.ts';
import {
  type Faults,
  type GateFault,
  LIST_LIES,
  type ListFault,
  type ListLie,
  WRITE_ENDS,
  type WriteEnd,
  type WriteFault,
} from '../../rehearsal/faults.ts';
import type { Rehearsal, Rehearsed } from '../../rehearsal/rehearse.ts';
import type { SimulatedFault } from '../../simulation/scenario.ts';
import type { Page } from '../../telling/page.ts';
import { listHappenings } from '../../telling/story/happenings.ts';
import { listNames, plainText } from '../../telling/text.ts';
import { wrapText } from '../../telling/width.ts';
import { describeFates } from '../../telling/words/fates.ts';
import { describeHappening, isEnd } from '../../telling/words/happening.ts';
import { describeOutcome } from '../../telling/words/outcome.ts';
import { describePlanOf } from '../../telling/words/plan.ts';
import { courseLines, INDENT, section } from '../../telling/words/story.ts';

/** What `steproll rehearse` tells, part by part. */
export interface RehearsalParts {
  /** What was rehearsed. */
  readonly title: string;
  /** How it ended. */
  readonly end: readonly string[];
  readonly wentWrong: readonly string[];
  readonly plan: readonly string[];
  readonly happened: readonly string[];
  readonly took: readonly string[];
  /** What became of the endpoints. */
  readonly fates: readonly string[];
}

/** One rehearsal, for people. */
export interface ToldRehearsal {
  readonly rehearsal: Rehearsal;
  readonly faults: Faults;
  readonly rehearsed: Rehearsed;
  /** `null`: no faults were drawn. */
  readonly seed: number | null;
}

/** What is told of one rehearsal, part by part. */
export function tellRehearsal(
  { rehearsal, faults, rehearsed, seed }: ToldRehearsal,
  page: Page,
): RehearsalParts {
  const { runtimeId, version, scenario, startsAt } = rehearsal;
  const { outcome, record, seconds } = rehearsed;
  const fleet = fleetOf(rehearsal).length;
  const drawn = seed === null ? '' : `, with the faults of seed ${seed}`;
  return {
    title: `Rehearsal: ${plainText(runtimeId)} to version ${version} on ${countOf(fleet, 'endpoint')}${drawn}`,
    end: describeOutcome(outcome, seconds * 1000, page),
    wentWrong: [
      ...scenario.faults.filter((fault) => mayBeMet(fault, rehearsal)).map(describeFault),
      ...describeFaults(faults, rehearsal),
    ],
    plan: record === null ? [] : describePlanOf(record),
    happened: happeningLines(rehearsed, startsAt),
    took: takenLines(rehearsed, fleet),
    fates: record === null ? [] : describeFates(record).map(({ text }) => text),
  };
}

/** The story of one rehearsal for people: how it ended, what went wrong, what happened when, and what it took. */
export function describeRehearsal(told: ToldRehearsal, page: Page): string[] {
  const { title, end, wentWrong, plan, happened, took, fates } = tellRehearsal(told, page);
  const { record, seconds } = told.rehearsed;
  return [
    page.style('bold', title),
    '',
    ...end.flatMap((line) => wrapText(line, page.columns, INDENT)),
    ...section('What goes wrong', wentWrong, page),
    ...section('Plan', plan, page),
    ...(record ? courseLines(record, told.rehearsal.startsAt + seconds * 1000, page) : []),
    ...section('What happens', happened, page),
    ...section('What it takes', took, page),
    ...section('Endpoints', fates, page),
  ];
}

export function fleetOf({ scenario, runtimeId }: Rehearsal) {
  return scenario.runtimes.find(({ id }) => id === runtimeId)?.endpoints ?? [];
}

/** A scenario may have faults of other versions, too. */
function mayBeMet({ runtime, version }: SimulatedFault, rehearsal: Rehearsal): boolean {
  const versions = [rehearsal.version, ...fleetOf(rehearsal).map((one) => one.version)];
  const isOfRuntime = runtime === undefined || runtime === rehearsal.runtimeId;
  return isOfRuntime && (version === undefined || versions.includes(version));
}

function happeningLines({ record, outcome, seconds }: Rehearsed, startsAt: number): string[] {
  if (record === null) return [];
  const lines = listHappenings(record)
    .filter((happening) => !isEnd(happening))
    .map((happening) => [happening.at - startsAt, describeHappening(happening)] as const);
  const end = [seconds * 1000, `Ended as ${outcome.outcome}.`] as const;
  return [...lines, end].map(([at, text]) => `${elapsed(at)}  ${text}`);
}

/** Time since the start: `0:05:10`, hours first. */
function elapsed(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

function takenLines({ calls, toll, stopped, rolledBack }: Rehearsed, fleet: number): string[] {
  const { rolls, stops, listReads, transitions, lambdaCalls } = calls;
  const { mostInMidRoll, fewestServing, badVersion } = toll;
  return [
    `${countOf(rolls + stops, 'write')} and ${listReads} reads of the list; on AWS ${transitions} transitions and ${lambdaCalls} Lambda calls`,
    `At most ${mostInMidRoll} of ${fleet} endpoints in mid-roll at once, and never fewer than ${fewestServing} serving`,
    ...(stopped > 0 ? [`${stopped} stopped`] : []),
    ...(rolledBack > 0 ? [`${rolledBack} rolled back`] : []),
    ...(badVersion === null ? [] : badLines(badVersion)),
  ];
}

function badLines({ badFor, seenAfter, sentBackAfter, liveAtEnd }: BadNight): string[] {
  const after = (what: string, seconds: number | null) =>
    seconds === null ? [] : [`${what} after ${describeSeconds(seconds)}`];
  const followed = [...after('seen', seenAfter), ...after('sent back', sentBackAfter)];
  const told = followed.length === 0 ? '' : `, ${followed.join(' and ')}`;
  const where = countOf(liveAtEnd, 'endpoint');
  return [
    badFor === null
      ? `The bad version is still live on ${where} at the end${told}`
      : `The version shows on one endpoint that it is bad, for ${describeSeconds(badFor)}${told}`,
  ];
}

/** What was drawn to go wrong, a line for each. */
function describeFaults(faults: Faults, rehearsal: Rehearsal): string[] {
  const { badVersion, endpoints, lists, writes, gates, others, death, latencyMs } = faults;
  const fleet = fleetOf(rehearsal).length;
  const { approval } = rehearsal.policy.verify;
  const where =
    badVersion?.endpoints.length === fleet
      ? 'every endpoint'
      : listNames(badVersion?.endpoints ?? []);
  return [
    ...(badVersion === null
      ? []
      : [
          `Version ${rehearsal.version} is bad: ${describeSeconds(badVersion.afterSeconds)} after it is live on ${where}, ${badVersion.shows === 'crash' ? 'that endpoint crashes' : 'only the gates say so'}`,
        ]),
    ...endpoints.map(describeFault),
    ...lists.map(describeListFault),
    ...writes.map(describeWriteFault),
    ...gates.map(describeGateFault),
    ...others.map(({ atSecond, endpoint, version }) => {
      const what = version === null ? 'stopped' : `rolled to version ${version}`;
      return `${elapsed(atSecond * 1000)}  ${plainText(endpoint)} is ${what} by somebody else`;
    }),
    ...(death === null
      ? []
      : [
          death.error === 'Killed'
            ? `Its process dies at its use ${death.point} of the ledger, and is resumed after ${describeSeconds(death.resumesAfterSeconds)}`
            : `A step dies at use ${death.point} of the ledger (${death.error})`,
        ]),
    ...(latencyMs > 0 ? [`Every request takes ${(latencyMs / 1000).toFixed(1)} s`] : []),
    ...(approval !== null && faults.approvesAfterSeconds === null ? ['Nobody approves'] : []),
  ];
}

function describeFault(fault: SimulatedFault): string {
  const to = fault.version === undefined ? 'any version' : `version ${fault.version}`;
  return `${plainText(fault.endpoint)}, rolled to ${to}: ${describeKind(fault)}`;
}

function describeKind(fault: SimulatedFault): string {
  switch (fault.kind) {
    case 'slow':
      return `takes ${describeSeconds(fault.rollSeconds)}`;
    case 'stuck':
      return `gets stuck after ${countOf(fault.afterReplicas, 'replica')}`;
    case 'fail':
      return `fails after ${countOf(fault.afterReplicas, 'replica')}`;
    case 'refuse': {
      const times =
        fault.times === undefined ? 'always' : fault.times === 1 ? 'once' : `${fault.times} times`;
      return `is refused with ${fault.httpStatus}, ${times}`;
    }
    case 'busy':
      return `is refused with ${fault.httpStatus} while it is busy, for ${describeSeconds(fault.seconds)} from ${describeSeconds(fault.fromSecond)} on`;
    case 'regress':
      return `falls back ${describeSeconds(fault.afterSeconds)} after it was live`;
    case 'crash':
      return `crashes ${describeSeconds(fault.afterSeconds)} after it was live`;
    case 'unhealthy':
      return `answers probes with ${fault.httpStatus} ${describeSeconds(fault.afterSeconds)} after it was live`;
    case 'take-back':
      return `is taken back by its service after ${describeSeconds(fault.afterSeconds)}`;
    case 'vanish':
      return `is gone from the list after ${describeSeconds(fault.afterSeconds)}`;
    default:
      return fault satisfies never;
  }
}

function describeListFault({ kind, fromSecond, seconds }: ListFault): string {
  const what = kind in LIST_LIES ? LIST_LIES[kind as ListLie] : `the list cannot be read (${kind})`;
  return `${whileOf(fromSecond, seconds)} ${what}`;
}

function describeGateFault({ kind, endpoint, fromSecond, seconds, bySeconds }: GateFault): string {
  const whose = endpoint === null ? 'every gate' : `every gate of ${plainText(endpoint)}`;
  const by = describeSeconds(bySeconds);
  const during = whileOf(fromSecond, seconds);
  const told: Readonly<Record<GateFault['kind'], string>> = {
    silent: `${during} ${whose} is silent`,
    red: `${during} ${whose} says no`,
    slow: `${during} ${whose} takes ${by} to answer`,
    flapping: `${during} ${whose} says the opposite in every second stretch of ${by}`,
    late: `${capitalized(whose)} says no ${by} too late`,
    'wrong-once': `${elapsed(fromSecond * 1000)}  From then on, ${whose} is wrong at its next look, once`,
  };
  return told[kind];
}

function describeWriteFault({ operation, endpoint, nth, kind }: WriteFault): string {
  const what = kind in WRITE_ENDS ? WRITE_ENDS[kind as WriteEnd] : `is refused (${kind})`;
  return `${operation === 'roll' ? 'Roll' : 'Stop'} ${nth} of ${plainText(endpoint)} ${what}`;
}

function whileOf(fromSecond: number, seconds: number): string {
  return `${elapsed(fromSecond * 1000)}  For ${describeSeconds(seconds)}`;
}
