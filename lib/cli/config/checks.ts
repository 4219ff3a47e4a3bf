import { faultsOfApprovals } from '../../contract/config/approvers.ts';
import { runtimesOfGroup } from '../../contract/config/groups.ts';
import { policyOfRuntime, unnamedPolicies } from '../../contract/config/policies.ts';
import { expressionOf, type RolloutSchedule } from '../../contract/config/schedules.ts';
import { listNames } from '../../domain/endpoint/endpoint.ts';
import { describeWords, restingWordsOf, wordsShownBy } from '../../domain/endpoint/status-words.ts';
import { ErrorName, errorNameOf } from '../../domain/errors.ts';
import { unlistable } from '../../domain/planning/abilities.ts';
import { findVersion, unknownVersion } from '../../domain/planning/find-version.ts';
import { resolveVersion } from '../../domain/planning/version.ts';
import { groupIdOf, namedRuntime } from '../../domain/rollout/group.ts';
import { countsPeople, type RolloutPolicy } from '../../domain/rollout/policy.ts';
import { LATEST } from '../../domain/rollout/request.ts';
import { isUnbound } from '../../domain/turn/roll-window.ts';
import { decideWindow, describeOpening, rulesOfStart } from '../../domain/turn/window.ts';
import { gateChecks } from './gate-checks.ts';
import {
  endpointsInScope,
  type ListsRead,
  NO_LIST,
  readRuntimes,
  sentenceOf,
  whoseFault,
} from './lists.ts';
import { patternChecks } from './pattern-checks.ts';
import type { ConfigCheck, OpenedConfig } from './tried.ts';
import { twinCheck } from './twin-check.ts';
import { whenDue } from './when-due.ts';

/** Tries all that rollouts of these runtimes need: the service is asked for lists, and gates without their limits. */
export async function checkConfig(tried: OpenedConfig): Promise<readonly ConfigCheck[]> {
  const { config, runtimes, service, isOnAws = false, now } = tried;
  const groups = Object.keys(config.groups ?? {})
    .filter((group) => runtimesOfGroup(config, group)?.some((id) => runtimes.includes(id)))
    .map(groupIdOf);
  const checked = [...runtimes, ...groups];
  const read = await readRuntimes(runtimes, service);
  // Without a runtime there is nothing to ask the service for.
  const checks: ConfigCheck[] =
    runtimes.length === 0
      ? [windowsCheck(null, policyOfRuntime(config, ''), now)]
      : serviceChecks(read, tried);
  for (const id of checked) {
    const policy = policyOfRuntime(config, id);
    // A group has no list of its own.
    if (!groups.includes(id)) checks.push(runtimeCheck(id, read.get(id), policy));
    checks.push(
      ...statusesCheck(id, read.get(id), policy),
      ...versionsCheck(id, read.get(id)),
      ...(await twinCheck(id, read.get(id), tried)),
      ...(await gateChecks(id, read.get(id), policy, tried)),
      windowsCheck(id, policy, now),
      ...(isOnAws ? [] : approvalCheck(id, tried)),
    );
  }
  checks.push(
    ...unnamedPolicies(config).map(unnamedCheck),
    ...patternChecks(checked, read, config),
  );
  const schedules = config.triggers?.schedules ?? [];
  for (const schedule of schedules.filter((one) => checked.includes(namedRuntime(one)))) {
    const id = namedRuntime(schedule);
    checks.push(scheduleCheck(schedule, policyOfRuntime(config, id), read.get(id), now));
  }
  return checks;
}

/** A policy that is written and holds for nothing is mostly one that somebody believes to hold. */
function unnamedCheck(name: string): ConfigCheck {
  const message = `No runtime names it: "runtimes": { "ID": { "policy": ${JSON.stringify(name)} } }.`;
  return { check: 'policy', of: name, result: 'fault', message };
}

/** Whether as many people can prove who they are as may have to approve. */
function approvalCheck(id: string, { config }: OpenedConfig): ConfigCheck[] {
  const { approval } = policyOfRuntime(config, id).verify;
  const faults = faultsOfApprovals(config, id);
  if (!countsPeople(approval) && faults.length === 0) return [];
  const people = Object.keys(config.approvers ?? {}).join(', ');
  return [
    faults.length === 0
      ? { check: 'approval', of: id, result: 'ok', message: `Answers come from ${people}.` }
      : { check: 'approval', of: id, result: 'fault', message: faults.join('; ') },
  ];
}

function serviceChecks(
  read: ReadonlyMap<string, ListsRead>,
  { service, urlFrom, unasked, credentials }: OpenedConfig,
): [ConfigCheck, ConfigCheck] {
  const failed = [...read.values()].flatMap((one) => ('error' in one ? [one.error] : []));
  const find = (what: ReturnType<typeof whoseFault>) =>
    failed.find((error) => whoseFault(error) === what);
  const silence = find('service');
  const refusal = find('credentials');
  const where = `${service.url}, from ${urlFrom}`;
  const url = { check: 'service', of: null } as const;
  const auth = { check: 'credentials', of: null } as const;
  if (silence !== undefined || unasked !== null) {
    const answer = silence === undefined ? 'it answers.' : sentenceOf(silence);
    const message = [`${where}: ${answer}`, ...(unasked === null ? [] : [unasked])].join(' ');
    return [
      { ...url, result: 'unknown', message },
      { ...auth, result: 'untried', message: credentials },
    ];
  }
  const isSecretMissing = refusal !== undefined && errorNameOf(refusal) !== ErrorName.UpstreamAuth;
  return [
    isSecretMissing
      ? { ...url, result: 'untried', message: `${where}: it was not asked.` }
      : { ...url, result: 'ok', message: `${where}: it answers.` },
    refusal === undefined
      ? { ...auth, result: 'ok', message: credentials }
      : { ...auth, result: 'fault', message: `${credentials} ${sentenceOf(refusal)}` },
  ];
}

