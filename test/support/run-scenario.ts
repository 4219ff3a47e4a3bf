import type { RolloutInput } from '../../lib/contract/flow/rollout-input.ts';
import type { ExecutionLimits } from '../../lib/domain/decision/hand-over.ts';
import type { ServiceAbilities } from '../../lib/domain/endpoint/abilities.ts';
import type { Endpoint } from '../../lib/domain/endpoint/endpoint.ts';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import type { Hold } from '../../lib/domain/holds/hold.ts';
import type { DrawnPlan } from '../../lib/domain/planning/drawn-plan.ts';
import type { RolloutEvent } from '../../lib/domain/rollout/event.ts';
import type { GateReading } from '../../lib/domain/rollout/gates.ts';
import type { Outcome } from '../../lib/domain/rollout/outcome.ts';
import type { RolloutPlan } from '../../lib/domain/rollout/plan.ts';
import type { RolloutPolicy, Verification } from '../../lib/domain/rollout/policy.ts';
import {
  type AskedRollout,
  type RolloutSummary,
  wasOpened,
} from '../../lib/domain/rollout/record.ts';
import type { WorkflowEngine } from '../../lib/embedded/engine.ts';
import { startRollout } from '../../lib/embedded/run-workflow.ts';
import type { GateAnswer } from '../../lib/gates/gate.ts';
import type { GatePorts } from '../../lib/gates/gates.ts';
import type { MetricQuestion } from '../../lib/gates/metric-rule.ts';
import type { EndpointService } from '../../lib/ports/endpoint-service.ts';
import type { EventBus } from '../../lib/ports/event-bus.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import { type Call, isWrite, type WriteCall } from '../../lib/rehearsal/calls.ts';
import {
  createWorldService,
  type ServiceFaults,
  type WorldServiceOptions,
} from '../../lib/rehearsal/service.ts';
import { parseScenario } from '../../lib/simulation/scenario.ts';
import { createWorld, type World } from '../../lib/simulation/world.ts';
import { toInput } from '../../lib/steps/opening/asked-request.ts';
import { endpointNames } from './endpoint-names.ts';
import { gatePortsOf } from './gate-ports.ts';
import { decidesIn } from './gates-in.ts';
import { type Grounds, rehearsalGrounds } from './grounds.ts';
import { type Trace, violationsOf } from './invariants.ts';
import { type LeaseCall, runtimeViolationsOf } from './runtime-invariants.ts';
import { scenarioService } from './scenario-service.ts';
import { inScenarioTime, scenarioNow, scenarioTime, secondsSinceStart } from './scenario-time.ts';
import { WHOLE_POLICY } from './whole-policy.ts';

export const RUNTIME = 'shop';

