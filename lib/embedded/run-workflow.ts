import {
  ExecutionAbortedError,
  ExecutionError,
  ExecutionTimeoutError,
  StateMachine,
  type StateMachineDefinition,
} from 'aws-local-stepfunctions';
import type { RolloutInput } from '../contract/flow/rollout-input.ts';
import type { Ending, Outcome } from '../domain/rollout/outcome.ts';
import { handleCheckWave } from '../steps/check-wave.ts';
import { closeRollout, handleCloseRollout } from '../steps/close-rollout.ts';
import type { StepContext, StepPayload } from '../steps/frame/ports.ts';
import { handleOpenRollout } from '../steps/open-rollout.ts';
import { handleRollBatch } from '../steps/roll-batch.ts';
import { handleStopBatch } from '../steps/stop-batch.ts';
import { handleTurnAround } from '../steps/turn-around.ts';
import { handleVerifyWave } from '../steps/verify-wave.ts';
import { ROLLOUT_DEFINITION } from '../workflow/definition.ts';

export interface WorkflowRun {
  readonly rolloutId: string;
  readonly input: RolloutInput;
  readonly context: StepContext;
  /** Told of every state that is entered. @default - nobody is */
  readonly onState?: (state: string) => void;
  /** Ends the run after the step that is under way. @default - it runs to its end */
  readonly signal?: AbortSignal;
}

/** How an execution of the workflow ended, in the words of Step Functions. */
type ExecutionStatus = 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';

/**
 * On AWS a function that takes too long has been ended by Lambda before its task times out. Here nobody ends a
 * step but itself: one that was stopped for a while, with its process, would be run again beside itself.
 */
const withoutTaskTimeouts = (key: string, value: unknown) =>
  key === 'TimeoutSeconds' ? ROLLOUT_DEFINITION.TimeoutSeconds : value;

/**
 * Building the machine validates the definition, so it is built once. The validator writes into what it
 * is given, hence the copy.
 */
const machine = new StateMachine(
  JSON.parse(JSON.stringify(ROLLOUT_DEFINITION), withoutTaskTimeouts) as StateMachineDefinition,
  { validationOptions: { checkArn: false } },
);

const STEPS = {
  'Roll batch': handleRollBatch,
  'Check wave': handleCheckWave,
  'Verify wave': handleVerifyWave,
  'Turn around': handleTurnAround,
  'Stop batch': handleStopBatch,
} as const;

interface ExecutionResult {
  readonly status: ExecutionStatus;
  /** What the last step answered; `null` when the execution ended without it. */
  readonly outcome: Outcome | null;
  /** Of the lease; 0 when the rollout was never opened. */
  readonly epoch: number;
}

/** An execution that another one hands over to. */
interface NextExecution {
  readonly name: string;
  readonly input: unknown;
}

/**
 * Runs the workflow in this process, over the same definition and the same steps as on AWS: where an execution
 * hands over to the next one, until the last of them has ended.
 */
async function runWorkflow(run: WorkflowRun): Promise<ExecutionResult> {
  let next: NextExecution | null = { name: run.rolloutId, input: run.input };
  let result: ExecutionResult = { status: 'FAILED', outcome: null, epoch: 0 };
  while (next !== null) {
    const ran = await runExecution(next, run);
    result = { ...ran.result, epoch: ran.result.epoch || result.epoch };
    next = ran.next;
  }
  return result;
}

