import { asRefusedStart } from '../../lib/adapters/lambda/connect-step-functions.ts';
import { createMemoryLedger } from '../../lib/adapters/ledger/memory/ledger.ts';
import type { RolloutInput } from '../../lib/contract/flow/rollout-input.ts';
import type { Attributes } from '../../lib/domain/endpoint/attributes.ts';
import type { Endpoint } from '../../lib/domain/endpoint/endpoint.ts';
import type { Direction } from '../../lib/domain/endpoint/journal.ts';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import type { RolloutEvent } from '../../lib/domain/rollout/event.ts';
import { groupIdOf, groupNameOf } from '../../lib/domain/rollout/group.ts';
import { DEFAULT_GROUP_POLICY } from '../../lib/domain/rollout/group-policy.ts';
import type { Outcome } from '../../lib/domain/rollout/outcome.ts';
import type { RolloutPolicy } from '../../lib/domain/rollout/policy.ts';
import type { AskedRollout } from '../../lib/domain/rollout/record.ts';
import { createChildren } from '../../lib/embedded/children.ts';
import type { EngineInput, WorkflowEngine } from '../../lib/embedded/engine.ts';
import { createInterpreter } from '../../lib/embedded/interpreter/engine.ts';
import { createRolloutHost } from '../../lib/embedded/rollout-host.ts';
import { startRollout } from '../../lib/embedded/run-workflow.ts';
import type { GatePorts } from '../../lib/gates/gates.ts';
import { takeRecordedTrigger } from '../../lib/handlers/start.ts';
import { withChildren } from '../../lib/handlers/start-child.ts';
import type { EndpointService } from '../../lib/ports/endpoint-service.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import type { Call } from '../../lib/rehearsal/calls.ts';
import { createWorldService } from '../../lib/rehearsal/service.ts';
import { createVirtualTime, type VirtualTime } from '../../lib/rehearsal/virtual-time.ts';
import { parseScenario } from '../../lib/simulation/scenario.ts';
import { createWorld } from '../../lib/simulation/world.ts';
import type { StepContext } from '../../lib/steps/io/ports.ts';
import { gatePortsOf } from './gate-ports.ts';
import { START } from './scenario-time.ts';
import { MACHINE_ARN } from './status-change.ts';
import { WHOLE_POLICY } from './whole-policy.ts';

export const GROUP = 'prod';

export interface GroupScript {
  /** Ids of the runtimes. Each has its endpoints on version 1. */
  readonly runtimes: readonly string[];
  /** Of each runtime. @default 3 */
  readonly endpoints?: number;
  /** Seconds of a roll. @default 20 */
  readonly rollSeconds?: number;
  /** Of each runtime, as in a scenario file. @default - the service cannot list versions */
  readonly versions?: Readonly<Record<string, readonly object[]>>;
  /** As in a scenario file. @default - none */
  readonly faults?: readonly object[];
  /** How the lists of the runtimes show an endpoint. @default - as it is */
  readonly shown?: (one: Endpoint) => Endpoint;
  /** What differs from the default policy of a group. @default - nothing */
  readonly policy?: Partial<RolloutPolicy>;
  /** Whether the deployed configuration names a runtime, whenever it is asked. @default - nothing is said of that */
  readonly isNamed?: (runtimeId: string) => boolean;
  /** What the configuration says of a runtime. @default - nothing */
  readonly attributesOf?: (runtimeId: string) => Attributes;
  /** @default - each that can be asked says yes */
  readonly gates?: Partial<GatePorts>;
  /** What differs from the default policy of every runtime, which has no bake here. @default - nothing */
  readonly ofRuntimes?: Partial<RolloutPolicy>;
}

/** On what a group is released. */
interface GroupGrounds {
  /** @default - in memory */
  readonly ledger?: Ledger;
  /** @default - a clock that jumps when no microtask is left */
  readonly time?: VirtualTime;
  /** Sees every execution before it is run. @default - nobody does */
  readonly observe?: (execution: EngineInput) => EngineInput;
  /** Is called with every call to the service. @default - nobody is called */
  readonly onCall?: () => void;
  /** @default - one that is simulated */
  readonly service?: EndpointService | undefined;
}

/** A process that releases the group, as long as it lives. */
export interface GroupProcess {
  /** Runs the rollout of the group to its end, or goes on with it. */
  run(rolloutId: string, what: number | Wanted): Promise<Outcome>;
  /** From now on nothing that it does reaches the world. */
  kill(): void;
}

/** What a rollout is asked for, if that is more than a version. */
type Wanted = Partial<RolloutInput>;

/** A start that the state machine was asked for. */
interface Start {
  readonly stateMachineArn: string;
  readonly name: string;
  readonly at: number;
}

type FaultOfStart = (number: number) => 'throttled' | 'lost' | null;

/** The group's rollout and those of its runtimes, each an execution. */
interface StateMachine {
  readonly starts: readonly Start[];
  run(rolloutId: string, what: number | Wanted, group?: string): Promise<Outcome>;
  /** Starts what a trigger asks for, and waits for its end. */
  take(
    trigger: object,
  ): Promise<{ rolloutId: string; result: string; outcome: Outcome | undefined }>;
  /** Waits until every execution has ended. */
  end(): Promise<void>;
}

