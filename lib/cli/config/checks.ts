import type { OpenConfig } from '../../contract/config/config.ts';
import { runtimesOfGroup } from '../../contract/config/groups.ts';
import { policyOfRuntime } from '../../contract/config/policies.ts';
import { expressionOf, type RolloutSchedule, rolledBy } from '../../contract/config/schedules.ts';
import { listReadings } from '../../domain/ending/failure.ts';
import { type Endpoint, isStopped } from '../../domain/endpoint/endpoint.ts';
import { ErrorName, errorMessageOf, errorNameOf } from '../../domain/errors.ts';
import { unlistable } from '../../domain/planning/abilities.ts';
import { findVersion, unknownVersion } from '../../domain/planning/find-version.ts';
import { type RuntimeVersion, resolveVersion } from '../../domain/planning/version.ts';
import { isSelected } from '../../domain/planning/waves.ts';
import { groupIdOf } from '../../domain/rollout/group.ts';
import type { RolloutPolicy, Verification } from '../../domain/rollout/policy.ts';
import { LATEST } from '../../domain/rollout/request.ts';
import { decideWindow, describeOpening, describeTime } from '../../domain/turn/window.ts';
import type { GateReading } from '../../domain/wave/gates.ts';
import { nameOfMetric, questionsAbout } from '../../domain/wave/metrics.ts';
import { nextTime, timeOf } from '../../listener/next-time.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import type { GateAnswer, Gates } from '../../ports/gates.ts';
import {
  LATELY_MS,
  unanswerableAlarms,
  unanswerableProbes,
  whatToMend,
} from '../../steps/opening/gates.ts';
import { answerTo } from '../invocation/error-answers.ts';

/** One thing that was tried. */
export interface Check {
  readonly check:
    | 'service'
    | 'credentials'
    | 'runtime'
    | 'versions'
    | 'probe'
    | 'alarms'
    | 'metrics'
    | 'windows'
    | 'schedule';
  /** Id of the runtime or of the rollouts of a group, or name of the schedule. `null`: it is about all of them. */
  readonly of: string | null;
  /** `unknown`: nothing answered. `untried`: another fault kept it from being tried. */
  readonly result: 'ok' | 'fault' | 'unknown' | 'untried';
  /** A sentence. */
  readonly message: string;
  /** When the windows open or close, or the schedule is due, in milliseconds since the Unix epoch. @default - never */
  readonly next?: number | null;
}

