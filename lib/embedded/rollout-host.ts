import { createPlaces } from '../adapters/machine/places.ts';
import type { RolloutInput } from '../contract/flow/rollout-input.ts';
import { commandOf } from '../domain/command.ts';
import { ErrorName, errorMessageOf, errorNameOf } from '../domain/errors.ts';
import { describeStarter } from '../domain/events/event-sentences.ts';
import { acceptedAt, describeWait } from '../domain/rollout/opening.ts';
import { nameOfOutcome, type Outcome } from '../domain/rollout/outcome.ts';
import { type AskedRollout, wasOpened } from '../domain/rollout/record.ts';
import { type AskedRequest, describeWanted } from '../domain/rollout/request.ts';
import { isOpeningState } from '../domain/rollout/wait.ts';
import type { StepContext } from '../steps/io/ports.ts';
import { findRecord } from '../steps/io/record.ts';
import { toInput, wantedOf } from '../steps/opening/asked-request.ts';
import { firstRequest } from '../steps/opening/configured.ts';
import { endIfOvertaken } from '../steps/opening/newest.ts';
import { createLines } from './ear.ts';
import type { WorkflowEngine } from './engine.ts';
import { createInterpreter } from './interpreter/engine.ts';
import { startOrLeaveRollout, startRollout } from './run-workflow.ts';

export interface RolloutHostOptions {
  readonly context: StepContext;
  readonly log: (line: string) => void;
  /** What runs the workflow's definition. @default - the interpreter, with the clock of the context, which listens */
  readonly engine?: WorkflowEngine;
  /** What becomes of rollouts under way when the host is stopped. @default - they are left open */
  readonly atStop?: 'leave' | 'end';
}

/** How many steps are under way at once: each may hold a whole list, and they share few sockets to the service. */
const STEPS_AT_ONCE = 16;
/** After so long a step makes room for another one: a gate or a service that is slow must not stop every rollout. */
const LONGEST_PLACE_MS = 10_000;
const FIRST_STEP = 'Open rollout';
/** After so long without another release, a burst of releases is over. */
const QUIET_MS = 250;
/** Releases of a burst that come within so long are stored together. */
const GATHER_MS = 25;
/** A burst keeps rollouts waiting for no longer. */
const LONGEST_BURST_MS = 60_000;

/**
 * Runs any number of rollouts in this process, each to its end. Only some of their steps are under way at once. Those
 * of rollouts that have begun go before the first steps of others, and of the rollouts of a runtime that have not
 * begun the last one goes first, because it overtakes the others.
 */
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
  const { clock } = context;
  const lines = createLines(context);
  const running = new Map<string, { readonly over: Promise<void>; stop(): void }>();
  /** Rollouts that are about to be written to the ledger, by their ids. */
  const beingTaken = new Map<string, Promise<'started' | 'duplicate'>>();
  const stopping = new AbortController();
  const acceptance = createAcceptance(clock, () => places.letIn());
  // In a burst the senders wait, and most of what begins has been overtaken by the end of the burst.
  const places = createPlaces(
    STEPS_AT_ONCE,
    (waiting) => waiting >= STEPS_AT_ONCE && acceptance.isBusy(),
  );
  const isRunning = (rolloutId: string) => running.has(rolloutId) || beingTaken.has(rolloutId);

  const run = (asked: AskedRequest, input: RolloutInput, hasBegun = false) => {
    const { rolloutId, runtimeId } = asked;
    const request = { endpointUrl: context.service.url, ...asked };
    const rolloutLog = logOf(rolloutId, runtimeId, { context, log });
    // One signal for all would have a listener for each of them, and it looks through its listeners one by one.
    const ending = new AbortController();
    const { signal } = ending;
    const admit = admission(runtimeId, hasBegun, signal);
    const work = follow(rolloutLog, () => {
      const workflow = () =>
        startAs({
          rolloutId,
          input,
          context,
          engine,
          signal,
          admit,
          lines,
          onState: rolloutLog.state,
          onFailure: rolloutLog.failure,
        });
      return hasBegun ? workflow() : unlessOvertaken(request, signal, workflow);
    });
    running.set(rolloutId, {
      over: work.finally(() => running.delete(rolloutId)),
      stop: () => ending.abort(),
    });
  };

  /** Lets the steps of a rollout begin one by one, when there is room for them. */
  function admission(runtimeId: string, wasBegun: boolean, signal: AbortSignal) {
    let hasBegun = wasBegun;
    // It was its turn when somebody looked whether it was overtaken.
    let hasTurn = true;
    return async <T>(state: string, begin: () => Promise<T>): Promise<T> => {
      hasBegun ||= state !== FIRST_STEP;
      const goesFirst = hasBegun || hasTurn;
      hasTurn = false;
      const who = goesFirst ? ({ rank: 0 } as const) : ({ rank: 1, key: runtimeId } as const);
      const leave = await places.take(who, signal);
      const isOver = new AbortController();
      clock.sleep(LONGEST_PLACE_MS, isOver.signal).then(leave, () => undefined);
      return begin().finally(() => {
        isOver.abort(null);
        leave();
      });
    };
  }

  /** A burst may have thousands that were overtaken: they end in their turn, without a workflow. */
  async function unlessOvertaken(
    request: Parameters<typeof endIfOvertaken>[0],
    signal: AbortSignal,
    workflow: () => Promise<Outcome | null>,
  ): Promise<Outcome | null> {
    let leave: (() => void) | undefined;
    try {
      leave = await places.take({ rank: 1, key: request.runtimeId }, signal);
      const outcome = await endIfOvertaken(request, context);
      if (outcome !== null) return outcome;
    } catch {
      // The workflow finds that its process ends, or says what is wrong with the ledger.
    } finally {
      leave?.();
    }
    return workflow();
  }

  /** A rollout that ends badly is logged, and does not end the others. */
  async function follow(
    rolloutLog: RolloutLog,
    work: () => ReturnType<typeof startOrLeaveRollout>,
  ) {
    try {
      const outcome = await work();
      rolloutLog.line(await describeEnd(rolloutLog.rolloutId, outcome, context));
    } catch (error) {
      rolloutLog.line(`cannot go on here. ${errorNameOf(error)}: ${errorMessageOf(error)}`);
    }
  }

  async function take(rolloutId: string, input: RolloutInput): Promise<'started' | 'duplicate'> {
    stopping.signal.throwIfAborted();
    acceptance.note(stopping.signal);
    if (places.isHeldBack()) await acceptance.gather(stopping.signal);
    const now = clock.now();
    const asked = firstRequest({ rolloutId, startTime: now }, input, context);
    if (!(await context.ledger.enlist(asked, acceptedAt(now), now))) return 'duplicate';
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
    isRunning,
    async stop() {
      stopping.abort();
      for (const { stop } of running.values()) stop();
      await Promise.all([...running.values()].map(({ over }) => over));
    },
  };
}