async function runExecution(
  { name, input }: NextExecution,
  run: WorkflowRun,
): Promise<{ readonly result: ExecutionResult; readonly next: NextExecution | null }> {
  let next: NextExecution | null = null;
  const underWay = new Set<Promise<unknown>>();
  let outcome: Outcome | null = null;
  let epoch = 0;
  const steps = {
    ...STEPS,
    'Open rollout': async (payload: StepPayload, context: StepContext) => {
      const position = await handleOpenRollout(payload, context);
      ({ epoch } = position);
      return position;
    },
    'Close rollout': async (payload: StepPayload, context: StepContext) => {
      const answer = await handleCloseRollout(payload, context);
      if (answer.next === 'end') {
        const { next: _, ...stored } = answer;
        outcome = stored;
      }
      return answer;
    },
  };
  const handOver: LocalHandler = async (task) => {
    const { Name, Input } = task as { Name: string; Input: unknown };
    next = { name: Name, input: Input };
    return {} as never;
  };
  const handlers = { ...localHandlers(steps, run, underWay), 'Hand over': handOver };
  const execution = machine.run(input as never, {
    // The engine adds the time of the start and the input itself.
    context: { Execution: { Name: name }, StateMachine: { Id: 'embedded' } },
    overrides: { taskResourceLocalHandlers: handlers },
  });
  const abort = () => execution.abort();
  run.signal?.addEventListener('abort', abort, { once: true });
  if (run.signal?.aborted) abort();
  const watching = reportStates(execution.eventLogs, run.onState);
  const status = await execution.result.then(() => 'SUCCEEDED' as const, statusOf);
  run.signal?.removeEventListener('abort', abort);
  // An abort does not wait for the step that is under way: a write must not outlive its rollout.
  await Promise.allSettled(underWay);
  await watching;
  return { result: { status, outcome, epoch }, next: status === 'SUCCEEDED' ? next : null };
}

type Step = (payload: StepPayload, context: StepContext) => Promise<unknown>;
type LocalHandler = (task: unknown) => Promise<never>;

/** The steps in the place of Lambda's invoke: the same payload in, the same envelope out. */
function localHandlers(
  steps: Readonly<Record<string, Step>>,
  { context, signal }: WorkflowRun,
  underWay: Set<Promise<unknown>>,
) {
  return Object.fromEntries(
    Object.entries(steps).map(([state, handle]): [string, LocalHandler] => [
      state,
      async (task) => {
        // An aborted Map would go on with its next item.
        signal?.throwIfAborted();
        const { Payload } = task as { Payload: StepPayload };
        const answer = handle(Payload, { ...context, ...(signal && { signal }) });
        underWay.add(answer);
        try {
          return { Payload: await answer } as never;
        } finally {
          underWay.delete(answer);
        }
      },
    ]),
  );
}

function statusOf(error: unknown): ExecutionStatus {
  if (error instanceof ExecutionError) return 'FAILED';
  if (error instanceof ExecutionTimeoutError) return 'TIMED_OUT';
  if (error instanceof ExecutionAbortedError) return 'ABORTED';
  throw error;
}

type ExecutionEvents = ReturnType<StateMachine['run']>['eventLogs'];

async function reportStates(
  events: ExecutionEvents,
  onState: WorkflowRun['onState'],
): Promise<void> {
  for await (const event of events) {
    if (event.type === 'StateEntered') onState?.(event.state.name);
  }
}

/**
 * Runs a rollout from its start to its end in this process and answers its outcome. When the signal
 * aborts, the step that is under way is finished, the endpoints stay as they are and the rollout
 * ends as Aborted.
 *
 * @throws when the outcome could not be written to the ledger.
 */
export async function startRollout(rollout: WorkflowRun): Promise<Outcome> {
  return concludeRun(rollout, await runWorkflow(rollout));
}

/**
 * The same, but a rollout whose signal aborts is left open for the process that resumes it: `null`.
 *
 * @throws when the outcome could not be written to the ledger.
 */
export async function startOrLeaveRollout(rollout: WorkflowRun): Promise<Outcome | null> {
  const result = await runWorkflow(rollout);
  const isLeft = result.status === 'ABORTED' && result.outcome === null;
  return isLeft ? null : concludeRun(rollout, result);
}

/** The workflow writes the outcome, unless it was ended before that. */
async function concludeRun(
  { rolloutId, context }: WorkflowRun,
  { status, outcome, epoch }: ExecutionResult,
): Promise<Outcome> {
  if (outcome !== null) return outcome;
  return closeRollout({ rolloutId, state: { ending: endingOf(status), epoch } }, context);
}

function endingOf(status: string): Ending {
  return status === 'ABORTED'
    ? {
        outcome: 'Aborted',
        reason: 'Interrupted',
        message: 'Interrupted: endpoints in mid-roll go on by themselves.',
      }
    : { outcome: 'Errored', reason: status, message: `The workflow ended as ${status}.` };
}
