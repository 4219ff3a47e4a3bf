import { errorNameOf } from '../../../lib/domain/errors.ts';
import type { EngineResult, WorkflowEngine } from '../../../lib/embedded/engine.ts';
import { scenarioNow } from '../../support/scenario-time.ts';
import { wrapSteps } from '../../support/wrap-steps.ts';

/** One execution of the workflow, as its history shows it. */
export interface WatchedExecution {
  /** `null`: it threw what no definition can catch. */
  status: EngineResult | null;
  /** Every state that was entered, in order. */
  readonly states: string[];
  /** Every run of a step, in the order in which they began. */
  readonly runs: StepRun[];
}

export interface StepRun {
  readonly state: string;
  /** What the step got, as JSON: that of two batches is not the same. */
  readonly payload: string;
  /** Milliseconds since the Unix epoch. */
  readonly begunAt: number;
  /** `null`: it is under way. */
  endedAt: number | null;
  /** `null`: it has not failed. */
  error: { readonly name: string; readonly message: string } | null;
}

/** The same engine, which notes every execution. */
export function watchEngine(
  engine: WorkflowEngine,
  executions: WatchedExecution[],
): WorkflowEngine {
  return async ({ onState, ...execution }) => {
    const watched: WatchedExecution = { status: null, states: [], runs: [] };
    executions.push(watched);
    const noteRuns = wrapSteps(async (work, state, payload) => {
      const run: StepRun = {
        state,
        payload: JSON.stringify(payload),
        begunAt: scenarioNow(),
        endedAt: null,
        error: null,
      };
      watched.runs.push(run);
      try {
        return await work();
      } catch (error) {
        run.error = { name: errorNameOf(error), message: `${error}` };
        throw error;
      } finally {
        run.endedAt = scenarioNow();
      }
    });
    watched.status = await noteRuns(engine)({
      ...execution,
      onState(state) {
        watched.states.push(state);
        onState?.(state);
      },
    });
    return watched.status;
  };
}