function runtimeCheck(of: string, read: ListsRead | undefined, policy: RolloutPolicy): ConfigCheck {
  const about = { check: 'runtime', of } as const;
  if (read === undefined || ('error' in read && whoseFault(read.error) !== 'runtime')) {
    return { ...about, result: 'untried', message: NO_LIST };
  }
  if ('error' in read) return { ...about, result: 'fault', message: sentenceOf(read.error) };
  const { endpoints, untold } = read;
  if (untold !== null) return { ...about, result: 'fault', message: untold };
  const inScope = endpointsInScope(endpoints, policy);
  const message = `${inScope.length} of ${endpoints.length} endpoints are selected and not stopped.`;
  return { ...about, result: inScope.length === 0 ? 'fault' : 'ok', message };
}

/** The status words that came, and what they are taken for. */
function statusesCheck(
  of: string,
  read: ListsRead | undefined,
  { statuses }: RolloutPolicy,
): ConfigCheck[] {
  if (read === undefined || 'error' in read) return [];
  const { endpoints } = read;
  const words = wordsShownBy(endpoints, statuses, restingWordsOf(endpoints, statuses));
  if (words.length === 0) return [];
  return [{ check: 'statuses', of, result: 'ok', message: `${describeWords(words, statuses)}.` }];
}

/** There is nothing to check where the service cannot list versions. */
function versionsCheck(of: string, read: ListsRead | undefined): ConfigCheck[] {
  if (read === undefined || 'error' in read || read.versions === null) return [];
  const about = { check: 'versions', of } as const;
  if ('error' in read.versions) {
    const { error } = read.versions;
    const result = whoseFault(error) === 'service' ? 'unknown' : 'fault';
    return [{ ...about, result, message: sentenceOf(error) }];
  }
  const found = findVersion(read.versions.versions, LATEST);
  if (found.state === 'none') return [{ ...about, result: 'fault', message: found.message }];
  const message =
    found.state === 'ready'
      ? `Version ${found.version} is the latest one.`
      : `${found.message} A rollout to it waits until then.`;
  return [{ ...about, result: 'ok', message }];
}

function windowsCheck(of: string | null, policy: RolloutPolicy, now: number): ConfigCheck {
  const about = { check: 'windows', of, result: 'ok' } as const;
  const bound = describeBound(policy);
  if (isUnbound(rulesOfStart(policy)) && policy.freezes.length === 0) {
    return { ...about, message: ['Rollouts may start at any time.', ...bound].join(' ') };
  }
  const { message, changesAt } = describeOpening(rulesOfStart(policy), now);
  return { ...about, message: [message, ...bound].join(' '), next: changesAt };
}

/** What the windows and freezes of the policy hold back, and those of single waves, in sentences. */
function describeBound({ windows, freezes, windowsBind, waves }: RolloutPolicy): string[] {
  const narrowed = waves.flatMap((wave, index) => (wave.windows?.length ? [`${index + 1}`] : []));
  const named = [
    ...(windows.length > 0 ? ['windows'] : []),
    ...(freezes.length > 0 ? ['freezes'] : []),
  ].join(' and ');
  const what = windowsBind === 'rolls' ? 'each roll forward' : 'only the start of a rollout';
  return [
    ...(named === '' ? [] : [`The ${named} hold back ${what}.`]),
    ...(narrowed.length === 0
      ? []
      : [`Windows of wave ${listNames(narrowed)} hold back the rolls of that wave.`]),
  ];
}

function scheduleCheck(
  schedule: RolloutSchedule,
  policy: RolloutPolicy,
  read: ListsRead | undefined,
  now: number,
): ConfigCheck {
  const about = { check: 'schedule', of: schedule.name } as const;
  const fault = faultOfVersion(schedule, policy, read);
  const what = `${namedRuntime(schedule)}, ${expressionOf(schedule)}`;
  if (fault !== null) return { ...about, result: 'fault', message: `${what}: ${fault}` };
  const { next, isOver, message } = whenDue(schedule, now);
  if (next === null) return { ...about, result: isOver ? 'fault' : 'ok', message };
  const { outsideWindow } = policy;
  const window = decideWindow({ ...rulesOfStart(policy), outsideWindow }, next);
  if (window.decision === 'go') return { ...about, result: 'ok', message, next };
  const result = window.decision === 'wait' ? 'ok' : 'fault';
  return { ...about, result, message: `${message} ${window.message}`, next };
}

/** Why the version of a schedule cannot be rolled now, in a sentence. `null`: it can, or nobody knows. */
function faultOfVersion(
  { version, versionFrom }: RolloutSchedule,
  { statuses }: RolloutPolicy,
  read: ListsRead | undefined,
): string | null {
  if (read === undefined || 'error' in read) return null;
  const { endpoints, versions } = read;
  try {
    if (versionFrom !== undefined) {
      resolveVersion(endpoints, versionFrom.endpoint, statuses);
    } else if (versions === null) {
      if (version === LATEST) throw unlistable();
    } else if (version !== undefined && 'versions' in versions) {
      const found = findVersion(versions.versions, version);
      if (found.state === 'none') throw unknownVersion(found);
    }
    return null;
  } catch (error) {
    return sentenceOf(error);
  }
}