interface Acceptance {
  /** A release has come. */
  note(signal: AbortSignal): void;
  /** Whether more releases are likely to come any moment. */
  isBusy(): boolean;
  /** Waits a moment for others, together with all that have come since the last moment was over. */
  gather(signal: AbortSignal): Promise<void>;
}

/** @param onQuiet Is called once no release has come for a while. */
function createAcceptance({ now, sleep }: StepContext['clock'], onQuiet: () => void): Acceptance {
  let last = Number.NEGATIVE_INFINITY;
  let since = 0;
  let isWatched = false;
  let gathering: Promise<void> | null = null;
  const isBusy = () => isWatched && now() - since < LONGEST_BURST_MS;
  const watch = async (signal: AbortSignal) => {
    since = now();
    isWatched = true;
    try {
      for (let left = QUIET_MS; left > 0; left = last + QUIET_MS - now()) {
        await sleep(left, signal);
        if (!isBusy()) onQuiet();
      }
    } catch {
      // The host ends.
    }
    isWatched = false;
    onQuiet();
  };
  return {
    note(signal) {
      last = now();
      if (!isWatched) void watch(signal);
    },
    isBusy,
    gather(signal) {
      gathering ??= sleep(GATHER_MS, signal).finally(() => {
        gathering = null;
      });
      return gathering;
    },
  };
}

interface RolloutLog {
  readonly rolloutId: string;
  line(text: string): void;
  state(name: string): void;
  failure(error: unknown): void;
}

function logOf(
  rolloutId: string,
  runtimeId: string,
  { context, log }: RolloutHostOptions,
): RolloutLog {
  const line = (text: string) => log(`Rollout ${rolloutId} of ${runtimeId}: ${text}`);
  let told = '';
  let trouble = '';
  const tellWait = async () => {
    // The log is worth less than the rollout, which reads the ledger by itself.
    const record = await findRecord(rolloutId, context.ledger).catch(() => null);
    const wait = record?.wait ?? null;
    if (wait === null || wait.of === null || wait.of === told) return;
    told = wait.of;
    line(`waits. ${describeWait(wait)}`);
  };
  return {
    rolloutId,
    line,
    state(name) {
      if (isOpeningState(name)) void tellWait();
    },
    failure(error) {
      const why = errorMessageOf(error);
      if (errorNameOf(error) !== ErrorName.LedgerUnavailable || why === trouble) return;
      trouble = why;
      line(`waits, trying again. ${why}`);
    },
  };
}

function describeInput({ startedBy, ...wanted }: RolloutInput): string {
  const who = startedBy === undefined ? '' : `, started by ${describeStarter(startedBy)}`;
  return `to ${describeWanted(wantedOf(wanted))}${who}`;
}

/** Describes a rollout with which this process is done. @param outcome `null`: the rollout was left open. */
async function describeEnd(
  rolloutId: string,
  outcome: Outcome | null,
  { ledger }: Pick<StepContext, 'ledger'>,
): Promise<string> {
  const known = await findRecord(rolloutId, ledger);
  const end = outcome ?? known?.outcome ?? null;
  if (end === null) {
    return `left open. The next listener goes on with it, or: ${commandOf(['rollout', 'resume', rolloutId])}`;
  }
  const goesOnElsewhere = known !== null && known.outcome === null;
  return goesOnElsewhere ? end.message : `${nameOfOutcome(end)}: ${end.message}`;
}
