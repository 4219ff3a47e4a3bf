import type { WorkflowEngine } from '../../lib/embedded/engine.ts';

/** Called in the place of a step, with the name of its state and what it gets. Answers what the step answers. */
export type StepWrapper = (
  run: () => Promise<unknown>,
  state: string,
  payload: unknown,
) => Promise<unknown>;

/** The same engine, which calls every step through `wrap`. */
export function wrapSteps(wrap: StepWrapper): (engine: WorkflowEngine) => WorkflowEngine {
  return (engine) =>
    ({ handlers, ...execution }) =>
      engine({
        ...execution,
        handlers: Object.fromEntries(
          Object.entries(handlers).map(([state, handle]) => [
            state,
            async (parameters, listens) => {
              const { Payload } = parameters as { readonly Payload?: unknown };
              // Only steps have a payload: to hand over is to start another execution.
              if (Payload === undefined) return handle(parameters, listens);
              const run = async () => {
                const answer = (await handle(parameters, listens)) as { readonly Payload: unknown };
                return answer.Payload;
              };
              return { Payload: await wrap(run, state, Payload) };
            },
          ]),
        ),
      });
}