/** What happens. Everything has a plain default: 12 endpoints on version 1, rolled to version 2. */
export interface Script {
  /** As in a scenario file. @default 12 */
  readonly endpoints?: number | readonly object[];
  /** As in a scenario file. @default - the service cannot list versions */
  readonly versions?: readonly object[];
  /** Seconds from the start of a roll until the version is live. @default 20 */
  readonly rollSeconds?: number;
  /** Faults of the simulated endpoints, as in a scenario file, all of them for version 2. @default - none */
  readonly broken?: readonly object[];
  /** Faults on the way to the service. @default - none */
  readonly faults?: ServiceFaults;
  /** @default 0 */
  readonly latencyMs?: number;
  /** What the rollout calls. @default - the service itself, without a client and without a network */
  readonly service?: (options: WorldServiceOptions) => EndpointService;
  /** What differs from the default policy. @default - nothing */
  readonly policy?: Partial<RolloutPolicy>;
  /** Goes on beside the rollout, from its start; waited for at the end. @default - nothing does */
  readonly beside?: (stage: Stage) => Promise<unknown>;
  /** Stands between the rollout and its ledger. @default - nothing does */
  readonly ledger?: (ledger: Ledger, stage: Stage) => Ledger;
  /** Stands between the rollout and the ledger in the process that resumes it. @default - nothing does */
  readonly ledgerOfNext?: (ledger: Ledger) => Ledger;
  /**
   * Seconds after which somebody resumes a rollout whose process died, with a ledger that is well again.
   * `null`: nobody does, until another rollout takes its place.
   * @default - nobody does, and the death is thrown
   */
  readonly resumesAfter?: number | null;
  /** What the gates say. @default - yes */
  readonly gates?: Partial<GatePorts>;
  /** The clock of the steps, in milliseconds since the Unix epoch. @default - the scenario's own */
  readonly now?: () => number;
  /** By how many milliseconds that clock is ahead at most. Leases may last longer by as much. @default 0 */
  readonly aheadMs?: number;
  /** Stands between the rollout and the event bus. @default - nothing does */
  readonly events?: (bus: EventBus) => EventBus;
  /** Stands between the workflow and its steps. @default - nothing does */
  readonly engine?: (engine: WorkflowEngine) => WorkflowEngine;
  /** What the scenario runs on. @default - as a rehearsal does: a test of both shows that it is the same */
  readonly grounds?: () => Grounds;
  /** What differs in the workflow's input. @default - version 2 */
  readonly input?: Partial<RolloutInput>;
  /** The plan that somebody agrees to just before. @default - any plan will do */
  readonly agrees?: (stage: Stage) => Promise<Agreed>;
  /** What an execution may use up before it hands over to the next one. @default - what Step Functions allows */
  readonly executionLimits?: ExecutionLimits;
  /** @default - nobody aborts */
  readonly signal?: AbortSignal;
}

/** A plan that somebody has agreed to. */
export interface Agreed extends Pick<DrawnPlan, 'fingerprint'> {
  /** `null`: the fingerprint is that of no plan. */
  readonly plan: RolloutPlan | null;
}

/** The service, the ledger and the clock that the rollouts of a scenario share. */
export interface Stage extends Pick<Grounds, 'engine'> {
  readonly world: World;
  readonly ledger: Ledger;
  readonly calls: Call[];
  /** What the event bus got, of all rollouts. */
  readonly told: RolloutEvent[];
  idOf(name: string): string;
  /** The service as it truly is. Nobody notes what is asked of it. */
  service(): EndpointService;
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
  /** `null`: what was asked for was never valid, so the ledger does not know it. */
  readonly record: AskedRollout | null;
  /** When the ledger got a plan for the way back, in milliseconds since the Unix epoch; `null`: it has none. */
  readonly turnedAt: number | null;
  /** Every state that was entered, in order. */
  readonly states: readonly string[];
  /** The calls of this rollout. */
  readonly calls: readonly Call[];
  /** Names of the endpoints that a roll was sent to, once for each time. */
  readonly rolled: readonly string[];
  /** To any other version than the desired one. */
  readonly rolledBack: readonly string[];
  readonly stopped: readonly string[];
  /** What the event bus got, in order. */
  readonly told: readonly RolloutEvent[];
  /** What the gates were asked of waves, in order. */
  readonly gates: readonly GateCall[];
  /** The same of those that only watch. */
  readonly watched: readonly GateCall[];
  /** The plan that somebody had agreed to; `null`: nobody had. */
  readonly agreed: Agreed | null;
  readonly seconds: number;
}

/** What a gate answered, and when: milliseconds since the Unix epoch. */
export interface GateCall {
  readonly at: number;
  readonly verdict: GateAnswer['verdict'];
  /** A URL, the name of an alarm, or what was asked about a metric. */
  readonly asked: string | MetricQuestion;
  readonly kind: GateReading['kind'];
}

export interface ScenarioResult extends Run {
  /** Every endpoint of the whole stage in its last state, by name, without those that the service moves by itself. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** What the ledger was asked about the lease of the runtime by all rollouts, in order. */
  readonly leases: readonly LeaseCall[];
  /** What is held in the end. Some may be lifted, or over. */
  readonly holdsLeft: readonly Hold[];
  /** All rollouts that the ledger knows in the end. */
  readonly rollouts: readonly RolloutSummary[];
}

