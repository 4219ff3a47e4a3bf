import type { RolloutInput } from '../contract/flow/rollout-input.ts';
import { acceptedAt } from '../domain/rollout/opening.ts';
import type { Outcome } from '../domain/rollout/outcome.ts';
import { type AskedRollout, wasOpened } from '../domain/rollout/record.ts';
import { type AskedRequest, describeStarter, describeWanted } from '../domain/rollout/request.ts';
import type { StepContext } from '../steps/io/ports.ts';
import { toInput, wantedOf } from '../steps/opening/asked-request.ts';
import { firstRequest } from '../steps/opening/configured.ts';
import { endIfOvertaken } from '../steps/opening/newest.ts';
import { createAdmission } from './admission.ts';
import type { WorkflowEngine } from './engine.ts';
import { createInterpreter } from './interpreter/engine.ts';
import { createRolloutLog } from './rollout-log.ts';
import { startOrLeaveRollout, startRollout } from './run-workflow.ts';
import { createLines } from './turn.ts';

export interface RolloutHostOptions {
  readonly context: StepContext;
  readonly log: (line: string) => void;
  /** What runs the workflow's definition. @default - the interpreter, with the clock of the context, which listens */
  readonly engine?: WorkflowEngine;
  /** What becomes of rollouts under way when the host is stopped. @default - they are left open */
  readonly atStop?: 'leave' | 'end';
}

/** Runs any number of rollouts in this process, each to its end. */
export interface RolloutHost {
  /**
   * Starts a rollout once it is in the ledger. From then on it cannot get lost, even if this process dies.
   * `duplicate`: the ledger or this process knows the rollout already.
   */
  start(rolloutId: string, input: RolloutInput): Promise<'started' | 'duplicate'>;
  /** Goes on with a rollout that was not opened yet, or whose lease this process has. */
  goOn(rollout: AskedRollout): void;
  isRunning(rolloutId: string): boolean;
  /** Finishes the steps that are under way, and leaves or ends the rollouts. After that nothing starts any more. */
  stop(): Promise<void>;
}

export function createRolloutHost({
  context,
  log,
  engine = createInterpreter({ clock: context.clock, listens: true }),
  atStop = 'leave',
}: RolloutHostOptions): RolloutHost {
  const startAs = atStop === 'leave' ? startOrLeaveRollout : startRollout;
  const { clock, ledger } = context;
  const lines = createLines(context);
  const admission = createAdmission(clock);
  const running = new Map<string, { readonly over: Promise<void>; stop(): void }>();
  /** Rollouts that are about to be written to the ledger, by their ids. */
  const beingTaken = new Map<string, Promise<'started' | 'duplicate'>>();
  const stopping = new AbortController();

  const run = (asked: AskedRequest, input: RolloutInput, hasBegun = false) => {
    const { rolloutId, runtimeId } = asked;
    const request = { endpointUrl: context.service.url, ...asked };
    const { follow, state: onState, failure: onFailure } = createRolloutLog(asked, ledger, log);
    // One signal for all would have a listener for each of them, and it looks through its listeners one by one.
    const ending = new AbortController();
    const { signal } = ending;
    const admit = admission.stepsOf(runtimeId, hasBegun, signal);
    const whole = { rolloutId, input, context, engine, signal, admit, lines, onState, onFailure };
    const workflow = () => startAs(whole);
    const work = follow(() => (hasBegun ? workflow() : unlessOvertaken(request, signal, workflow)));
    running.set(rolloutId, {
      over: work.finally(() => running.delete(rolloutId)),
      stop: () => ending.abort(),
    });
  };

  /** A burst may have thousands that were overtaken: they end in their turn, without a workflow. */
  async function unlessOvertaken(
    request: Parameters<typeof endIfOvertaken>[0],
    signal: AbortSignal,
    workflow: () => Promise<Outcome | null>,
  ): Promise<Outcome | null> {
    let leave: (() => void) | undefined;
    try {
      leave = await admission.takeTurn(request.runtimeId, signal);
      const outcome = await endIfOvertaken(request, context);
      if (outcome !== null) return outcome;
    } catch {
      // The workflow finds that its process ends, or says what is wrong with the ledger.
    } finally {
      leave?.();
    }
    return workflow();
  }

  async function take(rolloutId: string, input: RolloutInput): Promise<'started' | 'duplicate'> {
    stopping.signal.throwIfAborted();
    await admission.accept(stopping.signal);
    const now = clock.now();
    const asked = firstRequest({ rolloutId, startTime: now }, input, context);
    if (!(await ledger.enlist(asked, acceptedAt(now), now))) return 'duplicate';
    log(`Rollout ${rolloutId} of ${input.runtimeId}: ${describeInput(input)}`);
    run(asked, input);
    return 'started';
  }

  return {
    async start(rolloutId, input) {
      if (running.has(rolloutId)) return 'duplicate';
      // When a trigger is delivered twice at once, only one delivery starts the rollout. The other one may be of somebody
      // else, who hears that it was taken only once the ledger has it.
      const first = beingTaken.get(rolloutId);
      if (first !== undefined) return first.then(() => 'duplicate');
      const taking = take(rolloutId, input).finally(() => beingTaken.delete(rolloutId));
      beingTaken.set(rolloutId, taking);
      return taking;
    },
    goOn(rollout) {
      const { request } = rollout;
      run(request, toInput(request), wasOpened(rollout));
    },
    isRunning: (rolloutId) => running.has(rolloutId) || beingTaken.has(rolloutId),
    async stop() {
      stopping.abort();
      for (const { stop } of running.values()) stop();
      await Promise.all([...running.values()].map(({ over }) => over));
    },
  };
}

function describeInput({ startedBy, ...wanted }: RolloutInput): string {
  const who = startedBy === undefined ? '' : `, started by ${describeStarter(startedBy)}`;
  return `to ${describeWanted(wantedOf(wanted))}${who}`;
}
