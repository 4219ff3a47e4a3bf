import type { RolloutInput } from '../contract/flow/rollout-input.ts';
import { endInterrupted } from '../domain/ending/asked-to-end.ts';
import { endUnclosed } from '../domain/ending/error.ts';
import { attemptsOf, mayBeMade } from '../domain/endpoint/attempts.ts';
import type { Outcome } from '../domain/rollout/outcome.ts';
import { closeRollout, handleCloseRollout } from '../steps/close-rollout.ts';
import type { StepContext, StepPayload } from '../steps/io/ports.ts';
import { findRecord } from '../steps/io/record.ts';
import { handleLook } from '../steps/look.ts';
import { handleOpenRollout } from '../steps/open-rollout.ts';
import { handleRollBatch } from '../steps/roll-batch.ts';
import { handleStopBatch } from '../steps/stop-batch.ts';
import { handleTurnAround } from '../steps/turn-around.ts';
import { createEar, type Ear } from './ear.ts';
import type { EngineResult, TaskHandler, WorkflowEngine } from './engine.ts';
import { GIVEN_UP, untilTold } from './give-up.ts';
import type { Lines } from './turn.ts';

export interface WorkflowRun {
  readonly rolloutId: string;
  readonly input: RolloutInput;
  readonly context: StepContext;
  /** What runs the workflow's definition. */
  readonly engine: WorkflowEngine;
  /** Is called with every state that is entered. @default - nobody is called */
  readonly onState?: (state: string) => void;
  /** Is called with every error of a step, even if the step is run again. @default - nobody is called */
  readonly onFailure?: (error: unknown) => void;
  /** What those that wait in line share. @default - nobody shares it */
  readonly lines?: Lines;
  /** Ends the run after the current step. @default - the workflow runs to its end */
  readonly signal?: AbortSignal;
  /** Begins the step of a state once there is room for it. @default - at once */
  readonly admit?: <T>(state: string, begin: () => Promise<T>) => Promise<T>;
}

const STEPS = {
  'Roll batch': handleRollBatch,
  Look: handleLook,
  'Turn around': handleTurnAround,
  'Stop batch': handleStopBatch,
} as const;

interface ExecutionResult {
  readonly status: EngineResult;
  /** The answer of the last step; `null` when the execution ended without it. */
  readonly outcome: Outcome | null;
  /** Why the last step failed: mostly because it could not store the outcome. @default - it has not failed */
  readonly unstored?: { readonly error: unknown } | undefined;
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
  // The next execution may wait before any of its steps reads what the rollout was told.
  const ear = createEar(run.rolloutId, run.context, run.lines);
  while (next !== null) {
    const ran = await runExecution(next, run, ear);
    result = { ...ran.result, epoch: ran.result.epoch || result.epoch };
    next = ran.next;
  }
  return result;
}

async function runExecution(
  { name, input }: NextExecution,
  run: WorkflowRun,
  ear: Ear,
): Promise<{ readonly result: ExecutionResult; readonly next: NextExecution | null }> {
  let next: NextExecution | null = null;
  const underWay = new Set<Promise<unknown>>();
  let outcome: Outcome | null = null;
  let unstored: ExecutionResult['unstored'];
  let epoch = 0;
  const steps = {
    ...STEPS,
    'Open rollout': async (payload: StepPayload, context: StepContext) => {
      const position = await handleOpenRollout(payload, context);
      ({ epoch } = position);
      return position;
    },
    'Close rollout': async (payload: StepPayload, context: StepContext) => {
      const answer = await handleCloseRollout(payload, context).catch((error: unknown) => {
        unstored = { error };
        throw error;
      });
      if (answer.next === 'end') {
        const { next: _, says: __, ...stored } = answer;
        outcome = stored;
      }
      return answer;
    },
  };
  const handOver: TaskHandler = async (parameters) => {
    const { Name, Input } = parameters as { Name: string; Input: unknown };
    next = { name: Name, input: Input };
    return {};
  };
  const { engine, onState, signal } = run;
  const handlers = { ...handlersOf(steps, run, ear, underWay), 'Hand over': handOver };
  const status = await engine({ name, input, handlers, onState, isTold: ear.isTold, signal });
  // An abort ends the engine at once but not the current step. We wait for it, because a write must not outlive its
  // rollout.
  await Promise.allSettled(underWay);
  return {
    result: { status, outcome, unstored, epoch },
    next: status === 'SUCCEEDED' ? next : null,
  };
}

type Step = (payload: StepPayload, context: StepContext) => Promise<unknown>;

/** The steps in place of Lambda's invoke: they take the same payload and answer the same envelope. */
function handlersOf(
  steps: Readonly<Record<string, Step>>,
  { context, onFailure, signal, admit = (_, begin) => begin() }: WorkflowRun,
  ear: Ear,
  underWay: Set<Promise<unknown>>,
) {
  return Object.fromEntries(
    Object.entries(steps).map(([state, handle]): [string, TaskHandler] => [
      state,
      async (parameters, listens) => {
        const { Payload } = parameters as { Payload: StepPayload };
        const begin = () => {
          // Without this, an aborted Map would go on with its next item.
          signal?.throwIfAborted();
          // A batch only limits its writes by signals: the look after it follows them.
          const run = (given: StepContext) => {
            const ledger = Payload.batch === undefined ? ear.listening() : context.ledger;
            return handle(Payload, { ...given, ledger, ...(signal && { signal }) });
          };
          const answer =
            listens && GIVEN_UP.has(state)
              ? untilTold(run, context, ear.isToldToEnd)
              : run(context);
          underWay.add(answer);
          return answer.finally(() => underWay.delete(answer));
        };
        try {
          return { Payload: await admit(state, begin) };
        } catch (error) {
          onFailure?.(error);
          throw error;
        }
      },
    ]),
  );
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

/** The workflow has written the outcome, unless the workflow was ended earlier or the ledger could not be written. */
async function concludeRun(
  { rolloutId, context }: WorkflowRun,
  { status, outcome, unstored, epoch }: ExecutionResult,
): Promise<Outcome> {
  if (outcome !== null) return outcome;
  const record = await findRecord(rolloutId, context.ledger);
  if (status === 'FAILED' && unstored !== undefined) {
    // Only its event could not be noted as sent.
    if (record?.outcome != null) return record.outcome;
    // The ending is lost with its step. The rollout stays open, and whoever resumes it finds how it ends.
    throw unstored.error;
  }
  const hasRolled = mayBeMade(attemptsOf(record?.journal ?? [], 'roll')).size > 0;
  const ending = status === 'ABORTED' ? endInterrupted(hasRolled) : endUnclosed(status);
  return closeRollout({ rolloutId, state: { ending, epoch: epoch || undefined } }, context);
}
