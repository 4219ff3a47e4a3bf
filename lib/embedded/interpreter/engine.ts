import { ROLLOUT_DEFINITION } from '../../workflow/definition.ts';
import type { WorkflowEngine } from '../engine.ts';
import { compileMachine, MachineEnd, type MachineRun, runMachine } from './machine.ts';

const MACHINE = compileMachine(ROLLOUT_DEFINITION);
const LONGEST_MS = ROLLOUT_DEFINITION.TimeoutSeconds * 1000;

interface InterpreterOptions extends Pick<MachineRun, 'clock'> {
  /** Answers a number from 0 up to 1, without 1. It spreads the waits before retries. @default Math.random */
  readonly random?: () => number;
  /** Whether a wait ends early when the execution is told something. @default false, as on AWS */
  readonly listens?: boolean;
}

/**
 * The engine of rollouts in this process, and of rehearsals in virtual time. It runs the workflow's definition, and
 * understands only what this definition uses. It leaves the timeouts of tasks away: on AWS, Lambda ends a function that
 * takes too long before its task times out, and here a step can only end itself. If the process was suspended for a
 * while, a timeout would start the step a second time beside the first.
 */
export function createInterpreter({
  clock,
  random = Math.random,
  listens = false,
}: InterpreterOptions): WorkflowEngine {
  return async ({ name, input, handlers, onState, isTold, signal }) => {
    const context = {
      Execution: {
        Id: name,
        Name: name,
        Input: input,
        StartTime: new Date(clock.now()).toISOString(),
      },
      StateMachine: { Id: 'embedded' },
    };
    const endsAt = clock.now() + LONGEST_MS;
    try {
      await runMachine(MACHINE, input, {
        clock,
        random,
        handlers,
        onState,
        isTold: listens ? isTold : undefined,
        signal,
        context,
        endsAt,
      });
      return signal?.aborted ? 'ABORTED' : 'SUCCEEDED';
    } catch (error) {
      if (error instanceof MachineEnd) return error.status;
      return signal?.aborted ? 'ABORTED' : 'FAILED';
    }
  };
}