/**
 * Runs a rollout through the real definition and the real steps, against the simulated service and a ledger in memory,
 * in virtual time.
 *
 * @throws when an invariant does not hold, whatever the outcome.
 */
export async function runScenario(script: Script = {}): Promise<ScenarioResult> {
  const { time, ledger, engine, end } = (script.grounds ?? rehearsalGrounds)();
  try {
    return await inScenarioTime(time, async () => {
      const leases: LeaseCall[] = [];
      const stage = setStage(script, noteLeases(ledger, leases), engine);
      const [run] = await Promise.all([stage.start('rollout-1', script), script.beside?.(stage)]);
      await tryLease(stage, 'after the last one');
      const rollouts = await ledger.list({ limit: MOST_ROLLOUTS });
      const { aheadMs = 0 } = script;
      const trace = { calls: stage.calls, leases, rollouts, aheadMs };
      refuse(runtimeViolationsOf(trace), 'after all rollouts');
      refuse(writesToItsOwn(stage), 'after all rollouts');
      const holdsLeft = await ledger.listHolds();
      return { ...run, endpoints: endpointsOf(stage.world), leases, holdsLeft, rollouts };
    });
  } finally {
    end();
  }
}

/** What the service moves by itself is written to by nobody else. */
function writesToItsOwn({ world, calls }: Stage): string[] {
  const { movedByService } = world.abilities;
  const names = new Map(world.read(RUNTIME).map(({ id, name }) => [id, name ?? '']));
  return calls.filter(isWrite).flatMap(({ operation, endpointId }) => {
    const name = names.get(endpointId) ?? '';
    return movedByService.includes(name) ? [`${operation} of ${name}`] : [];
  });
}

const MOST_ROLLOUTS = 1_000;

function setStage(
  { endpoints = 12, rollSeconds = 20, broken = [], versions }: Script,
  ledger: Ledger,
  engine: WorkflowEngine,
): Stage {
  const { abilities } = scenarioService();
  const scenario = parseScenario({
    runtimes: [
      { id: RUNTIME, version: 1, rollSeconds, endpoints: withOwn(endpoints, abilities), versions },
    ],
    faults: broken.map((fault) => ({ version: 2, ...fault })),
    abilities,
  });
  const world = createWorld(scenario, scenarioNow);
  const calls: Call[] = [];
  const stage: Stage = {
    world,
    ledger,
    engine,
    calls,
    told: [],
    idOf: (name) => endpointsOf(world).get(name)?.id ?? '',
    service: () =>
      createWorldService({
        world,
        clock: scenarioTime(),
        calls: [],
        rolloutId: '',
        faults: {},
        latencyMs: 0,
      }),
    until: (seconds) => sleep(seconds * 1000 - secondsSinceStart() * 1000),
    async untilSent(operation, count) {
      while (calls.filter((call) => call.operation === operation).length < count) {
        if (secondsSinceStart() > 3 * 3600) throw new Error(`No ${operation} was sent in 3 hours.`);
        await sleep(100);
      }
    },
    start: (rolloutId, script = {}) => run(stage, calls, rolloutId, script),
  };
  return stage;
}

/** The service has endpoints of its own beside those of the scenario. */
function withOwn(
  endpoints: number | readonly object[],
  { movedByService }: Pick<ServiceAbilities, 'movedByService'>,
): number | readonly object[] {
  if (movedByService.length === 0) return endpoints;
  const said: readonly { readonly name?: string }[] =
    typeof endpoints === 'number'
      ? endpointNames(1, endpoints).map((name) => ({ name }))
      : endpoints;
  const own = movedByService.filter((name) => !said.some((one) => one.name === name));
  return [...said, ...own.map((name) => ({ name }))];
}

