import { StateMachine, type StateMachineDefinition } from 'aws-local-stepfunctions';
import { createLocalBus } from '../../../lib/adapters/events/local-bus.ts';
import { REST_ABILITIES } from '../../../lib/contract/service/services.ts';
import type { Seconds } from '../../../lib/domain/clock.ts';
import { DEFAULT_POLICY } from '../../../lib/domain/rollout/default-policy.ts';
import type { RolloutPolicy } from '../../../lib/domain/rollout/policy.ts';
import { isOpening, WAIT_STATES } from '../../../lib/domain/rollout/wait.ts';
import { DEFAULT_DELAY } from '../../../lib/gates/check-answer.ts';
import type { GateAnswer } from '../../../lib/gates/gate.ts';
import type { EndpointService } from '../../../lib/ports/endpoint-service.ts';
import type { Ledger } from '../../../lib/ports/ledger.ts';
import { parseScenario } from '../../../lib/simulation/scenario.ts';
import { createWorld } from '../../../lib/simulation/world.ts';
import { handleCloseRollout } from '../../../lib/steps/close-rollout.ts';
import type { StepContext, StepPayload } from '../../../lib/steps/io/ports.ts';
import { handleLook } from '../../../lib/steps/look.ts';
import { handleOpenRollout } from '../../../lib/steps/open-rollout.ts';
import { handleRollBatch } from '../../../lib/steps/roll-batch.ts';
import { handleStopBatch } from '../../../lib/steps/stop-batch.ts';
import { handleTurnAround } from '../../../lib/steps/turn-around.ts';
import { ROLLOUT_DEFINITION } from '../../../lib/workflow/definition.ts';
import { gatePortsOf } from '../../support/gate-ports.ts';
import { skippingSleep } from '../../support/skipping-sleep.ts';

const RUNTIME = 'shop';

const STEPS = {
  'Open rollout': handleOpenRollout,
  'Roll batch': handleRollBatch,
  Look: handleLook,
  'Turn around': handleTurnAround,
  'Stop batch': handleStopBatch,
  'Close rollout': handleCloseRollout,
};

export interface Simulation {
  /** Every state that was entered, in order. */
  readonly states: readonly string[];
  /** One for each call of a step: the larger of what it read and what it answered, in bytes. */
  readonly payloads: readonly number[];
  /** Over the whole list. */
  readonly sweeps: number;
  readonly writes: number;
  /** Requests of probes, which all pass. */
  readonly probes: number;
  /** Questions of checks, and queries of Prometheus. */
  readonly questions: number;
}

/**
 * Rolls a simulated runtime through the real definition and the real steps, without the waits: the clock
 * stands still and is put forward by what the workflow waited before a step.
 *
 * @param workSeconds For how long a check is at work when it is asked about a wave. It wants to be asked again every 30 s.
 * @throws when it does not succeed.
 */
