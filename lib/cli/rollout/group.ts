import { readJsonFile } from '../../adapters/machine/files.ts';
import type { OpenConfig } from '../../contract/config/config.ts';
import { runtimesOfGroup } from '../../contract/config/groups.ts';
import { policyOfRuntime } from '../../contract/config/policies.ts';
import { invalidInput } from '../../contract/input/parse-input.ts';
import { errorMessageOf } from '../../domain/errors.ts';
import { entryOf } from '../../domain/keyed.ts';
import {
  GROUP_FAILURE_POLICIES,
  groupIdOf,
  groupNameOf,
  mayContain,
} from '../../domain/rollout/group.ts';
import type { FailurePolicy } from '../../domain/rollout/policy.ts';
import type { AskedVersion } from '../../domain/rollout/request.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { readChildSummaries } from '../../steps/group/children.ts';
import { faultsOfVersions } from '../../steps/group/settle-versions.ts';
import type { GroupPlanning } from '../../steps/io/ports.ts';
import type { Invocation } from '../invocation/invocation.ts';

/** `--group prod` stands for the id of the group's rollouts, and `--versions` for what its file says. */
export function withGroup(invocation: Invocation): Invocation {
  const { given, mistakes } = withFile(invocation);
  const { '--group': group, ...rest } = given;
  if (group === undefined) return { given, mistakes };
  const isBoth = rest['runtime-id'] !== undefined;
  return {
    given: { ...rest, 'runtime-id': groupIdOf(String(group)) },
    mistakes: isBoth ? [...mistakes, '--group: leave out either it or the runtime'] : mistakes,
  };
}

function withFile({ given, mistakes }: Invocation): Invocation {
  const { '--versions': file } = given;
  if (file === undefined) return { given, mistakes };
  try {
    const { value, mistakes: found } = readJsonFile(String(file));
    const repeated = found.map(({ text }) => `--versions: ${file}, ${text}`);
    return { given: { ...given, '--versions': value }, mistakes: [...mistakes, ...repeated] };
  } catch (error) {
    // It was given, so nobody misses a version.
    const unread = { ...given, '--versions': {} };
    return { given: unread, mistakes: [...mistakes, `--versions: ${errorMessageOf(error)}`] };
  }
}

interface GroupOptions {
  readonly 'runtime-id': string;
  readonly '--engine': string;
  readonly '--versions'?: Readonly<Record<string, AskedVersion>> | undefined;
}

/** What the policy of each runtime says, and nothing else could say for all of them. */
const OF_RUNTIMES = ['--allow-downgrade', '--max-version-step'] as const;

/** Refuses what cannot be asked of a group, if it is one. @throws `InvalidInput` that lists every mistake. */
export function refuseForGroup(options: GroupOptions, config: OpenConfig): void {
  const name = groupNameOf(options['runtime-id']);
  if (name === null) {
    if (options['--versions'] === undefined) return;
    throw invalidInput('arguments', ['--versions: use it with --group, or --version']);
  }
  const given: Readonly<Record<string, unknown>> = { ...options };
  const onFailure = (given['--on-failure'] ?? 'hold') as FailurePolicy;
  const mistakes = [
    // On AWS the deployed configuration has the group, or not.
    ...(options['--engine'] === 'aws' ? [] : missingGroup(name, config)),
    ...(options['--engine'] === 'aws' ? [] : faultsOfFile(name, options, config)),
    ...(mayContain(options['runtime-id'], onFailure)
      ? []
      : [`--on-failure: ${JSON.stringify(onFailure)} is not allowed; ${A_GROUP_MAY}`]),
    ...OF_RUNTIMES.filter((option) => given[option] !== undefined).map(
      (option) => `${option}: leave it out, the policy of each runtime says it`,
    ),
  ];
  if (mistakes.length > 0) throw invalidInput('arguments', mistakes);
}

/** What a group can do with what it has rolled, for the end of a message. */
export const A_GROUP_MAY = `use ${GROUP_FAILURE_POLICIES.map((one) => JSON.stringify(one)).join(' or ')}, a group cannot stop its runtimes`;

function missingGroup(name: string, { groups = {} }: OpenConfig): string[] {
  if (Object.hasOwn(groups, name)) return [];
  const known = Object.keys(groups).map((one) => JSON.stringify(one));
  const advice =
    known.length === 0
      ? 'the configuration in use has no groups; name one that has with --config'
      : `use a group of the configuration: ${known.join(', ')}`;
  return [`--group: ${JSON.stringify(name)} is not allowed; ${advice}`];
}

function faultsOfFile(
  name: string,
  { '--versions': versions }: GroupOptions,
  config: OpenConfig,
): string[] {
  const runtimeIds = runtimesOfGroup(config, name);
  if (versions === undefined || runtimeIds === null) return [];
  return faultsOfVersions(runtimeIds, versions).map((fault) => `--versions: ${fault}`);
}

/** What the configuration says of groups and of their runtimes. */
export function planningOf(config: OpenConfig): GroupPlanning {
  return {
    policyOf: (runtimeId) => policyOfRuntime(config, runtimeId),
    runtimesOf: (name) => runtimesOfGroup(config, name),
    attributesOf: (runtimeId) => entryOf(config.runtimes, runtimeId)?.attributes ?? {},
  };
}

/**
 * The rollout to show: the one that was named, or the one that it has started for the runtime that was named. Of two,
 * there and back, it is the later one.
 *
 * @throws `InvalidInput` when there is none, `RolloutNotFound`.
 */
export async function chooseRollout(
  rolloutId: string,
  runtimeId: string | undefined,
  ledger: Pick<Ledger, 'read' | 'readSummary'>,
): Promise<string> {
  if (runtimeId === undefined) return rolloutId;
  const record = await ledger.read(rolloutId);
  const children = await readChildSummaries(record, ledger);
  const child = children.findLast((each) => each.runtimeId === runtimeId);
  if (child !== undefined) return child.rolloutId;
  const isOfGroup = groupNameOf(record.request.runtimeId) !== null;
  const known = [...new Set(children.map((each) => JSON.stringify(each.runtimeId)))];
  const advice = isOfGroup
    ? `it has rolled ${known.length === 0 ? 'none yet' : known.join(', ')}`
    : 'leave it out: the rollout is not of a group';
  throw invalidInput('arguments', [
    `--runtime: ${JSON.stringify(runtimeId)} is not allowed; ${advice}`,
  ]);
}
