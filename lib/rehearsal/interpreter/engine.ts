import type { Engine } from '../../embedded/engine.ts';
import { ROLLOUT_DEFINITION } from '../../workflow/definition.ts';
import { compileMachine, Ended, type Run, runMachine } from './machine.ts';

const MACHINE = compileMachine(ROLLOUT_DEFINITION);
const LONGEST_MS = ROLLOUT_DEFINITION.TimeoutSeconds * 1000;

/**
 * An engine for rehearsals. It runs the workflow's definition as the engine of real rollouts does, on any clock and in
 * a small part of the time; a test runs both side by side. It understands only what this definition uses. Like the
 * engine of real rollouts, it leaves the timeouts of tasks away.
 */
export function createInterpreter({ clock, random }: Pick<Run, 'clock' | 'random'>): Engine {
  return async ({ name, input, handlers, onState, signal }) => {
    const context = {
      Execution: { Name: name, Input: input, StartTime: new Date(clock.now()).toISOString() },
      StateMachine: { Id: 'embedded' },
    };
    const endsAt = clock.now() + LONGEST_MS;
    try {
      await runMachine(MACHINE, input, {
        clock,
        random,
        handlers,
        onState,
        signal,
        context,
        endsAt,
      });
      return signal?.aborted ? 'ABORTED' : 'SUCCEEDED';
    } catch (error) {
      if (error instanceof Ended) return error.status;
      return signal?.aborted ? 'ABORTED' : 'FAILED';
    }
  };
}