const THROTTLED = Object.assign(new Error('Rate exceeded'), { name: 'ThrottlingException' });

export type GroupStage = ReturnType<typeof setStage>;

/** Runtimes of a simulated service and a ledger in memory, in virtual time, for any number of processes. */
export async function onGroupStage<T>(
  script: GroupScript,
  work: (stage: GroupStage) => Promise<T>,
  grounds: GroupGrounds = {},
): Promise<T> {
  const { ledger = createMemoryLedger(), time = createVirtualTime(START) } = grounds;
  const { observe = (execution) => execution, onCall = () => undefined } = grounds;
  const { service } = grounds;
  return time.run(() => work(setStage(script, { ledger, time, observe, onCall, service })));
}

type Grounds = Required<Omit<GroupGrounds, 'service'>> & Pick<GroupGrounds, 'service'>;

function setStage(
  script: GroupScript,
  { ledger: anyLedger, time, observe, onCall, service: anyService }: Grounds,
) {
  const { runtimes, endpoints = 3, rollSeconds = 20, faults = [], versions } = script;
  const world = createWorld(
    parseScenario({
      runtimes: runtimes.map((id) => ({
        ...{ id, version: 1, rollSeconds, endpoints },
        versions: versions?.[id],
      })),
      faults,
    }),
    time.now,
  );
  const { ledger, most } = noteChildren(anyLedger, time.now);
  const calls: Call[] = [];
  const told: RolloutEvent[] = [];
  const pass = async () => ({ verdict: 'pass', detail: '' }) as const;
  const interpret = createInterpreter({ clock: time, random: () => 0.5 });
  const engine: WorkflowEngine = (execution) => interpret(observe(execution));
  const policyOf = (runtimeId: string): RolloutPolicy =>
    groupNameOf(runtimeId) === null
      ? { ...WHOLE_POLICY, bakeSeconds: 0, ...script.ofRuntimes }
      : { ...DEFAULT_GROUP_POLICY, ...script.policy };
  const service = withEach(
    anyService ??
      createWorldService({
        world,
        clock: time,
        calls,
        rolloutId: 'any',
        faults: { onList: (read) => read().map(script.shown ?? ((one) => one)) },
        latencyMs: 50,
      }),
    (call) => {
      onCall();
      return call();
    },
  );

  const everything: StepContext = {
    service,
    ledger,
    clock: time,
    gates: gatePortsOf({ probe: pass, alarm: pass, metrics: async () => [], ...script.gates }),
    events: { publish: async (event) => void told.push(event) },
    policyOf,
  };
  const planning = {
    policyOf,
    runtimesOf: (name: string) => (name === GROUP ? runtimes : null),
    ...(script.isNamed && { isNamed: script.isNamed }),
    ...(script.attributesOf && { attributesOf: script.attributesOf }),
  };

  const createProcess = (): GroupProcess => {
    let isAlive = true;
    const mortal = <T extends object>(port: T): T =>
      withEach(port, async (call) => {
        if (!isAlive) throw new SteprollError(ErrorName.IncompatibleState, 'It is dead.');
        return call();
      });
    const context = { ...everything, service: mortal(service), ledger: mortal(ledger) };
    const host = createRolloutHost({ context, engine, log: () => undefined, atStop: 'end' });
    const children = createChildren(host, context, (ms) => time.sleep(ms));
    const groups = { ...children, planning };
    return {
      async run(rolloutId, what) {
        const outcome = await startRollout({
          rolloutId,
          input: inputFor(GROUP, what),
          context: { ...context, groups },
          engine,
        });
        await children.end(new AbortController().signal);
        return outcome;
      },
      kill() {
        isAlive = false;
      },
    };
  };

  /**
   * A state machine on AWS: each rollout is an execution that runs by itself.
   *
   * @param faultOf What happens to the start of a child instead of an answer, the first time with `number` 1.
   */
  const createStateMachine = (faultOf: FaultOfStart = () => null): StateMachine => {
    const executions = new Map<string, Promise<Outcome>>();
    const starts: Start[] = [];
    const start = (name: string, input: RolloutInput): Promise<Outcome> => {
      // A second start of the same name is the same execution.
      const running = executions.get(name) ?? execute(name, input);
      executions.set(name, running);
      return running;
    };
    const ports = {
      ...everything,
      async startExecution(stateMachineArn: string, name: string, input: object) {
        starts.push({ stateMachineArn, name, at: time.now() });
        const fault = faultOf(starts.length);
        if (fault === 'throttled') throw asRefusedStart(THROTTLED);
        if (fault === 'lost') {
          // Nobody sees it before the next look.
          void time.sleep(60_000).then(() => start(name, input as RolloutInput));
          throw asRefusedStart(new Error('socket hang up'));
        }
        void start(name, input as RolloutInput);
      },
    };
    const { groups } = withChildren({ stateMachineArn: MACHINE_ARN }, ports);
    const isOpenToOthers = true as const;
    const context = { ...everything, groups: { ...groups, planning }, isOpenToOthers };
    const execute = (rolloutId: string, input: RolloutInput) =>
      startRollout({ rolloutId, input, context, engine });
    return {
      starts,
      run: (rolloutId, what, group = GROUP) => start(rolloutId, inputFor(group, what)),
      async take(trigger) {
        const rules = { runtimes: [], groups: [GROUP], maxAgeSeconds: 900 };
        const { rolloutId, result } = await takeRecordedTrigger(trigger, {
          ...{ rules, releases: [], clock: time, ledger },
          async startExecution(name, input) {
            const isNew = !executions.has(name);
            void start(name, input);
            return isNew ? 'started' : 'duplicate';
          },
        });
        return { rolloutId, result, outcome: await executions.get(rolloutId) };
      },
      async end() {
        await Promise.all(executions.values());
      },
    };
  };

  return {
    time,
    world,
    ledger,
    calls,
    told,
    createProcess,
    createStateMachine,
    /** The most children that were open, or had ended in any other way than Succeeded, at the same time. */
    mostAtRisk: () => most.forward,
    /** The same on the way back, of the runtimes whose child forward had succeeded. */
    mostAtRiskBack: () => most.back,
    /** When the rollout of the group turned around, in milliseconds since the Unix epoch. `null`: it did not. */
    turnedAt: () => most.turnedAt,
    liveVersions: (runtimeId: string) =>
      world.read(runtimeId).map(({ liveVersion }) => liveVersion),
    /** The rollouts that the group has started, by their runtimes. */
    children: (rolloutId: string) => childrenIn(ledger, rolloutId, 'forward'),
    /** Those that undo them, because the group goes back. */
    waysBack: (rolloutId: string) => childrenIn(ledger, rolloutId, 'back'),
    /** Resolves once `isTrue` is. It asks every second. */
    async until(isTrue: () => boolean | Promise<boolean>) {
      while (!(await isTrue())) await time.sleep(1_000);
    },
  };
}

