import { parseStateMachine } from '../contract/flow/rollout-input.ts';
import { acceptedAt } from '../domain/rollout/opening.ts';
import type { StepPayload, WritePorts } from '../steps/io/ports.ts';
import { toAskedRequest } from '../steps/opening/asked-request.ts';

interface ChildPorts extends WritePorts {
  readonly startExecution: (
    stateMachineArn: string,
    name: string,
    input: object,
  ) => Promise<unknown>;
}

/** Rolls each runtime of a group by an execution of the state machine that called the step. */
export function withChildren(
  payload: StepPayload,
  { startExecution, ...ports }: ChildPorts,
): WritePorts {
  const { ledger, clock } = ports;
  return {
    ...ports,
    groups: {
      async startChild(rolloutId, input) {
        await startExecution(parseStateMachine(payload), rolloutId, input);
        // A start that was refused leaves nothing in the ledger. One that was taken is there before the next look of
        // the group, even if the execution has not got that far.
        const now = clock.now();
        const request = toAskedRequest({ rolloutId, startTime: now }, input);
        await ledger.enlist(request, acceptedAt(now), now);
      },
    },
  };
}
