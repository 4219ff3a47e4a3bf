/** One execution of the workflow, with everything that its engine needs. */
export interface EngineInput {
  readonly name: string;
  readonly input: unknown;
  /** What each Task state calls, by the state's name: it gets the state's parameters, and answers its result. */
  readonly handlers: Readonly<Record<string, TaskHandler>>;
  /** Is called with every state that is entered. @default - nobody is called */
  readonly onState?: ((state: string) => void) | undefined;
  /**
   * Whether what comes after a wait must not be kept waiting any longer. An engine that listens asks it while a Wait state
   * waits, and then ends the wait. @default - every wait takes its whole time
   */
  readonly isTold?: ((waitedSeconds: number) => Promise<boolean>) | undefined;
  /** Ends the execution. A task that is under way is not waited for. @default - it runs to its end */
  readonly signal?: AbortSignal | undefined;
}

/** @param listens Whether the engine listens while it waits, so a task may listen, too. @default false */
export type TaskHandler = (parameters: unknown, listens?: boolean) => Promise<unknown>;

/** How an execution of the workflow ended, in the words of Step Functions. */
export type EngineResult = 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';

/** Runs an execution of the workflow's definition to its end. Throws only what no definition can catch. */
export type WorkflowEngine = (execution: EngineInput) => Promise<EngineResult>;
