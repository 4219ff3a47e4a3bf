import { plainText } from '../cli/terminal/text.ts';
import type { ListedRollout } from '../contract/output/listed.ts';
import { describeStarter } from '../domain/events/event-sentences.ts';
import { describeWanted } from '../domain/rollout/request.ts';

/** Who or what started it. */
export function starterOf({ startedBy }: Pick<ListedRollout, 'startedBy'>): string {
  return plainText(describeStarter({ ...startedBy, at: Date.parse(startedBy.at) }));
}

type Named = Pick<ListedRollout, 'runtimeId' | 'version' | 'versionFrom' | 'revert'>;

/** `shop to version 7`. */
export function nameOfRollout({ runtimeId, version, versionFrom, revert }: Named): string {
  const wanted = describeWanted({
    desiredVersion: version,
    ...(versionFrom !== null && { versionFrom }),
    ...(revert !== null && { revert }),
  });
  return plainText(`${runtimeId} to ${wanted}`);
}
