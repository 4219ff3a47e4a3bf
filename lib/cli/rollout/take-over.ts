import { isOfOtherService } from '../../domain/rollout/request.ts';
import { type EngineOptions, hasHistory, withEngine } from '../engine/open-engine.ts';
import { plainText } from '../terminal/text.ts';

/**
 * The rollout of the runtime that a start would end, because its process seems to be dead. `null`: there is none. On
 * AWS the janitor closes such rollouts.
 */
export async function findDead(
  runtimeId: string,
  endpointUrl: string | undefined,
  options: EngineOptions,
): Promise<string | null> {
  if (options['--engine'] === 'aws' || !hasHistory(options)) return null;
  return withEngine({ ...options, '--debug': false }, async ({ ledger, isAbandoned }) => {
    const held = (await ledger.listHeld()).find((lease) => lease.runtimeId === runtimeId);
    if (held === undefined || !(await isAbandoned(held.rolloutId))) return null;
    const { request } = await ledger.read(held.rolloutId);
    // Such a rollout is not ended but refuses the new one.
    const isRefused = endpointUrl !== undefined && isOfOtherService(request, { endpointUrl });
    return isRefused ? null : held.rolloutId;
  });
}

/** Says which rollout the new one ends, and before somebody has agreed to that, how to go on with it instead. */
export function announceTakeOver(runtimeId: string, dead: string, isAgreed: boolean): void {
  const what = `The runtime ${runtimeId} has a rollout that has not ended, and whose process seems to be dead`;
  const lines = [
    `${what}: ${dead}. The new one ends it when it begins, and rolls nothing back and stops nothing for it.`,
    ...(isAgreed ? [] : ['To go on with it instead:', `  steproll rollout resume ${dead}`]),
  ];
  process.stderr.write(`${lines.map(plainText).join('\n')}\n`);
}
