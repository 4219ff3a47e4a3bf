import { createMemoryLedger } from '../adapters/ledger/memory/ledger.ts';
import type { Instant } from '../domain/clock.ts';
import { restingStatusOf } from '../domain/containment/serving.ts';
import type { JournalEntry } from '../domain/endpoint/journal.ts';
import { errorNameOf } from '../domain/errors.ts';
import type { Outcome } from '../domain/rollout/outcome.ts';
import type { RolloutPolicy } from '../domain/rollout/policy.ts';
import type { AskedRollout } from '../domain/rollout/record.ts';
import { createInterpreter } from '../embedded/interpreter/engine.ts';
import { startRollout } from '../embedded/run-workflow.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { TrueEndpoint } from '../simulation/endpoint.ts';
import type { Scenario } from '../simulation/scenario.ts';
import { createWorld, type World } from '../simulation/world.ts';
import { findRecord } from '../steps/io/record.ts';
import { ROLLOUT_DEFINITION } from '../workflow/definition.ts';
import { watchNight } from './bad-night.ts';
import { faultsOfBadVersion, setBadVersion } from './bad-version.ts';
import type { Call } from './calls.ts';
import type { Faults } from './faults.ts';
import { mortalLedger } from './mortal-ledger.ts';
import { approvingBus, carryOut } from './people.ts';
import { createRandom } from './random.ts';
import { createWorldService } from './service.ts';
import { type FaultStage, listFaults, writeFaults } from './service-faults.ts';
import { createTollTaker, type Toll } from './toll.ts';
import { createVirtualTime, type VirtualTime } from './virtual-time.ts';

/** What is rehearsed. It is plain data, so that it can be sent to other threads. */
export interface Rehearsal {
  /** The fleet, and the faults that it always has. */
  readonly scenario: Scenario;
  readonly runtimeId: string;
  readonly version: number;
  readonly policy: RolloutPolicy;
  /** Base URL of the service. */
  readonly endpointUrl: string;
  readonly startsAt: Instant;
}

export interface Rehearsed {
  readonly outcome: Outcome;
  /** `null`: the request was never valid. */
  readonly record: AskedRollout | null;
  /** From the request to the end. */
  readonly seconds: number;
  readonly calls: CallCounts;
  /** Endpoints that were stopped, and that were asked to go back to their version before. */
  readonly stopped: number;
  readonly rolledBack: number;
  readonly toll: Toll;
}

/** What the rollout called, counted as a plan counts it. */
export interface CallCounts {
  readonly rolls: number;
  readonly stops: number;
  /** Complete reads of the list. */
  readonly listReads: number;
  /** State transitions of Step Functions. */
  readonly transitions: number;
  readonly lambdaCalls: number;
}

const REHEARSAL_ID = 'rehearsal';

/**
 * Rehearses one rollout: the real workflow with the real steps, on a simulated service, in virtual time. The same
 * rehearsal with the same faults and the same seed always goes in the same way.
 *
 * @param seed For the spread of the waits before a retry.
 */
export async function rehearse(
  rehearsal: Rehearsal,
  faults: Faults,
  seed: number,
): Promise<Rehearsed> {
  const { runtimeId, version } = rehearsal;
  const time = createVirtualTime(rehearsal.startsAt);
  const stage = setStage(rehearsal, faults, time);
  const { ledger, context, calls, tollTaker, night, look } = stage;
  const engine = createInterpreter({ clock: time, random: createRandom(seed).next });
  const counts = { transitions: 0, lambdaCalls: 0 };
  let forwardUntil: number | undefined;
  const run = (ledgerOfRun: Ledger) =>
    startRollout({
      rolloutId: REHEARSAL_ID,
      input: { schemaVersion: 1, runtimeId, version },
      engine,
      context: { ...context, ledger: ledgerOfRun },
      onState(state) {
        counts.transitions += 1;
        if (LAMBDA_STATES.has(state)) counts.lambdaCalls += 1;
        if (FORWARD_ENDS.has(state)) forwardUntil ??= time.now();
      },
    });
  return time.run(async () => {
    for (const move of faults.others) void carryOut(move, stage, time);
    const outcome = await runToItsEnd(run, ledger, faults.death, time);
    look();
    const hasFailed = outcome.outcome === 'Failed';
    const badVersion = night?.tell({ calls, forwardUntil: forwardUntil ?? time.now(), hasFailed });
    const record = await findRecord(REHEARSAL_ID, ledger);
    return {
      outcome,
      record,
      seconds: time.seconds(),
      calls: { ...countCalls(calls), ...counts },
      ...countEnds(record),
      toll: { ...tollTaker.toll(), badVersion: badVersion ?? null },
    };
  });
}

/** A process that dies is resumed by somebody, with a ledger that is well. */
async function runToItsEnd(
  run: (ledger: Ledger) => Promise<Outcome>,
  ledger: Ledger,
  death: Faults['death'],
  clock: Clock,
): Promise<Outcome> {
  if (death === null) return run(ledger);
  try {
    return await run(mortalLedger(ledger, death));
  } catch (error) {
    if (errorNameOf(error) !== death.error) throw error;
    await clock.sleep(death.resumesAfterSeconds * 1000);
    return run(ledger);
  }
}

