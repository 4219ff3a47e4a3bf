import {
  ExecutionAbortedError,
  ExecutionError,
  ExecutionTimeoutError,
  StateMachine,
  type StateMachineDefinition,
} from 'aws-local-stepfunctions';
import type { EngineInput, EngineResult } from '../../lib/embedded/engine.ts';
import { ROLLOUT_DEFINITION } from '../../lib/workflow/definition.ts';

/**
 * On AWS, Lambda ends a function that takes too long before its task times out. Here a step can only end itself. If
 * the process was suspended for a while, a timeout would start the step a second time beside the first.
 */
const withoutTaskTimeouts = (key: string, value: unknown) =>
  key === 'TimeoutSeconds' ? ROLLOUT_DEFINITION.TimeoutSeconds : value;

/** The definition is not validated here, because that would take longer than most commands. Tests validate it. */
const createMachine = () =>
  new StateMachine(
    JSON.parse(JSON.stringify(ROLLOUT_DEFINITION), withoutTaskTimeouts) as StateMachineDefinition,
    { validationOptions: { noValidate: true } },
  );
let machine: StateMachine | undefined;

/** The referee: another engine that runs the same definition. What it does, the engine of rollouts has to do. */
export async function runInLocalStepFunctions({
  name,
  input,
  handlers,
  onState,
  signal,
}: EngineInput): Promise<EngineResult> {
  machine ??= createMachine();
  const execution = machine.run(input as never, {
    // The engine adds the start time and the input itself.
    context: { Execution: { Id: name, Name: name }, StateMachine: { Id: 'embedded' } },
    overrides: { taskResourceLocalHandlers: handlers as Readonly<Record<string, LocalHandler>> },
  });
  const abort = () => execution.abort();
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  const watching = reportStates(execution.eventLogs, onState);
  const status = await execution.result.then(() => 'SUCCEEDED' as const, statusOf);
  signal?.removeEventListener('abort', abort);
  await watching;
  return status;
}

type LocalHandler = (task: unknown) => Promise<never>;

function statusOf(error: unknown): EngineResult {
  if (error instanceof ExecutionError) return 'FAILED';
  if (error instanceof ExecutionTimeoutError) return 'TIMED_OUT';
  if (error instanceof ExecutionAbortedError) return 'ABORTED';
  throw error;
}

type ExecutionEvents = ReturnType<StateMachine['run']>['eventLogs'];

async function reportStates(
  events: ExecutionEvents,
  onState: EngineInput['onState'],
): Promise<void> {
  for await (const event of events) {
    if (event.type === 'StateEntered') onState?.(event.state.name);
  }
}