async function run(stage: Stage, log: Call[], rolloutId: string, script: Script): Promise<Run> {
  const { world } = stage;
  const toldOf = () => stage.told.filter((event) => event.rolloutId === rolloutId);
  // The ledger may not have heard that these were sent. Then they are sent twice, which their ids tell.
  const unheard = new Set<string>();
  const bus: EventBus = {
    async publish(event) {
      if (!unheard.delete(event.eventId)) stage.told.push(event);
    },
  };
  const names = new Map([...endpointsOf(world)].map(([name, { id }]) => [id, name]));
  const states: string[] = [];
  let turnedAt: number | null = null;
  const isClockWrong = script.now !== undefined;
  const agreed = (await script.agrees?.(stage)) ?? null;
  const checks: Promise<void>[] = [];
  const gates: GateCall[] = [];
  const watched: GateCall[] = [];
  const callsOf = () => log.filter((call) => call.rolloutId === rolloutId);
  const recordOf = () => stage.ledger.read(rolloutId).catch(() => null);
  const knownOf = async () => ({
    ...recordsOf(await recordOf()),
    isListed: await isListed(stage, rolloutId),
  });
  // A small rollout is checked whenever the world has seen something new of it; of a large one the end has to do.
  let seen = { calls: 0, told: 0 };
  const checkSoFar = async () => {
    const isOwn = (one: { readonly rolloutId: string }) => one.rolloutId === rolloutId;
    const isNew =
      log.slice(seen.calls).some((call) => isOwn(call) && isVisible(call)) ||
      stage.told.slice(seen.told).some(isOwn);
    seen = { calls: log.length, told: stage.told.length };
    if (names.size > MOST_CHECKED || !isNew) return;
    const trace = { outcome: null, calls: callsOf(), states: [...states], told: toldOf() };
    refuseViolations({ ...trace, ...(await knownOf()), turnedAt, isClockWrong });
  };
  const context = {
    service: (script.service ?? createWorldService)({
      world,
      clock: scenarioTime(),
      calls: log,
      rolloutId,
      faults: script.faults ?? {},
      latencyMs: script.latencyMs ?? 0,
    }),
    clock: { ...scenarioTime(), now: script.now ?? scenarioNow },
    gates: noteGates(
      gatePortsOf({ probe: pass, alarm: pass, metrics: passAll, ...script.gates }),
      { gates, watched, isOpening: () => states.at(-1) === 'Open rollout' },
      script.policy?.verify,
    ),
    events: script.events?.(bus) ?? bus,
    ...(script.executionLimits && { executionLimits: script.executionLimits }),
    policyOf: () => ({ ...scenarioService().policy, ...script.policy }),
  };
  const noteLedger = (ledger: Ledger): Ledger => ({
    ...ledger,
    async markSent(id, eventIds) {
      try {
        await ledger.markSent(id, eventIds);
      } catch (error) {
        for (const eventId of eventIds) unheard.add(eventId);
        throw error;
      }
    },
    freezeRollback(...args) {
      turnedAt ??= scenarioNow();
      return ledger.freezeRollback(...args);
    },
  });
  const go = (ledger: Ledger, known: AskedRollout | null) =>
    startRollout({
      rolloutId,
      input:
        known === null
          ? {
              schemaVersion: 1,
              runtimeId: RUNTIME,
              version: 2,
              ...(agreed !== null && { plan: agreed.fingerprint }),
              ...script.input,
            }
          : toInput(known.request),
      context: { ...context, ledger: noteLedger(noteClose(ledger, log)) },
      engine: script.engine?.(stage.engine) ?? stage.engine,
      onState: (state) => {
        states.push(state);
        refuseEndless(states);
        const check = checkSoFar();
        // It is waited for at the end, and may have failed long before.
        check.catch(() => undefined);
        checks.push(check);
      },
      ...(script.signal ? { signal: script.signal } : {}),
    });
  const outcome = await go(script.ledger?.(stage.ledger, stage) ?? stage.ledger, null).catch(
    async (death) => {
      if (script.resumesAfter === undefined) throw death;
      // Whoever has asked for it finds nothing of it, and asks again at once.
      const ledger = script.ledgerOfNext?.(stage.ledger) ?? stage.ledger;
      if ((await recordOf()) === null) return go(ledger, null);
      if (script.resumesAfter === null) {
        const outcome = await takeItsPlace(stage, rolloutId, script);
        if (outcome !== null) return outcome;
      }
      await sleep((script.resumesAfter ?? 0) * 1000);
      return go(ledger, await recordOf());
    },
  );
  const seconds = secondsSinceStart();
  await tryLease(stage, `after ${rolloutId}`);
  // Whatever outlives its rollout shows up in the calls.
  await sleep(HOUR_MS);
  await Promise.all(checks);
  // A rollout whose engine has failed for it still had its end written down.
  refuseEndless(states);
  const record = await recordOf();
  const calls = callsOf();
  const ended = { outcome, ...(await knownOf()), turnedAt, isClockWrong };
  refuseViolations({ ...ended, calls, states, told: toldOf() });
  const writtenTo = (operation: WriteCall['operation'], isMeant = (_: WriteCall) => true) =>
    calls.flatMap((call) =>
      isWrite(call) && call.operation === operation && isMeant(call)
        ? [names.get(call.endpointId) ?? '']
        : [],
    );
  const desired = record?.request.desiredVersion;
  return {
    outcome,
    record,
    turnedAt,
    states,
    calls,
    rolled: writtenTo('roll', ({ version }) => version === desired),
    rolledBack: writtenTo('roll', ({ version }) => version !== desired),
    stopped: writtenTo('stop'),
    told: toldOf(),
    gates,
    watched,
    agreed,
    seconds,
  };
}

