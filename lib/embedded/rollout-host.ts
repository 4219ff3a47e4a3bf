import type { RolloutInput } from '../contract/rollout-input.ts';
import { errorMessageOf, errorNameOf } from '../domain/errors.ts';
import { describeStarter } from '../domain/events/describe-event.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { RolloutRecord } from '../domain/rollout.ts';
import { findRecord } from '../steps/find-record.ts';
import type { StepContext } from '../steps/handle.ts';
import { startOrLeaveRollout } from './start-rollout.ts';

export interface RolloutHostOptions {
  readonly context: StepContext;
  /** Told in a line what becomes of a rollout. */
  readonly log: (line: string) => void;
}

/** Runs any number of rollouts in this process, each to its end. */
export interface RolloutHost {
  /** `duplicate`: the ledger or this process knows the rollout already. */
  start(rolloutId: string, input: RolloutInput): Promise<'started' | 'duplicate'>;
  /** Goes on with a rollout whose lease this process has. */
  goOn(record: RolloutRecord): void;
  isRunning(rolloutId: string): boolean;
  /** Finishes the steps that are under way and leaves the rollouts open. Nothing starts any more. */
  stop(): Promise<void>;
}

export function createRolloutHost({ context, log }: RolloutHostOptions): RolloutHost {
  const running = new Map<string, Promise<void>>();
  const stopping = new AbortController();
  const { signal } = stopping;

  const run = (rolloutId: string, input: RolloutInput) => {
    const told = logOf(rolloutId, input.runtimeId, log);
    const work = follow(told, () =>
      startOrLeaveRollout({ rolloutId, input, context, signal, onState: told.state }),
    );
    running.set(
      rolloutId,
      work.finally(() => running.delete(rolloutId)),
    );
  };

  /** How a rollout ends badly is in the log, and no reason for the others to end. */
  async function follow(told: RolloutLog, work: () => ReturnType<typeof startOrLeaveRollout>) {
    try {
      const outcome = await work();
      told.line(await describeEnd(told.rolloutId, outcome, context));
    } catch (error) {
      told.line(`cannot go on here. ${errorNameOf(error)}: ${errorMessageOf(error)}`);
    }
  }

  return {
    async start(rolloutId, input) {
      const known = await findRecord(rolloutId, context.ledger);
      // Without a pause from here on: of two deliveries at once, one starts it.
      if (known !== null || running.has(rolloutId)) return 'duplicate';
      signal.throwIfAborted();
      log(`Rollout ${rolloutId} of ${input.runtimeId}: ${describeInput(input)}`);
      run(rolloutId, input);
      return 'started';
    },
    goOn({ request }) {
      const { rolloutId, runtimeId, desiredVersion: version } = request;
      run(rolloutId, { schemaVersion: 1, runtimeId, version });
    },
    isRunning: (rolloutId) => running.has(rolloutId),
    async stop() {
      stopping.abort();
      await Promise.all(running.values());
    },
  };
}

interface RolloutLog {
  readonly rolloutId: string;
  line(text: string): void;
  state(name: string): void;
}

function logOf(rolloutId: string, runtimeId: string, log: (line: string) => void): RolloutLog {
  const line = (text: string) => log(`Rollout ${rolloutId} of ${runtimeId}: ${text}`);
  let isWaiting = false;
  return {
    rolloutId,
    line,
    state(name) {
      if (name !== 'Wait for its turn' || isWaiting) return;
      isWaiting = true;
      line('waits for its turn');
    },
  };
}

function describeInput({ version, versionFrom, startedBy }: RolloutInput): string {
  const wanted =
    version === undefined ? `the version of ${versionFrom?.endpoint}` : `version ${version}`;
  const who = startedBy === undefined ? '' : `, started by ${describeStarter(startedBy)}`;
  return `to ${wanted}${who}`;
}

/**
 * What there is to say of a rollout that this process is done with. What waits for its turn is not in the
 * ledger: a wish that old would come back when nobody wants it any more.
 *
 * @param outcome `null`: it was left open.
 */
async function describeEnd(
  rolloutId: string,
  outcome: Outcome | null,
  { ledger }: Pick<StepContext, 'ledger'>,
): Promise<string> {
  const record = await findRecord(rolloutId, ledger);
  if (outcome === null) {
    return record === null
      ? 'it had not begun, and is forgotten: announce it again'
      : `left open. The next listener goes on with it, or: steproll rollout resume ${rolloutId}`;
  }
  const goesOnElsewhere = record !== null && record.outcome === null;
  return goesOnElsewhere
    ? outcome.message
    : `${outcome.outcome} (${outcome.reason}): ${outcome.message}`;
}
