import {
  ExecutionAbortedError,
  ExecutionError,
  ExecutionTimeoutError,
  StateMachine,
  type StateMachineDefinition,
} from 'aws-local-stepfunctions';
import type { RolloutInput } from '../contract/flow/rollout-input.ts';
import type { Ending, Outcome } from '../domain/rollout/outcome.ts';
import type { AskedRollout } from '../domain/rollout/record.ts';
import { handleCheckWave } from '../steps/check-wave.ts';
import { closeRollout, handleCloseRollout } from '../steps/close-rollout.ts';
import type { StepContext, StepPayload } from '../steps/frame/ports.ts';
import { findRecord } from '../steps/frame/record.ts';
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
  /** Is called with every state that is entered. @default - nobody is called */
  readonly onState?: (state: string) => void;
  /** Ends the run after the current step. @default - the workflow runs to its end */
  readonly signal?: AbortSignal;
}

/** How an execution of the workflow ended, in the words of Step Functions. */
type ExecutionStatus = 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';

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

const STEPS = {
  'Roll batch': handleRollBatch,
  'Check wave': handleCheckWave,
  'Verify wave': handleVerifyWave,
  'Turn around': handleTurnAround,
  'Stop batch': handleStopBatch,
} as const;

interface ExecutionResult {
  readonly status: ExecutionStatus;
  /** The answer of the last step; `null` when the execution ended without it. */
  readonly outcome: Outcome | null;
  /** The epoch of the lease; 0 when the rollout was never opened. */
  readonly epoch: number;
}

/** The execution to which another one hands over. */
interface NextExecution {
  readonly name: string;
  readonly input: unknown;
}

/**
 * Runs the workflow in this process, with the same definition and the same steps as on AWS. When an execution hands
 * over to the next one, that one runs too, until the last one has ended.
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
  machine ??= createMachine();
  const execution = machine.run(input as never, {
    // The engine adds the start time and the input itself.
    context: { Execution: { Name: name }, StateMachine: { Id: 'embedded' } },
    overrides: { taskResourceLocalHandlers: handlers },
  });
  const abort = () => execution.abort();
  run.signal?.addEventListener('abort', abort, { once: true });
  if (run.signal?.aborted) abort();
  const watching = reportStates(execution.eventLogs, run.onState);
  const status = await execution.result.then(() => 'SUCCEEDED' as const, statusOf);
  run.signal?.removeEventListener('abort', abort);
  // An abort ends the engine at once but not the current step. We wait for it, because a write must not outlive its
  // rollout.
  await Promise.allSettled(underWay);
  await watching;
  return { result: { status, outcome, epoch }, next: status === 'SUCCEEDED' ? next : null };
}

type Step = (payload: StepPayload, context: StepContext) => Promise<unknown>;
type LocalHandler = (task: unknown) => Promise<never>;

/** The steps in place of Lambda's invoke: they take the same payload and answer the same envelope. */
function localHandlers(
  steps: Readonly<Record<string, Step>>,
  { context, signal }: WorkflowRun,
  underWay: Set<Promise<unknown>>,
) {
  return Object.fromEntries(
    Object.entries(steps).map(([state, handle]): [string, LocalHandler] => [
      state,
      async (task) => {
        // Without this, an aborted Map would go on with its next item.
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
 * Runs a rollout from start to end in this process and answers its outcome. When the signal aborts, the current step
 * is finished, the endpoints stay as they are and the rollout ends as Aborted.
 *
 * @throws when the outcome could not be written to the ledger.
 */
export async function startRollout(rollout: WorkflowRun): Promise<Outcome> {
  return concludeRun(rollout, await runWorkflow(rollout));
}

/**
 * Does the same, but when the signal aborts, the rollout is left open for the process that resumes it, and the answer
 * is `null`.
 *
 * @throws when the outcome could not be written to the ledger.
 */
export async function startOrLeaveRollout(rollout: WorkflowRun): Promise<Outcome | null> {
  const result = await runWorkflow(rollout);
  const isLeft = result.status === 'ABORTED' && result.outcome === null;
  return isLeft ? null : concludeRun(rollout, result);
}

/** The workflow has written the outcome, unless the workflow was ended earlier. */
async function concludeRun(
  { rolloutId, context }: WorkflowRun,
  { status, outcome, epoch }: ExecutionResult,
): Promise<Outcome> {
  if (outcome !== null) return outcome;
  const record = await findRecord(rolloutId, context.ledger);
  return closeRollout({ rolloutId, state: { ending: endingOf(status, record), epoch } }, context);
}

function endingOf(status: ExecutionStatus, record: AskedRollout | null): Ending {
  if (status !== 'ABORTED') {
    return { outcome: 'Errored', reason: status, message: `The workflow ended as ${status}.` };
  }
  // Without a plan no write was ever sent.
  const what = record?.plan ? 'endpoints in mid-roll go on by themselves' : 'nothing was rolled';
  return { outcome: 'Aborted', reason: 'Interrupted', message: `Interrupted: ${what}.` };
}