async function isListed({ ledger }: Stage, rolloutId: string): Promise<boolean> {
  const all = await ledger.list({ runtimeId: RUNTIME, limit: 1_000 });
  return all.some((listed) => listed.rolloutId === rolloutId);
}

/** What the ledger has of a rollout, and the same where it was opened. */
function recordsOf(asked: AskedRollout | null): Pick<Trace, 'record' | 'asked'> {
  return { asked, record: asked !== null && wasOpened(asked) ? asked : null };
}

/**
 * How a rollout has ended that nobody goes on with, once another one had its runtime; `null`: it was not opened
 * yet, so it still waits for somebody, or it had ended before its process died.
 */
async function takeItsPlace(
  stage: Stage,
  rolloutId: string,
  { aheadMs = 0 }: Script,
): Promise<Outcome | null> {
  const known = await stage.ledger.read(rolloutId).catch(() => null);
  if (known !== null && known.outcome !== null) return null;
  await sleep(HOUR_MS + aheadMs);
  await tryLease(stage, `instead of ${rolloutId}`);
  const { record } = recordsOf(await stage.ledger.read(rolloutId).catch(() => null));
  if (record === null) return null;
  if (record.outcome === null) throw new Error(`${rolloutId} is under way for ever`);
  stage.calls.push({ rolloutId, at: scenarioNow(), operation: 'close' });
  return record.outcome;
}

/** A list that was read changes nothing for anybody else. */
function isVisible({ operation }: Call): boolean {
  return operation !== 'list';
}

/** Endpoints of a rollout that is checked while it goes on. */
const MOST_CHECKED = 20;

function refuseViolations(trace: Trace): void {
  const after = `after ${trace.states.length} states, the last one ${trace.states.at(-1)}`;
  refuse(violationsOf(trace), after);
}

/** Of 10,000 random rollouts the longest has entered 1,497 states. */
const MOST_STATES = 80_000;

/** A rollout that goes on and on would fill the memory before virtual time ends it. */
function refuseEndless({ length }: readonly string[]): void {
  if (length > MOST_STATES) throw new Error(`It comes to no end: it has entered ${length} states.`);
}

function refuse(violations: readonly string[], when: string): void {
  if (violations.length === 0) return;
  throw new Error(['Broken invariants', `${when}:`, ...violations].join('\n  '));
}

/** The next rollout comes at once. What it is told is in the log of the leases. */
async function tryLease({ ledger }: Stage, rolloutId: string): Promise<void> {
  const now = scenarioNow();
  const startedBy = { kind: 'person', name: '', at: now } as const;
  const request = {
    rolloutId,
    endpointUrl: 'https://endpoints.example.com',
    runtimeId: RUNTIME,
    desiredVersion: 2,
    policy: WHOLE_POLICY,
    startedBy,
  };
  const lease = await ledger.open(request, now, now).catch(() => null);
  const message = 'It only asked for the lease.';
  const outcome = { outcome: 'Aborted', cleanup: 'none', reason: 'Probe', message } as const;
  if (lease !== null) await ledger.close(rolloutId, outcome, now);
}

