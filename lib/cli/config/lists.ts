import { type Endpoint, isStopped } from '../../domain/endpoint/endpoint.ts';
import { ErrorName, errorMessageOf, errorNameOf } from '../../domain/errors.ts';
import { isSelected } from '../../domain/planning/selection.ts';
import type { RuntimeVersion } from '../../domain/planning/version.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import { asSentence } from '../../domain/sentences.ts';
import { answerTo } from '../invocation/exit-code.ts';
import type { OpenedConfig } from './tried.ts';

/** The lists of a runtime, or why they could not be read. A runtime that is missing was not asked for. */
export type ListsRead =
  | {
      readonly endpoints: readonly Endpoint[];
      /** Why no rollout could see a version go live, in a sentence. `null`: it could. */
      readonly untold: string | null;
      readonly versions: VersionsRead;
    }
  | { readonly error: unknown };

/** `null`: the service cannot list versions. */
type VersionsRead =
  | { readonly versions: readonly RuntimeVersion[] }
  | { readonly error: unknown }
  | null;

/** Reads one list after the other. When the service itself is the fault, the other lists would have it too. */
export async function readRuntimes(
  runtimes: readonly string[],
  service: OpenedConfig['service'],
): Promise<ReadonlyMap<string, ListsRead>> {
  const read = new Map<string, ListsRead>();
  for (const runtimeId of runtimes) {
    try {
      const endpoints = await service.list(runtimeId);
      const untold = service.faultOfLists?.() ?? null;
      read.set(runtimeId, { endpoints, untold, versions: await readVersions(runtimeId, service) });
    } catch (error) {
      read.set(runtimeId, { error });
      if (whoseFault(error) !== 'runtime') break;
    }
  }
  return read;
}

async function readVersions(
  runtimeId: string,
  service: OpenedConfig['service'],
): Promise<VersionsRead> {
  if (!service.abilities.listsVersions) return null;
  try {
    return { versions: await service.listVersions(runtimeId) };
  } catch (error) {
    return { error };
  }
}

/** What is wrong when a list cannot be read. */
export function whoseFault(error: unknown): 'service' | 'credentials' | 'runtime' {
  const { says, source } = answerTo(errorNameOf(error));
  const isOfToken = errorNameOf(error) === ErrorName.InvalidCredential;
  if (source === 'credentials' || isOfToken) return 'credentials';
  return says === 'unknown' ? 'service' : 'runtime';
}

export function sentenceOf(error: unknown): string {
  return asSentence(`${errorNameOf(error)}: ${errorMessageOf(error)}`.replaceAll(/\s*\n\s*/g, ' '));
}

export const NO_LIST = 'There is no list of its endpoints.';

export function endpointsInScope(
  endpoints: readonly Endpoint[],
  { selection, statuses }: RolloutPolicy,
): readonly Endpoint[] {
  return endpoints.filter((one) => isSelected(one, selection) && !isStopped(one, statuses));
}
