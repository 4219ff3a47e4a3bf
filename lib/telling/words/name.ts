import { abbreviateIds } from '../../domain/rollout/name.ts';
import { describeWanted } from '../../domain/rollout/request.ts';
import { plainText } from '../text.ts';
import type { ListedRollout } from '../view/listed.ts';

type Named = Pick<ListedRollout, 'runtimeId' | 'version' | 'versionFrom' | 'versions' | 'revert'>;

/** `shop to version 7`. */
export function nameOfRollout({
  runtimeId,
  version,
  versionFrom,
  versions,
  revert,
}: Named): string {
  const wanted = describeWanted({
    desiredVersion: version,
    ...(versionFrom !== null && { versionFrom }),
    ...(versions !== null && { versions }),
    // Its beginning finds the rollout, and the rest would hide what follows.
    ...(revert !== null && { revert: abbreviateIds([revert]).get(revert) ?? revert }),
  });
  return plainText(`${runtimeId} to ${wanted}`);
}
