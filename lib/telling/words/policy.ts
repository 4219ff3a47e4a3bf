import { CONTAINMENTS } from '../../domain/containment/failure-policies.ts';
import { dateTime, WEEKDAYS, type Weekday } from '../../domain/local-time.ts';
import {
  type DeploymentWindow,
  type OnFailure,
  policyAfter,
  type RolloutPolicy,
  type Verification,
} from '../../domain/rollout/policy.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import { describeSeconds } from '../../domain/sentences.ts';
import { AT_TIMEOUT, mostApprovalsNeeded } from '../../domain/signals/approval.ts';
import { describeFreeze } from '../../domain/turn/window.ts';
import { EVERY_SECONDS } from '../../domain/wave/gate-watch.ts';
import { AHEAD, IN_BAKE, type When } from '../../gates/gate.ts';
import { partAt, partsOf } from '../../gates/gates.ts';
import { listGates, type ToldGate } from '../story/gates.ts';
import { plainText } from '../text.ts';
import { describeFailed } from './watching.ts';

/** When rollouts may start, in lines. There are none where they may start at any time. */
export function describeOpenings({
  windows,
  freezes,
  windowsBind,
}: Pick<RolloutPolicy, 'windows' | 'freezes' | 'windowsBind'>): string[] {
  const shown = freezes.slice(0, MOST_FREEZES);
  const rest = freezes.length - shown.length;
  return [
    ...(windows.length === 0 ? [] : [`  Windows: ${describeWindows(windows)}`]),
    ...shown.map((freeze) => `  Freeze: ${plainText(describeFreeze(freeze))}`),
    ...(rest > 0 ? [`  Freezes: ${rest} more`] : []),
    ...(windowsBind === 'rolls' ? ['  Windows and freezes hold back every roll forward'] : []),
  ];
}

const MOST_FREEZES = 5;

export function describeWindows(windows: readonly DeploymentWindow[]): string {
  return windows.map(describeWindow).join('; ');
}

function describeWindow({ days, from, to, timeZone }: DeploymentWindow): string {
  return `${describeDays(days)} ${from} to ${to} ${timeZone}`;
}

/** `every day`, `mon to fri`, `mon, wed`. */
function describeDays(days: readonly Weekday[]): string {
  const open = WEEKDAYS.filter((day) => days.includes(day));
  if (open.length === WEEKDAYS.length) return 'every day';
  const start = WEEKDAYS.indexOf(open[0] ?? 'mon');
  const isRow = open.length > 2 && open.every((day, index) => WEEKDAYS[start + index] === day);
  return isRow ? `${open[0]} to ${open.at(-1)}` : open.join(', ');
}

/** What becomes of a stuck endpoint and of a bad version, in lines. */
export function describeOnFailure(onFailure: OnFailure): string[] {
  const stuck = policyAfter('stuck', onFailure);
  const bad = policyAfter('bad', onFailure);
  return [
    `  If an endpoint gets stuck: ${CONTAINMENTS[stuck].consequence} (${stuck})`,
    `  If the version is bad: ${CONTAINMENTS[bad].consequence} (${bad})`,
  ];
}

/** The same of a bad version alone, for the question before a start. */
export function describeIfBad(onFailure: OnFailure): string {
  return `If the version is bad, ${CONTAINMENTS[policyAfter('bad', onFailure)].consequence}.`;
}

/**
 * What is checked of each wave, in lines. There are none where nothing is.
 *
 * @param unchecked What is said then. @default - nothing
 */
export function describeGates(verify: Verification, unchecked: readonly string[] = []): string[] {
  const linesOf = (isEnforced: boolean, times: readonly When[]) =>
    partsOf(verify, isEnforced)
      .flatMap((part) => partAt(part, times))
      .flatMap(({ gate, said }) => gate.describe(said).map(plainText));
  const watchingLines = (times: readonly When[]) =>
    linesOf(false, times).map((line) => `Only watched: ${line}`);
  const ahead = [...linesOf(true, AHEAD), ...watchingLines(AHEAD)];
  const deciding = linesOf(true, IN_BAKE);
  const watching = watchingLines(IN_BAKE);
  const lines = [...deciding, ...approvalLines(verify.approval)];
  const all = [...lines, ...watching];
  const isNone = deciding.length + watching.length === 0;
  const when = isNone ? 'after each bake' : describeTimes(verify);
  return [
    ...(ahead.length === 0 ? [] : ['  Before it rolls:', ...ahead.map((line) => `    ${line}`)]),
    ...(lines.length === 0 ? unchecked : []),
    ...(all.length === 0 ? [] : [`  Gates, ${when}:`, ...all.map((line) => `    ${line}`)]),
  ];
}

function describeTimes({ everySeconds = EVERY_SECONDS, warmUpSeconds = 0 }: Verification): string {
  const every = `every ${describeSeconds(everySeconds)} in each bake and after it`;
  const warmUp = `; no answer counts in the first ${describeSeconds(warmUpSeconds)}`;
  return warmUpSeconds === 0 ? every : `${every}${warmUp}`;
}

function approvalLines(approval: Verification['approval']): string[] {
  if (approval === null) return [];
  const { timeoutSeconds, onTimeout, count = 1, notTheStarter = false } = approval;
  const limit = describeSeconds(timeoutSeconds);
  const who = `${count === 1 ? 'A person' : `${count} people`}${notTheStarter ? ' other than the starter' : ''}`;
  const proof = notTheStarter
    ? ` (${mostApprovalsNeeded(approval)} approvals, unless a schedule starts it)`
    : '';
  return [
    `${who} must approve${proof}, except after the last wave; after ${limit} it is ${AT_TIMEOUT[onTimeout]}`,
  ];
}

/** What the gates of each wave have answered so far, and why, one per line. */
export function describeAnswers(record: AskedRollout): string[] {
  return listGates(record).map(
    ({ wave, kind, name, verdict, detail, at, isWatching, wouldHaveFailed }) => {
      const gate = name === null ? kind : `${kind} ${name}`;
      const answer = wouldHaveFailed ? describeFailed(at) : ANSWERS[verdict];
      const only = isWatching && !wouldHaveFailed ? ' (only watches)' : '';
      const said = `Wave ${wave}: ${gate}: ${answer}, ${detail}${only}`;
      return `${dateTime(at)}  ${plainText(said)}`;
    },
  );
}

const ANSWERS: Readonly<Record<ToldGate['verdict'], string>> = {
  pass: 'yes',
  fail: 'no',
  unknown: 'no answer',
};