function inputFor(group: string, what: number | Wanted): RolloutInput {
  const wanted = typeof what === 'number' ? { version: what } : what;
  return { schemaVersion: 1, runtimeId: groupIdOf(group), ...wanted };
}

/** The same port, with every call in the hands of `make`. */
export function withEach<T extends object>(
  port: T,
  make: (call: () => Promise<unknown>) => Promise<unknown>,
): T {
  return new Proxy(port, {
    get(target, key, receiver) {
      const value = Reflect.get(target, key, receiver);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => make(async () => value.apply(target, args));
    },
  });
}

async function childrenIn(
  ledger: Ledger,
  rolloutId: string,
  direction: Direction,
): Promise<ReadonlyMap<string, AskedRollout>> {
  const all = await ledger.list({ limit: 10_000 });
  const records = await Promise.all(all.map((one) => ledger.read(one.rolloutId)));
  const children = records.filter(({ request }) => request.parent === rolloutId);
  const ids = new Set(children.map(({ request }) => request.rolloutId));
  const isBack = ({ request }: AskedRollout) => ids.has(request.revert ?? '');
  return new Map(
    children
      .filter((child) => isBack(child) === (direction === 'back'))
      .map((child) => [child.request.runtimeId, child]),
  );
}

interface Most {
  forward: number;
  back: number;
  turnedAt: number | null;
}

/** Counts the runtimes that are in mid-roll or lost: what the ledger has of their rollouts says it. */
function noteChildren(ledger: Ledger, now: () => number): { ledger: Ledger; most: Most } {
  const known = new Map<string, { runtimeId: string; outcome?: Outcome }>();
  const atRisk = { forward: new Set<string>(), back: new Set<string>() };
  const most: Most = { forward: 0, back: 0, turnedAt: null };
  const noted: Ledger = {
    ...ledger,
    async enlist(request, ...rest) {
      const { rolloutId, runtimeId, parent, revert = '' } = request;
      const isNew = await ledger.enlist(request, ...rest);
      if (!isNew || parent === undefined) return isNew;
      const undone = known.get(revert);
      known.set(rolloutId, { runtimeId });
      if (undone === undefined) atRisk.forward.add(runtimeId);
      else if (undone.outcome?.outcome === 'Succeeded') atRisk.back.add(runtimeId);
      most.forward = Math.max(most.forward, atRisk.forward.size);
      most.back = Math.max(most.back, atRisk.back.size);
      return isNew;
    },
    async close(rolloutId, ...rest) {
      const outcome = await ledger.close(rolloutId, ...rest);
      const child = known.get(rolloutId);
      if (child === undefined || outcome === null) return outcome;
      known.set(rolloutId, { ...child, outcome });
      if (outcome.outcome !== 'Succeeded') return outcome;
      const { revert = '' } = (await ledger.read(rolloutId)).request;
      atRisk[known.has(revert) ? 'back' : 'forward'].delete(child.runtimeId);
      return outcome;
    },
    async freezeRollback(lease, rollback) {
      if (groupNameOf(lease.runtimeId) !== null) most.turnedAt ??= now();
      return ledger.freezeRollback(lease, rollback);
    },
  };
  return { ledger: noted, most };
}
