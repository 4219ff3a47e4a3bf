import { describeDuration } from '../../domain/durations.ts';
import { WEEKDAYS, type Weekday } from '../../domain/local-time.ts';
import {
  type DeploymentWindow,
  FAILURE_KINDS,
  type Freeze,
  type OnFailure,
  policyAfter,
  type RolloutPolicy,
  type Verification,
} from '../../domain/rollout/policy.ts';
import { listNames, plainText } from '../terminal/text.ts';

/** When rollouts may start, in lines. There are none where they may start at any time. */
export function describeOpenings({
  windows,
  freezes,
}: Pick<RolloutPolicy, 'windows' | 'freezes'>): string[] {
  const shown = freezes.slice(0, MOST_FREEZES);
  const rest = freezes.length - shown.length;
  return [
    ...(windows.length === 0 ? [] : [`  Windows: ${windows.map(describeWindow).join('; ')}`]),
    ...shown.map((freeze) => `  Freeze: ${describeFreeze(freeze)}`),
    ...(rest > 0 ? [`  Freezes: ${rest} more`] : []),
  ];
}

const MOST_FREEZES = 5;

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

function describeFreeze({ from, to, timeZone, reason }: Freeze): string {
  const why = reason === undefined ? '' : ` (${plainText(reason)})`;
  return `${from} to ${to} ${timeZone}${why}`;
}

/** `on failure: hold`, or `if stuck: stop-old, if bad: roll-back`. */
export function describeOnFailure(onFailure: OnFailure): string {
  const [stuck, bad] = FAILURE_KINDS.map((kind) => policyAfter(kind, onFailure));
  return stuck === bad ? `on failure: ${stuck}` : `if stuck: ${stuck}, if bad: ${bad}`;
}

/** What is checked after each bake, in lines. There are none where nothing is. */
export function describeGates(verify: Verification): string[] {
  const gates: Readonly<Record<keyof Verification, readonly string[]>> = {
    probe: probeLines(verify.probe),
    alarms: alarmLines(verify.alarms),
    metrics: verify.metrics.map(metricLine),
    approval: approvalLines(verify.approval),
  };
  const lines = Object.values(gates).flat();
  return lines.length === 0
    ? []
    : ['  Gates after each bake:', ...lines.map((line) => `    ${line}`)];
}

function probeLines(probe: Verification['probe']): string[] {
  if (probe === null) return [];
  const { path, status, tries, timeoutSeconds, hosts, privateNetwork } = probe;
  const where = `${listNames(hosts)}${privateNetwork ? ', private networks too' : ''}`;
  const often = tries === 1 ? '1 try' : `${tries} tries`;
  return [
    `GET ${plainText(path)} must be answered with ${status} (at ${where}; ${often} of ${timeoutSeconds} s)`,
  ];
}

function alarmLines(alarms: Verification['alarms']): string[] {
  if (alarms.length === 0) return [];
  return [`${alarms.length === 1 ? 'The alarm' : 'Each alarm'} must be OK: ${listNames(alarms)}`];
}

function metricLine(rule: Verification['metrics'][number]): string {
  const { namespace, metric, dimensions, statistic, per, limit, noData } = rule;
  const isOfEach = Object.values(dimensions).some((value) => value.includes('{endpoint}'));
  const name = plainText(`${metric}${per === null ? '' : ` per ${per.metric}`}`);
  const most = 'above' in limit ? `above ${limit.above}` : `below ${limit.below}`;
  const silence = noData === 'wait' ? '' : `; no data is a ${noData === 'pass' ? 'yes' : 'no'}`;
  const whose = isOfEach ? ' of each endpoint' : '';
  return `${name}${whose} must not be ${most} (${statistic} in ${plainText(namespace)}${silence})`;
}

function approvalLines(approval: Verification['approval']): string[] {
  if (approval === null) return [];
  const { timeoutSeconds, onTimeout } = approval;
  const otherwise = onTimeout === 'approve' ? 'approved' : 'rejected';
  const limit = describeDuration(timeoutSeconds * 1000);
  return [`A person must approve, except after the last wave; after ${limit} it is ${otherwise}`];
}
