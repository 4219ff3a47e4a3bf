import { openSqliteLedger } from '../../lib/adapters/ledger/sqlite-ledger.ts';
import { parseScenario } from '../../lib/contract/scenario.ts';
import { DEFAULT_POLICY } from '../../lib/domain/defaults.ts';
import type { Endpoint } from '../../lib/domain/endpoint.ts';
import type { Outcome } from '../../lib/domain/outcome.ts';
import type { RolloutPolicy } from '../../lib/domain/policy.ts';
import type { RolloutRecord } from '../../lib/domain/rollout.ts';
import { startRollout } from '../../lib/embedded/start-rollout.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import { createWorld, type World } from '../../lib/service/world.ts';
import { type Call, isWrite } from './call-log.ts';
import { violationsOf } from './invariants.ts';
import { inVirtualTime, secondsSinceStart } from './virtual-time.ts';
import { createWorldService, type ServiceFaults, toEndpoints } from './world-service.ts';

export const RUNTIME = 'shop';

/** What happens. Everything has a plain default: 12 endpoints on version 1, rolled to version 2. */
export interface Script {
  /** As in a scenario file. @default 12 */
  readonly endpoints?: number | readonly object[];
  /** Seconds from the start of a roll until the version is live. @default 20 */
  readonly rollSeconds?: number;
  /** Of the simulated endpoints, as in a scenario file; all of them for version 2. @default - none */
  readonly broken?: readonly object[];
  /** Of the way to the service. @default - none */
  readonly faults?: ServiceFaults;
  /** @default 0 */
  readonly latencyMs?: number;
  /** What differs from the default policy. @default - nothing */
  readonly policy?: Partial<RolloutPolicy>;
  /** Goes on beside the rollout, from its start; waited for at the end. @default - nothing does */
  readonly beside?: (stage: Stage) => Promise<unknown>;
  /** Stands between the rollout and its ledger. @default - nothing does */
  readonly ledger?: (ledger: Ledger, stage: Stage) => Ledger;
  /** @default - nobody aborts */
  readonly signal?: AbortSignal;
}

/** The service, the ledger and the clock that the rollouts of a scenario share. */
export interface Stage {
  readonly world: World;
  readonly ledger: Ledger;
  readonly calls: readonly Call[];
  idOf(name: string): string;
  /** Resolves so many seconds after the start. */
  until(seconds: number): Promise<void>;
  /** Resolves soon after so many writes of a kind were sent: in the midst of them, given a latency. */
  untilSent(operation: 'roll' | 'stop', count: number): Promise<void>;
  /** Starts one more rollout. */
  start(rolloutId: string, script?: Script): Promise<Run>;
}

/** How one rollout went. */
export interface Run {
  readonly outcome: Outcome;
  /** `null`: it never got the lease, so the ledger does not know it. */
  readonly record: RolloutRecord | null;
  /** Every state that was entered, in order. */
  readonly states: readonly string[];
  /** Of this rollout. */
  readonly calls: readonly Call[];
  /** Names of the endpoints that a roll was sent to, once for each time. */
  readonly rolled: readonly string[];
  readonly stopped: readonly string[];
  readonly seconds: number;
}

export interface ScenarioResult extends Run {
  /** Of the whole stage: what became of every endpoint, by name. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
}

/**
 * Runs a rollout through the real definition and the embedded engine, against the simulated service
 * and a ledger in memory, in virtual time.
 *
 * @throws when an invariant does not hold, whatever the outcome.
 */
export async function runScenario(script: Script = {}): Promise<ScenarioResult> {
  const { ledger, end } = openSqliteLedger(':memory:');
  try {
    return await inVirtualTime(async () => {
      const stage = setStage(script, ledger);
      const [run] = await Promise.all([stage.start('rollout-1', script), script.beside?.(stage)]);
      return { ...run, endpoints: endpointsOf(stage.world) };
    });
  } finally {
    end();
  }
}

function setStage(
  { endpoints = 12, rollSeconds = 20, broken = [] }: Script,
  ledger: Ledger,
): Stage {
  const scenario = parseScenario({
    runtimes: [{ id: RUNTIME, version: 1, rollSeconds, endpoints }],
    faults: broken.map((fault) => ({ version: 2, ...fault })),
  });
  const world = createWorld(scenario, () => Date.now());
  const calls: Call[] = [];
  const stage: Stage = {
    world,
    ledger,
    calls,
    idOf: (name) => endpointsOf(world).get(name)?.id ?? '',
    until: (seconds) => sleep(seconds * 1000 - secondsSinceStart() * 1000),
    async untilSent(operation, count) {
      while (calls.filter((call) => call.operation === operation).length < count) await sleep(100);
    },
    start: (rolloutId, script = {}) => run(stage, calls, rolloutId, script),
  };
  return stage;
}

async function run(stage: Stage, log: Call[], rolloutId: string, script: Script): Promise<Run> {
  const { world } = stage;
  const names = new Map([...endpointsOf(world)].map(([name, { id }]) => [id, name]));
  const states: string[] = [];
  const outcome = await startRollout({
    rolloutId,
    input: { schemaVersion: 1, runtimeId: RUNTIME, version: 2 },
    context: {
      service: createWorldService({
        world,
        calls: log,
        rolloutId,
        faults: script.faults ?? {},
        latencyMs: script.latencyMs ?? 0,
      }),
      ledger: noteClose(script.ledger?.(stage.ledger, stage) ?? stage.ledger, log),
      clock: { now: () => Date.now() },
      policy: { ...DEFAULT_POLICY, ...script.policy },
    },
    onState: (state) => states.push(state),
    ...(script.signal ? { signal: script.signal } : {}),
  });
  const seconds = secondsSinceStart();
  // Whatever outlives its rollout shows up in the calls.
  await sleep(HOUR_MS);
  const record = await stage.ledger.read(rolloutId).catch(() => null);
  const calls = log.filter((call) => call.rolloutId === rolloutId);
  const violations = violationsOf({ outcome, record, calls, states });
  if (violations.length > 0) throw new Error(['Broken invariants:', ...violations].join('\n  '));
  const writtenTo = (operation: Call['operation']) =>
    calls.flatMap((call) =>
      isWrite(call) && call.operation === operation ? [names.get(call.endpointId) ?? ''] : [],
    );
  const rolled = writtenTo('roll');
  return { outcome, record, states, calls, rolled, stopped: writtenTo('stop'), seconds };
}

const HOUR_MS = 3_600_000;

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

function noteClose(ledger: Ledger, log: Call[]): Ledger {
  return {
    ...ledger,
    async close(rolloutId, outcome, now) {
      const stored = await ledger.close(rolloutId, outcome, now);
      log.push({ rolloutId, at: Date.now(), operation: 'close' });
      return stored;
    },
  };
}

function endpointsOf(world: World): ReadonlyMap<string, Endpoint> {
  return new Map(
    toEndpoints(world.list(RUNTIME)).map((endpoint) => [endpoint.name ?? '', endpoint]),
  );
}
