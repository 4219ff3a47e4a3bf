import type { EndpointState, JournalEntry } from '../../domain/rollout.ts';
import { describeDuration } from './describe-duration.ts';
import { plainText } from './plain-text.ts';
import type { RolloutModel } from './rollout-model.ts';

/** Turns what happens into lines, for where nothing can be drawn over: a pipe, a file, a CI log. */
export function createLogLines(model: RolloutModel, bakeSeconds: number) {
  let lastCounts = '';
  const wave = () => `Wave ${(model.progress?.wave ?? 0) + 1} of ${model.plan?.waves.length ?? 0}`;
  return {
    /** A line for a state of the workflow that people want to know of. */
    ofState(state: string): string[] {
      if (state === 'Bake')
        return [`${wave()}: converged, baking for ${describeDuration(bakeSeconds * 1000)}`];
      if (state === 'Verify wave') return [`${wave()}: verifying`];
      if (state === 'Stop old endpoints') return ['Stopping the old endpoints'];
      return [];
    },
    /** A line for each kind of write that was answered. */
    ofWrites(entries: readonly JournalEntry[]): string[] {
      return entries.flatMap((entry) => {
        const words = describeWrite(entry, model.desiredVersion);
        return words === undefined
          ? []
          : [`${wave()}: ${nameOf(model, entry.endpointId)} ${words}`];
      });
    },
    /** A line for a check that saw something new. */
    ofProgress(): string[] {
      const { progress, plan } = model;
      const range = plan?.waves[progress?.wave ?? 0];
      const states = progress?.observations.slice(range?.from, range?.to).map(({ state }) => state);
      if (states === undefined || states.length === 0) return [];
      const counts = `${wave()}: ${describeCounts(states)}`;
      if (counts === lastCounts) return [];
      lastCounts = counts;
      return [counts];
    },
  };
}

function describeWrite(entry: JournalEntry, desiredVersion: number): string | undefined {
  const { operation, result, reason } = entry;
  if (result === 'intended' || result === 'not-sent') return undefined;
  if (operation === 'roll') {
    return result === 'accepted'
      ? `rolls to version ${desiredVersion}`
      : `was asked to roll, ${result}: ${reason}`;
  }
  if (result === 'accepted') return 'was stopped';
  return result === 'kept' ? `was not stopped: ${reason}` : `could not be stopped: ${reason}`;
}

function describeCounts(states: readonly EndpointState[]): string {
  const counts = new Map<EndpointState, number>();
  for (const state of states) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts].map(([state, count]) => `${count} ${state}`).join(', ');
}

function nameOf({ plan }: RolloutModel, endpointId: string): string {
  const planned = plan?.endpoints.find((endpoint) => endpoint.endpointId === endpointId);
  return plainText(planned?.name ?? endpointId);
}
