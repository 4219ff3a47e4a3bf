/** Arguments and options by the names that people type: `runtime-id`, `--version`. */
export type Given = Readonly<Record<string, unknown>>;

/** A command line that was read and whose values were not checked yet. */
export interface Invocation {
  readonly given: Given;
  /** What the command does not take, one per line: unknown options, and too many arguments. */
  readonly mistakes: readonly string[];
}

/** Runs a command and answers its exit code. */
export type Run = (invocation: Invocation) => Promise<number>;
