import { listFates } from '../../domain/ending/fate.ts';
import { toCreate } from '../../domain/planning/create-one.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import { describeWanted } from '../../domain/rollout/request.ts';
import { nameOf } from '../../domain/sentences.ts';
import { listNames, plainText } from '../text.ts';

/**
 * What a retry of a rollout does, before it is done.
 *
 * @param children What the rollout of a group has started.
 */
export function describeRetry(
  record: AskedRollout,
  children: readonly AskedRollout[],
): readonly string[] {
  const { request } = record;
  const what = plainText(`A new rollout to ${describeWanted(request)} starts`);
  const stopped = describeStopped(record, children);
  return [
    `${what}, with the same policy.`,
    groupNameOf(request.runtimeId) === null
      ? 'It rolls what is not there yet.'
      : 'It rolls the runtimes that are not there yet, each with a rollout of its own, by its own policy.',
    ...(stopped === null ? [] : [stopped]),
  ];
}

/** Names what a rollout has stopped, because neither a retry nor a revert brings it back. `null`: it has stopped nothing. */
export function describeStopped(
  record: AskedRollout,
  children: readonly AskedRollout[],
): string | null {
  const names = [
    ...namesOfStopped(record),
    ...children.flatMap((child) =>
      namesOfStopped(child).map((name) => `${name} of ${child.request.runtimeId}`),
    ),
  ];
  if (names.length === 0) return null;
  const [was, stays] = names.length === 1 ? ['was', 'stays'] : ['were', 'stay'];
  const { runtimeId } = record.request;
  const of = groupNameOf(runtimeId) === null ? runtimeId : 'RUNTIME';
  return `${listNames(names)} ${was} stopped and ${stays} stopped: of a stop there is no way back. ${toCreate('a new one', of)}`;
}

/** An earlier rollout may have stopped some, and then the plan has left them out. */
function namesOfStopped(record: AskedRollout): string[] {
  const fates = listFates(record).filter(({ fate }) => fate === 'stopped');
  const leftOut = record.plan?.leftOut.filter(({ reason }) => reason === 'stopped') ?? [];
  const names = [...fates.map(({ name }) => name), ...leftOut.map(nameOf)];
  return [...new Set(names)];
}