interface Tried {
  readonly config: Pick<OpenConfig, 'policy' | 'runtimes' | 'groups' | 'triggers'>;
  /** Ids of the runtimes that are checked. */
  readonly runtimes: readonly string[];
  readonly service: Pick<EndpointService, 'abilities' | 'list' | 'listVersions' | 'url'>;
  readonly gates: Pick<Gates, 'alarm' | 'metrics'>;
  /** Name of the place that the URL of the service comes from. */
  readonly urlFrom: string;
  /** Which credentials are sent, in a sentence. */
  readonly credentials: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/**
 * Tries everything that rollouts of these runtimes need. The service is only asked for lists, and AWS for alarms and
 * metrics.
 */
export async function checkConfig(tried: Tried): Promise<readonly Check[]> {
  const { config, runtimes, service, gates, now } = tried;
  const read = await readRuntimes(runtimes, service);
  const checks: Check[] = serviceChecks(read, tried);
  for (const runtimeId of runtimes) {
    const policy = policyOfRuntime(config, runtimeId);
    checks.push(
      runtimeCheck(runtimeId, read.get(runtimeId), policy),
      ...versionsCheck(runtimeId, read.get(runtimeId)),
      ...probeCheck(runtimeId, read.get(runtimeId), policy),
      ...(await alarmsCheck(runtimeId, policy.verify, gates)),
      ...(await metricsCheck(runtimeId, read.get(runtimeId), policy, tried)),
      windowsCheck(runtimeId, policy, now),
    );
  }
  const hasChecked = (group: string) =>
    runtimesOfGroup(config, group)?.some((id) => runtimes.includes(id));
  for (const groupId of Object.keys(config.groups ?? {})
    .filter(hasChecked)
    .map(groupIdOf)) {
    const policy = policyOfRuntime(config, groupId);
    checks.push(
      ...(await alarmsCheck(groupId, policy.verify, gates)),
      windowsCheck(groupId, policy, now),
    );
  }
  const schedules = config.triggers?.schedules ?? [];
  return [
    ...checks,
    ...schedules
      .filter(({ runtimeId, group = '' }) =>
        runtimeId === undefined ? hasChecked(group) : runtimes.includes(runtimeId),
      )
      .map((schedule) => {
        const runtimeId = rolledBy(schedule);
        const policy = policyOfRuntime(config, runtimeId);
        return scheduleCheck(schedule, policy, read.get(runtimeId), now);
      }),
  ];
}

/** The lists of a runtime, or why they could not be read. A runtime that is missing was not asked for. */
type Read =
  | { readonly endpoints: readonly Endpoint[]; readonly versions: VersionsRead }
  | { readonly error: unknown };

/** `null`: the service cannot list versions. */
type VersionsRead =
  | { readonly versions: readonly RuntimeVersion[] }
  | { readonly error: unknown }
  | null;

/** Reads one list after the other. When the service itself is the fault, the other lists would have it too. */
async function readRuntimes(
  runtimes: readonly string[],
  service: Tried['service'],
): Promise<ReadonlyMap<string, Read>> {
  const read = new Map<string, Read>();
  for (const runtimeId of runtimes) {
    try {
      const endpoints = await service.list(runtimeId);
      read.set(runtimeId, { endpoints, versions: await readVersions(runtimeId, service) });
    } catch (error) {
      read.set(runtimeId, { error });
      if (faultOf(error) !== 'runtime') break;
    }
  }
  return read;
}

async function readVersions(runtimeId: string, service: Tried['service']): Promise<VersionsRead> {
  if (!service.abilities.listsVersions) return null;
  try {
    return { versions: await service.listVersions(runtimeId) };
  } catch (error) {
    return { error };
  }
}

/** What is wrong when a list cannot be read. */
function faultOf(error: unknown): 'service' | 'credentials' | 'runtime' {
  const { says, source } = answerTo(errorNameOf(error));
  const isOfToken = errorNameOf(error) === ErrorName.InvalidCredential;
  if (source === 'credentials' || isOfToken) return 'credentials';
  return says === 'unknown' ? 'service' : 'runtime';
}

function serviceChecks(
  read: ReadonlyMap<string, Read>,
  { service, urlFrom, credentials }: Tried,
): [Check, Check] {
  const failed = [...read.values()].flatMap((one) => ('error' in one ? [one.error] : []));
  const find = (what: ReturnType<typeof faultOf>) =>
    failed.find((error) => faultOf(error) === what);
  const silence = find('service');
  const refusal = find('credentials');
  const where = `${service.url}, from ${urlFrom}`;
  const url = { check: 'service', of: null } as const;
  const auth = { check: 'credentials', of: null } as const;
  if (silence !== undefined) {
    return [
      { ...url, result: 'unknown', message: `${where}: ${sentenceOf(silence)}` },
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

function sentenceOf(error: unknown): string {
  const text = `${errorNameOf(error)}: ${errorMessageOf(error)}`.replaceAll(/\s*\n\s*/g, ' ');
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function runtimeCheck(of: string, read: Read | undefined, policy: RolloutPolicy): Check {
  const about = { check: 'runtime', of } as const;
  if (read === undefined || ('error' in read && faultOf(read.error) !== 'runtime')) {
    return { ...about, result: 'untried', message: NO_LIST };
  }
  if ('error' in read) return { ...about, result: 'fault', message: sentenceOf(read.error) };
  const { endpoints } = read;
  const inScope = endpointsInScope(endpoints, policy);
  const message = `${inScope.length} of ${endpoints.length} endpoints are selected and not stopped.`;
  return { ...about, result: inScope.length === 0 ? 'fault' : 'ok', message };
}

const NO_LIST = 'There is no list of its endpoints.';

function endpointsInScope(
  endpoints: readonly Endpoint[],
  { selection, statuses }: RolloutPolicy,
): readonly Endpoint[] {
  return endpoints.filter((one) => isSelected(one, selection) && !isStopped(one, statuses));
}

/** There is nothing to check where the service cannot list versions. */
function versionsCheck(of: string, read: Read | undefined): Check[] {
  if (read === undefined || 'error' in read || read.versions === null) return [];
  const about = { check: 'versions', of } as const;
  if ('error' in read.versions) {
    const { error } = read.versions;
    const result = faultOf(error) === 'service' ? 'unknown' : 'fault';
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

function probeCheck(of: string, read: Read | undefined, policy: RolloutPolicy): Check[] {
  const { probe } = policy.verify;
  if (probe === null) return [];
  const about = { check: 'probe', of } as const;
  if (read === undefined || 'error' in read) {
    return [{ ...about, result: 'untried', message: NO_LIST }];
  }
  const { endpoints } = read;
  const planned = endpointsInScope(endpoints, policy).map(({ id }) => ({ endpointId: id }));
  const faults = unanswerableProbes({ endpoints: planned }, endpoints, policy);
  return faults.length === 0
    ? [{ ...about, result: 'ok', message: 'The host of each endpoint is in verify.probe.hosts.' }]
    : faults.map((message) => ({ ...about, result: 'fault', message }));
}

async function alarmsCheck(
  of: string,
  verify: Pick<Verification, 'alarms'>,
  gates: Pick<Gates, 'alarm'>,
): Promise<Check[]> {
  if (verify.alarms.length === 0) return [];
  const about = { check: 'alarms', of } as const;
  const asked = verify.alarms.map(async (name) => ({ name, ...(await gates.alarm(name)) }));
  const answers = await Promise.all(asked);
  const faults = await unanswerableAlarms(verify, {
    alarm: async (name) => answers.find((answer) => answer.name === name) ?? gates.alarm(name),
  });
  const isRead = ({ verdict, detail }: GateAnswer) => verdict !== 'unknown' || detail === NO_DATA;
  const states = answers.filter(isRead).map(({ name, detail }) => `${name} is ${detail}`);
  const silent = answers
    .filter((answer) => !isRead(answer) && answer.mend === undefined)
    .map(({ name, detail }) => `${name}: ${detail}`);
  return [
    ...faults.map((message): Check => ({ ...about, result: 'fault', message })),
    ...(silent.length === 0
      ? []
      : [{ ...about, result: 'unknown', message: `${silent.join('; ')}.` } as const]),
    ...(states.length === 0
      ? []
      : [{ ...about, result: 'ok', message: `${states.join('; ')}.` } as const]),
  ];
}

/** The alarm is there and can be read. Traffic may bring its data. */
const NO_DATA = 'INSUFFICIENT_DATA';

/** A limit that no value breaks, because a value of today says nothing about the next version. */
const NO_LIMIT = { above: Number.POSITIVE_INFINITY };

async function metricsCheck(
  of: string,
  read: Read | undefined,
  policy: RolloutPolicy,
  { gates, now }: Pick<Tried, 'gates' | 'now'>,
): Promise<Check[]> {
  if (policy.verify.metrics.length === 0) return [];
  const about = { check: 'metrics', of } as const;
  if (read === undefined || 'error' in read) {
    return [{ ...about, result: 'untried', message: NO_LIST }];
  }
  const endpoints = endpointsInScope(read.endpoints, policy);
  const names = endpoints.map(({ name, id }) => name ?? id);
  const desiredVersion = Math.max(1, ...endpoints.map(({ liveVersion }) => liveVersion ?? 1));
  const questions = policy.verify.metrics.flatMap((rule) =>
    questionsAbout(
      { ...rule, limit: NO_LIMIT },
      { runtimeId: of, desiredVersion },
      names,
      now - LATELY_MS,
      now,
    ),
  );
  const answers = await gates.metrics(questions);
  const readings = questions.flatMap((question, index): GateReading[] => {
    const answer = answers[index];
    if (answer === undefined || answer.mend !== undefined) return [];
    return [{ kind: 'metric', name: nameOfMetric(question), ...answer }];
  });
  const faults = whatToMend('verify.metrics', questions.map(nameOfMetric), answers);
  const isRead = ({ verdict }: GateReading) => verdict === 'pass';
  const silent = readings.filter((reading) => !isRead(reading));
  const said = readings.filter(isRead);
  return [
    ...faults.map((message): Check => ({ ...about, result: 'fault', message })),
    ...(silent.length === 0
      ? []
      : [{ ...about, result: 'unknown', message: `${listReadings(silent)}.` } as const]),
    ...(said.length === 0
      ? []
      : [{ ...about, result: 'ok', message: `${listReadings(said)}.` } as const]),
  ];
}

function windowsCheck(of: string, policy: RolloutPolicy, now: number): Check {
  const about = { check: 'windows', of, result: 'ok' } as const;
  if (policy.windows.length === 0 && policy.freezes.length === 0) {
    return { ...about, message: 'Rollouts may start at any time.' };
  }
  const { message, changesAt } = describeOpening(policy, now);
  return { ...about, message, next: changesAt };
}

function scheduleCheck(
  schedule: RolloutSchedule,
  policy: RolloutPolicy,
  read: Read | undefined,
  now: number,
): Check {
  const { name, timeZone = 'UTC' } = schedule;
  const about = { check: 'schedule', of: name } as const;
  const what = `${rolledBy(schedule)}, ${expressionOf(schedule)}`;
  const fault = faultOfVersion(schedule, policy, read);
  if (fault !== null) return { ...about, result: 'fault', message: `${what}: ${fault}` };
  if (schedule.rate !== undefined)
    return { ...about, result: 'ok', message: `${what}: ${OF_RATE}` };
  const next = nextTime(schedule, now, now);
  if (next === null) {
    const over = schedule.at === undefined ? null : timeOf(schedule.at, timeZone);
    const why =
      over === null
        ? 'it is never due, because no clock shows it.'
        : 'it was due, and starts nothing any more.';
    return { ...about, result: 'fault', message: `${what}: ${why}` };
  }
  const due = `${what}: next at ${describeTime(next, timeZone)}`;
  const window = decideWindow(policy, next);
  if (window.decision === 'go') return { ...about, result: 'ok', message: `${due}.`, next };
  const result = window.decision === 'wait' ? 'ok' : 'fault';
  return { ...about, result, message: `${due}. ${window.message}`, next };
}

const OF_RATE = 'counted from its deployment, or from the first listener that runs for it.';

/** Why the version of a schedule cannot be rolled now, in a sentence. `null`: it can, or nobody knows. */
function faultOfVersion(
  { version, versionFrom }: RolloutSchedule,
  { statuses }: RolloutPolicy,
  read: Read | undefined,
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
