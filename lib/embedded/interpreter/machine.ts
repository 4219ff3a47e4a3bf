import type { Clock } from '../../ports/clock.ts';
import type { EngineInput, EngineResult, TaskHandler } from '../engine.ts';
import { compileErrorRules } from './errors.ts';
import {
  allowOnly,
  compilePath,
  compileResultPath,
  compileTemplate,
  RuntimeFault,
} from './paths.ts';

/** An execution that is under way, as every state of it sees it. */
export interface MachineRun
  extends Pick<EngineInput, 'handlers' | 'onState' | 'isTold' | 'signal'> {
  readonly clock: Clock;
  /** A number from 0 up to 1, without 1. */
  readonly random: () => number;
  /** What `$$` is. */
  readonly context: unknown;
  /** When the execution times out. */
  readonly endsAt: number;
}

/** The execution was ended from outside, which no state can retry or catch. */
export class MachineEnd extends Error {
  readonly status: EngineResult;

  constructor(status: EngineResult) {
    super(status);
    this.status = status;
  }
}

/** A state machine that was read once and can run many times. */
export interface Machine {
  readonly startAt: string;
  readonly states: ReadonlyMap<string, State>;
}

/** Answers the result of a state, and the name of the state after it; `null`: the machine has ended. */
type State = (input: unknown, run: MachineRun) => Promise<Step>;

interface Step {
  readonly output: unknown;
  readonly next: string | null;
}

export interface MachineDefinition {
  readonly StartAt: string;
  readonly States: Readonly<Record<string, StateDefinition>>;
}

type StateDefinition = Readonly<Record<string, unknown>> & { readonly Type?: unknown };

/** @throws when the definition uses anything that the interpreter does not know. */
export function compileMachine(definition: MachineDefinition): Machine {
  allowOnly(['Comment', 'ProcessorConfig', 'StartAt', 'TimeoutSeconds', 'States'], definition);
  const { StartAt, States } = definition;
  const states = Object.entries(States).map(([name, { Comment: _, ...state }]): [string, State] => {
    const compile = KINDS[String(state.Type)];
    if (compile === undefined)
      throw new Error(`The interpreter knows no state of type ${state.Type}`);
    return [name, compile(state, name)];
  });
  return { startAt: StartAt, states: new Map(states) };
}

export async function runMachine(
  { startAt, states }: Machine,
  input: unknown,
  run: MachineRun,
): Promise<unknown> {
  let step: Step = { output: input, next: startAt };
  while (step.next !== null) {
    if (run.signal?.aborted) throw new MachineEnd('ABORTED');
    if (run.clock.now() >= run.endsAt) throw new MachineEnd('TIMED_OUT');
    run.onState?.(step.next);
    const state = states.get(step.next);
    if (state === undefined) throw new RuntimeFault(`There is no state ${step.next}`);
    step = await state(step.output, run);
  }
  return step.output;
}

const KINDS: Readonly<Record<string, (definition: StateDefinition, name: string) => State>> = {
  Task(definition, name) {
    allowOnly([...FRAME, 'Resource', 'Parameters', 'TimeoutSeconds'], definition);
    const parametersOf = compileTemplate(definition.Parameters);
    return withFrame(definition, (input, run) =>
      handlerOf(name, run)(parametersOf(input, run.context), run.isTold !== undefined),
    );
  },

  Map(definition) {
    allowOnly([...FRAME, 'ItemsPath', 'MaxConcurrency', 'ItemProcessor'], definition);
    const itemsOf = compilePath(definition.ItemsPath);
    const machine = compileMachine(definition.ItemProcessor as MachineDefinition);
    const concurrency = Number(definition.MaxConcurrency);
    return withFrame(definition, async (input, run) => {
      const items = itemsOf(input, run.context);
      if (!Array.isArray(items)) throw new RuntimeFault('A Map needs a list');
      return mapItems(items, concurrency, (item) => runMachine(machine, item, run));
    });
  },

  Choice(definition) {
    allowOnly(['Type', 'Choices', 'Default'], definition);
    const choices = (definition.Choices as readonly StateDefinition[]).map((rule) => {
      allowOnly(['Variable', 'StringEquals', 'Next'], rule);
      return { read: compilePath(rule.Variable), text: rule.StringEquals, next: String(rule.Next) };
    });
    const otherwise = String(definition.Default);
    return async (output, { context }) => {
      const choice = choices.find(({ read, text }) => read(output, context) === text);
      return { output, next: choice?.next ?? otherwise };
    };
  },

  Wait(definition) {
    allowOnly(['Type', 'SecondsPath', 'Next'], definition);
    const secondsOf = compilePath(definition.SecondsPath);
    const putSeconds = compileResultPath(definition.SecondsPath);
    const next = String(definition.Next);
    return async (output, run) => {
      const seconds = Number(secondsOf(output, run.context));
      if (!Number.isInteger(seconds) || seconds < 0) throw new RuntimeFault('A Wait needs seconds');
      const waited = await waitAndListen(seconds, run);
      // The clock of a rollout goes on by what was waited for a look.
      return { output: waited < seconds ? putSeconds(output, waited) : output, next };
    };
  },

  Pass(definition) {
    allowOnly(['Type', 'Parameters', 'End'], definition);
    const { Parameters } = definition;
    const outputOf = Parameters === undefined ? compilePath('$') : compileTemplate(Parameters);
    return async (input, { context }) => ({ output: outputOf(input, context), next: null });
  },

  Succeed(definition) {
    allowOnly(['Type'], definition);
    return async (output) => ({ output, next: null });
  },

  Fail(definition) {
    allowOnly(['Type', 'Error', 'ErrorPath', 'CausePath'], definition);
    const { Error: said, ErrorPath, CausePath } = definition;
    const nameOf = ErrorPath === undefined ? () => said : compilePath(ErrorPath);
    const causeOf = compilePath(CausePath);
    return async (input, { context }) => {
      const error = new Error(String(causeOf(input, context)));
      throw Object.assign(error, { name: String(nameOf(input, context)) });
    };
  },
};