/** The simulated world of one rehearsal, and everything between it and the rollout. */
function setStage(rehearsal: Rehearsal, faults: Faults, time: VirtualTime) {
  const { runtimeId, version, policy, endpointUrl } = rehearsal;
  const world = createWorld(scenarioOf(rehearsal, faults), time.now);
  const ledger = createMemoryLedger();
  const calls: Call[] = [];
  const first = world.read(runtimeId);
  const names = new Map(first.map(({ id, name }) => [id, name ?? id]));
  const nameOf = (endpointId: string) => names.get(endpointId) ?? endpointId;
  const faultStage: FaultStage = { time, desiredVersion: version, nameOf, oldReads: 0 };
  const tollTaker = createTollTaker({
    statuses: policy.statuses,
    restingStatus: restingStatusOf(first, policy.statuses),
  });
  const bad = setBadVersion(faults, { world, runtimeId, version, time, nameOf });
  // What had the version before was not rolled to it, and is well.
  const hadIt = new Set(first.filter((one) => one.liveVersion === version).map(({ id }) => id));
  const night =
    faults.badVersion &&
    watchNight({
      statuses: policy.statuses,
      version,
      isBad: (endpoint) => !hadIt.has(endpoint.id) && bad.isBad(endpoint),
      signOf: bad.signOf,
    });
  const watch: Watch = {
    look(endpoints) {
      tollTaker.look(endpoints);
      night?.look(endpoints, time.now());
    },
    see(endpointId, before, after) {
      tollTaker.see(before, after);
      night?.see(endpointId, after, time.now());
    },
  };
  const { watchedWorld, worldOfOthers } = watched(world, runtimeId, time, watch);
  const service = createWorldService({
    world: watchedWorld,
    url: endpointUrl,
    clock: time,
    calls,
    rolloutId: REHEARSAL_ID,
    faults: { ...listFaults(faults.lists, faultStage), ...writeFaults(faults.writes, faultStage) },
    latencyMs: faults.latencyMs,
  });
  const events = approvingBus(REHEARSAL_ID, ledger, faults.approvesAfterSeconds, time);
  const { gates } = bad;
  const context = { service, clock: time, gates, events, policyOf: () => policy };
  const look = () => watch.look(world.read(runtimeId));
  const seen = { calls, tollTaker, night, look };
  return { world: worldOfOthers, ledger, context, runtimeId, nameOf, ...seen };
}

/** The scenario with what goes wrong in this rehearsal. */
function scenarioOf({ scenario, runtimeId, version }: Rehearsal, faults: Faults): Scenario {
  const { badVersion, slowness, endpoints } = faults;
  const bad = badVersion === null ? [] : faultsOfBadVersion(badVersion, { runtimeId, version });
  return {
    ...scenario,
    faults: [...scenario.faults, ...endpoints, ...bad],
    runtimes: scenario.runtimes.map((runtime) => ({
      ...runtime,
      endpoints: runtime.endpoints.map((endpoint, index) => ({
        ...endpoint,
        rollSeconds: endpoint.rollSeconds * (slowness[index] ?? 1),
      })),
    })),
  };
}

/** Who looks at the fleet as it truly is. */
interface Watch {
  look(endpoints: readonly TrueEndpoint[]): void;
  /** Sees what a write did to an endpoint since the fleet was looked at. */
  see(endpointId: string, before: TrueEndpoint | null, after: TrueEndpoint | null): void;
}

/**
 * The same world, which is looked at whenever it is read, and before and after it is changed. While the clock stands
 * still, nothing changes but what is written to, so the writes of one moment share one look at the whole fleet.
 */
function watched(world: World, runtimeId: string, { now }: Pick<Clock, 'now'>, watch: Watch) {
  let lookedAt = Number.NaN;
  const look = (endpoints: readonly TrueEndpoint[]) => {
    lookedAt = now();
    watch.look(endpoints);
  };
  const looked = <T>(endpointId: string, work: () => T): T => {
    if (now() !== lookedAt) look(world.read(runtimeId));
    const before = world.readOne(runtimeId, endpointId);
    try {
      return work();
    } finally {
      watch.see(endpointId, before, world.readOne(runtimeId, endpointId));
    }
  };
  const unseen = <T>(work: () => T): T => {
    lookedAt = Number.NaN;
    return work();
  };
  const watchedWorld: World = {
    ...world,
    read(id) {
      const endpoints = world.read(id);
      look(endpoints);
      return endpoints;
    },
    roll: (id, endpointId, ...how) => looked(endpointId, () => world.roll(id, endpointId, ...how)),
    stop: (id, endpointId) => looked(endpointId, () => world.stop(id, endpointId)),
  };
  /** What others do is seen at the next look. */
  const worldOfOthers: World = {
    ...world,
    roll: (...how) => unseen(() => world.roll(...how)),
    stop: (...how) => unseen(() => world.stop(...how)),
  };
  return { watchedWorld, worldOfOthers };
}

function countCalls(calls: readonly Call[]): Pick<CallCounts, 'rolls' | 'stops' | 'listReads'> {
  const count = (wanted: Call['operation']) =>
    calls.filter(({ operation }) => operation === wanted).length;
  return { rolls: count('roll'), stops: count('stop'), listReads: count('list') };
}

function countEnds(record: AskedRollout | null): Pick<Rehearsed, 'stopped' | 'rolledBack'> {
  const ids = (wanted: JournalEntry['operation']) =>
    new Set(
      record?.journal.flatMap(({ operation, result, endpointId }) =>
        operation === wanted && result === 'accepted' ? [endpointId] : [],
      ),
    );
  return { stopped: ids('stop').size, rolledBack: ids('roll-back').size };
}

/** The states in which a rollout first goes forward no more. */
const FORWARD_ENDS: ReadonlySet<string> = new Set(['What on failure?', 'Close rollout']);

/** The states in which Step Functions calls a function. */
const LAMBDA_STATES: ReadonlySet<string> = new Set(lambdaStates(ROLLOUT_DEFINITION.States));

function lambdaStates(states: object): string[] {
  return Object.entries(states).flatMap(([name, state]) => {
    if ('ItemProcessor' in state) return lambdaStates(state.ItemProcessor.States);
    return String(state.Resource).endsWith(':lambda:invoke') ? [name] : [];
  });
}
