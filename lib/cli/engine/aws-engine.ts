import type { AwsCaller } from '../../adapters/aws/caller.ts';
import type { ExecutionState } from '../../adapters/aws/executions.ts';
import type { OpenStack } from '../../adapters/aws/stack.ts';
import type { EndedStatus } from '../../domain/ending/execution.ts';
import { ErrorName } from '../../domain/errors.ts';
import { namedRuntime } from '../../domain/rollout/group.ts';
import type { OutcomeKind } from '../../domain/rollout/outcome.ts';
import { wasOpened } from '../../domain/rollout/record.ts';
import { rolloutIdOf } from '../../handlers/start.ts';
import type { Clock } from '../../ports/clock.ts';
import { findRecord } from '../../steps/io/record.ts';
import { type AwsEngine, NeverBegun, SHOWING_UP_MS } from './engine.ts';

/** Milliseconds between two questions about an execution that may appear. */
const ASK_AGAIN_MS = 1_000;

/** The console asks at each look who calls, and a call that fails may take seconds. */
const CALLER_AGAIN_MS = 60_000;

/** The rollouts of a stack on AWS. An execution of its state machine is a rollout. */
export function createAwsEngine(stack: OpenStack, clock: Clock): AwsEngine {
  const { ledger, account, region, endpointUrl } = stack;
  let caller: Promise<AwsCaller> | undefined;
  let failedAt = Number.POSITIVE_INFINITY;

  /** For some seconds after a start, Step Functions may not know the execution yet. */
  async function readStarted(rolloutId: string): Promise<ExecutionState> {
    const until = clock.now() + SHOWING_UP_MS;
    let state = await stack.readExecution(rolloutId);
    while (state.status === 'NOT_FOUND' && clock.now() < until) {
      await clock.sleep(ASK_AGAIN_MS);
      state = await stack.readExecution(rolloutId);
    }
    return state;
  }

  return {
    account,
    region,
    endpointUrl,
    ledger,
    listens: false,
    clockAheadMs: stack.clockAheadMs,
    caller() {
      if (clock.now() >= failedAt + CALLER_AGAIN_MS) {
        caller = undefined;
        failedAt = Number.POSITIVE_INFINITY;
      }
      caller ??= stack.readCaller().catch((error: unknown) => {
        failedAt = clock.now();
        throw error;
      });
      return caller;
    },
    start: stack.start,
    async describeWaiting(rolloutId) {
      const { status, cause, ending } = await stack.readExecution(rolloutId);
      if (status === 'NOT_FOUND') return null;
      if (status === 'RUNNING') return WAITS;
      // The rollout may have been recorded, and may have ended, since the last look.
      if ((await findRecord(rolloutId, ledger)) !== null) return WAITS;
      const unknown = { outcome: OUTCOMES[status], reason: ErrorName.RolloutFailed };
      throw new NeverBegun(ending ?? unknown, describeEnd(status, cause));
    },
    async describeExecution(rolloutId) {
      const { status, cause } = await stack.readExecution(rolloutId);
      if (status === 'NOT_FOUND') return null;
      if (status === 'RUNNING') return 'Its execution is under way.';
      if (status === 'SUCCEEDED') return 'Its first execution is over, and may have handed over.';
      return `Its execution ended as ${status}${cause === undefined ? '.' : `: ${cause}`}`;
    },
    // The janitor closes such rollouts.
    isAbandoned: async () => false,
    async endWaiting(rolloutId, why) {
      const { status } = await readStarted(rolloutId);
      if (status !== 'RUNNING') return false;
      // First make sure that it can no longer begin. If it was stopped after it had begun, the janitor would have to
      // close it.
      await ledger.bury(rolloutId);
      const record = await findRecord(rolloutId, ledger);
      if (record !== null && wasOpened(record)) return false;
      await stack.stopExecution(rolloutId, why);
      return true;
    },
    async publish(release) {
      const eventId = await stack.publishRelease(release);
      const wanted = { version: release.version };
      const runtimeId = namedRuntime(release);
      return {
        rolloutId: rolloutIdOf({ kind: 'release', key: eventId, runtimeId, wanted }),
        result: 'sent',
      };
    },
  };
}

/** An execution that succeeded although its rollout never began tells as little as an unknown one. */
const OUTCOMES: Readonly<Record<EndedStatus, OutcomeKind>> = {
  SUCCEEDED: 'Errored',
  FAILED: 'Failed',
  TIMED_OUT: 'Errored',
  ABORTED: 'Aborted',
};

/** If the workflow ended the execution itself, the cause is the sentence of the outcome. */
function describeEnd(status: string, cause: string | undefined): string {
  if (status === 'FAILED' && cause !== undefined) return cause;
  return `Its execution ended as ${status} before it had begun${cause === undefined ? '' : `: ${cause}`}.`;
}

const WAITS = 'It has not begun yet: AWS is opening it.';