export async function simulateRollout(
  endpoints: number,
  rollSeconds: number,
  ledger: Ledger,
  policy: RolloutPolicy = DEFAULT_POLICY,
  workSeconds: Seconds = 0,
): Promise<Simulation> {
  let now = Date.UTC(2026, 0, 1);
  const scenario = parseScenario({
    runtimes: [{ id: RUNTIME, version: 1, rollSeconds, endpoints }],
  });
  const world = createWorld(scenario, () => now);
  const counts = { sweeps: 0, writes: 0, probes: 0, questions: 0 };
  const workingUntil = new Map<number, number>();
  const service: EndpointService = {
    url: 'https://endpoints.example.com',
    abilities: REST_ABILITIES,
    async list(runtimeId) {
      counts.sweeps += 1;
      return world.read(runtimeId);
    },
    async roll(runtimeId, endpointId, version) {
      counts.writes += 1;
      return world.roll(runtimeId, endpointId, version);
    },
    stop: notPartOfIt,
    listPage: notPartOfIt,
    create: notPartOfIt,
    listVersions: notPartOfIt,
  };
  const pass = async (): Promise<GateAnswer> => {
    counts.probes += 1;
    return { verdict: 'pass', detail: '200' };
  };
  const context: StepContext = {
    service,
    ledger,
    clock: {
      now: () => now,
      elapsed: () => now,
      sleep: skippingSleep((milliseconds) => {
        now += milliseconds;
      }),
    },
    gates: gatePortsOf({
      ...{ probe: pass, alarm: pass, metrics: async () => [] },
      async check(_, { wave }) {
        counts.questions += 1;
        const until = workingUntil.get(wave) ?? now + workSeconds * 1000;
        workingUntil.set(wave, until);
        return now < until
          ? { verdict: 'unknown', detail: 'IN_PROGRESS', askAgainIn: DEFAULT_DELAY }
          : { verdict: 'pass', detail: 'SUCCEEDED' };
      },
      async prometheus() {
        counts.questions += 1;
        const sample = [now / 1000, '0'];
        return { json: { status: 'success', data: { resultType: 'scalar', result: sample } } };
      },
    }),
    events: createLocalBus(),
    policyOf: () => policy,
  };
  const payloads: number[] = [];
  // One after the other, each step has the memory that a function of its own would have.
  let before: Promise<unknown> = Promise.resolve();
  const inTurn = (run: () => Promise<unknown>): Promise<unknown> => {
    const answer = before.then(run);
    before = answer.catch(() => undefined);
    return answer;
  };
  const handlers = Object.entries(STEPS).map(([state, handle]) => [
    state,
    async (task: unknown) => {
      const { Payload } = task as { Payload: StepPayload };
      now += waitedSeconds(Payload) * 1000;
      const answer = await inTurn(() => handle(Payload, context));
      payloads.push(Math.max(sizeOf(Payload), sizeOf(answer)));
      // It opens again with the payload that it began with, which says nothing of a wait.
      const { next, waitSeconds = 0 } = answer as { next?: string; waitSeconds?: number };
      if (isOpening(next)) now += waitSeconds * 1000;
      return { Payload: answer };
    },
  ]);
  const states = await enteredStates(Object.fromEntries(handlers));
  return { states, payloads, ...counts };
}

/** What the workflow hands to the execution that goes on. */
interface Next {
  readonly Name: string;
  readonly Input: unknown;
}

/** The states of all executions of the rollout. */
async function enteredStates(steps: object): Promise<string[]> {
  const definition = JSON.parse(JSON.stringify(ROLLOUT_DEFINITION)) as StateMachineDefinition;
  const states: string[] = [];
  let next: Next | null = {
    Name: 'rollout-1',
    Input: { schemaVersion: 1, runtimeId: RUNTIME, version: 2 },
  };
  while (next !== null) {
    const { Name, Input }: Next = next;
    next = null;
    const handOver = async (task: Next) => {
      next = task;
      return {};
    };
    const machine = new StateMachine(definition, { validationOptions: { checkArn: false } });
    const execution = machine.run(Input as never, {
      context: { Execution: { Id: Name, Name }, StateMachine: { Id: 'rollout' } },
      overrides: {
        taskResourceLocalHandlers: { ...steps, 'Hand over': handOver } as never,
        waitTimeOverrides: Object.fromEntries(WAIT_STATES.map(({ state }) => [state, 0])),
      },
    });
    for await (const event of execution.eventLogs) {
      if (event.type === 'StateEntered') states.push(event.state.name);
    }
    await execution.result;
  }
  return states;
}

/** Before this step: a position says so, and other payloads follow at once. */
function waitedSeconds({ position }: StepPayload): number {
  return (position as { waitSeconds: number } | undefined)?.waitSeconds ?? 0;
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

async function notPartOfIt(): Promise<never> {
  throw new Error('No rollout that succeeds does this.');
}
