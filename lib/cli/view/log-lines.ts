import type { EndpointState, JournalEntry } from '../../domain/rollout.ts';
import { describeDuration } from './describe-duration.ts';
import { plainText } from './plain-text.ts';
import { nameOfWave, type RolloutModel } from './rollout-model.ts';

/** Turns what happens into lines, for where nothing can be drawn over: a pipe, a file, a CI log. */
export function createLogLines(model: RolloutModel) {
  let lastCounts = '';
  let lastState = '';
  const wave = () => nameOfWave(model);
  const lineOf = (state: string): string | undefined => {
    if (state === 'Stop old endpoints') return 'Stopping the old endpoints';
    if (state !== 'Bake') return undefined;
    const { bakeSeconds = 0 } = model.plan?.waves[model.progress?.wave ?? 0] ?? {};
    const bake = bakeSeconds === 0 ? '' : `, baking for ${describeDuration(bakeSeconds * 1000)}`;
    return `${wave()}: converged${bake}`;
  };
  return {
    /** A line for a state of the workflow that people want to know of. */
    ofState(state: string): string[] {
      const line = lineOf(state);
      // A long bake is looked at many times, and told once.
      if (line === undefined || line === lastState) return [];
      lastState = line;
      return [line];
    },
    /** A line for each kind of write that was answered. */
    ofWrites(entries: readonly JournalEntry[]): string[] {
      return entries.flatMap((entry) => {
        const words = describeWrite(entry, model);
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

function describeWrite(entry: JournalEntry, { plan }: RolloutModel): string | undefined {
  const { operation, endpointId, result, reason } = entry;
  if (result === 'intended' || result === 'not-sent') return undefined;
  if (operation !== 'stop') {
    const planned = plan?.endpoints.find((endpoint) => endpoint.endpointId === endpointId);
    return result === 'accepted'
      ? `rolls ${operation === 'roll' ? '' : 'back '}to version ${planned?.desiredVersion}`
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