/** What Task and Map have in common. */
const FRAME = ['Type', 'ResultPath', 'OutputPath', 'Retry', 'Catch', 'Next', 'End'];

function withFrame(
  definition: StateDefinition,
  work: (input: unknown, run: MachineRun) => Promise<unknown>,
): State {
  const { Type, ResultPath, OutputPath = '$', Retry = [], Catch = [], End, Next } = definition;
  const afterErrors = compileErrorRules(Retry, Catch, Type === 'Task');
  const resultOf = compileResultPath(ResultPath);
  const outputOf = compilePath(OutputPath);
  const next = End === true ? null : String(Next);
  return async (input, run) => {
    const afterError = afterErrors();
    for (;;) {
      const answer = await attempt(() => work(input, run));
      if ('result' in answer) {
        return { output: outputOf(resultOf(input, answer.result), run.context), next };
      }
      const { error } = answer;
      const after = isFinal(error, run) ? null : afterError(error as Error, input, run.random);
      if (after === null) throw error;
      if ('next' in after) return after;
      await wait(after.waitMs, run);
    }
  };
}

type Answer = { readonly result: unknown } | { readonly error: unknown };

async function attempt(work: () => Promise<unknown>): Promise<Answer> {
  try {
    return { result: await work() };
  } catch (error) {
    return { error };
  }
}

function isFinal(error: unknown, { signal }: MachineRun): boolean {
  return error instanceof MachineEnd || error instanceof RuntimeFault || signal?.aborted === true;
}

function handlerOf(name: string, { handlers }: MachineRun): TaskHandler {
  const handler = handlers[name];
  if (handler === undefined) throw new RuntimeFault(`Nothing is called in the state ${name}`);
  return handler;
}

async function mapItems(
  items: readonly unknown[],
  concurrency: number,
  work: (item: unknown) => Promise<unknown>,
): Promise<readonly unknown[]> {
  const results: unknown[] = [];
  const rest = items.entries();
  const workOff = async () => {
    for (const [index, item] of rest) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, workOff));
  return results;
}

/** Half of the 2 seconds within which a rollout in this process hears what it is told: reads take time, too. */
const ASK_EVERY_SECONDS = 1;

/** Answers after how many seconds the wait was over. */
async function waitAndListen(seconds: number, run: MachineRun): Promise<number> {
  const { isTold } = run;
  const most = isTold === undefined ? seconds : ASK_EVERY_SECONDS;
  let waited = 0;
  while (waited < seconds) {
    const next = Math.min(most, seconds - waited);
    await wait(next * 1000, run);
    waited += next;
    if (waited < seconds && (await isTold?.(waited))) break;
  }
  return waited;
}

/** No wait outlasts the execution. */
async function wait(milliseconds: number, { clock, endsAt, signal }: MachineRun): Promise<void> {
  if (milliseconds === 0) return;
  await clock.sleep(Math.min(milliseconds, endsAt - clock.now()), signal);
  if (clock.now() >= endsAt) throw new MachineEnd('TIMED_OUT');
}