function noteLeases(ledger: Ledger, log: LeaseCall[]): Ledger {
  const granted = async <T>(entry: LeaseCall, ask: () => Promise<T>): Promise<T> => {
    try {
      const answer = await ask();
      log.push(entry);
      return answer;
    } catch (error) {
      // Without a holder nobody has it: somebody has had it since the plan was made.
      const isHeld = error instanceof SteprollError && error.holder !== undefined;
      if (isHeld && error.name === ErrorName.LeaseHeld) log.push({ ...entry, until: null });
      throw error;
    }
  };
  return {
    ...ledger,
    open: (request, at, until, begin) =>
      granted({ rolloutId: request.rolloutId, operation: 'open', at, until }, () =>
        ledger.open(request, at, until, begin),
      ),
    renew: (lease, until) =>
      granted({ rolloutId: lease.rolloutId, operation: 'renew', at: scenarioNow(), until }, () =>
        ledger.renew(lease, until),
      ),
    async close(rolloutId, outcome, at, signalsRead) {
      const stored = await ledger.close(rolloutId, outcome, at, signalsRead);
      if (stored !== null) log.push({ rolloutId, operation: 'close', at, until: null });
      return stored;
    },
  };
}

/** Notes what the gates say of a wave. What they say before the rollout begins is not of any. */
function noteGates(
  gates: GatePorts,
  log: { readonly gates: GateCall[]; readonly watched: GateCall[]; isOpening(): boolean },
  verify?: Verification,
): GatePorts {
  const isDeciding = decidesIn(verify);
  const note = (kind: GateCall['kind'], asked: GateCall['asked'], { verdict }: GateAnswer) => {
    if (log.isOpening()) return;
    const to = isDeciding({ kind, asked }) ? log.gates : log.watched;
    to.push({ at: scenarioNow(), verdict, kind, asked });
  };
  return {
    ...gates,
    async probe(url, probe, signal) {
      const answer = await gates.probe(url, probe, signal);
      note('probe', url, answer);
      return answer;
    },
    async alarm(name) {
      const answer = await gates.alarm(name);
      note('alarm', name, answer);
      return answer;
    },
    async check(check, question, signal) {
      const answer = await gates.check(check, question, signal);
      const isInBake = question.when === 'bake' || question.when === 'bake-end';
      // Who is at work has given no answer.
      if (isInBake && answer.askAgainIn === undefined) note('check', check.name, answer);
      return answer;
    },
    async metrics(questions) {
      const answers = await gates.metrics(questions);
      for (const [index, question] of questions.entries()) {
        const answer = answers[index];
        if (answer !== undefined) note('metric', question, answer);
      }
      return answers;
    },
  };
}

const pass: () => Promise<GateAnswer> = () => Promise.resolve({ verdict: 'pass', detail: '' });
const passAll: GatePorts['metrics'] = (questions) => Promise.all(questions.map(pass));

const HOUR_MS = 3_600_000;

function sleep(milliseconds: number): Promise<void> {
  return scenarioTime().sleep(milliseconds);
}

function noteClose(ledger: Ledger, log: Call[]): Ledger {
  return {
    ...ledger,
    async close(rolloutId, outcome, now, signalsRead) {
      const stored = await ledger.close(rolloutId, outcome, now, signalsRead);
      if (stored !== null) log.push({ rolloutId, at: scenarioNow(), operation: 'close' });
      return stored;
    },
  };
}

function endpointsOf(world: World): ReadonlyMap<string, Endpoint> {
  const { movedByService } = world.abilities;
  const endpoints = world.read(RUNTIME).filter(({ name }) => !movedByService.includes(name ?? ''));
  return new Map(endpoints.map((endpoint) => [endpoint.name ?? '', endpoint]));
}
