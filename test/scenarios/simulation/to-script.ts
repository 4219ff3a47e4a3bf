import {
  ErrorName,
  errorMessageOf,
  errorNameOf,
  SteprollError,
} from '../../../lib/domain/errors.ts';
import type { RolloutPolicy } from '../../../lib/domain/rollout/policy.ts';
import type { Signal } from '../../../lib/domain/rollout/record.ts';
import { withdrawn } from '../../../lib/domain/signals/signals.ts';
import type { Ledger } from '../../../lib/ports/ledger.ts';
import type { Call } from '../../../lib/rehearsal/calls.ts';
import { mortalLedger, named, watchedLedger } from '../../../lib/rehearsal/mortal-ledger.ts';
import type { ServiceFaults } from '../../../lib/rehearsal/service.ts';
import {
  type FaultStage,
  isNow as isNowAt,
  listFaults,
  writeFaults,
} from '../../../lib/rehearsal/service-faults.ts';
import {
  RUNTIME,
  type Run,
  type ScenarioResult,
  type Script,
  type Stage,
} from '../../support/run-scenario.ts';
import { onService, scenarioService, WITHOUT_STOPS } from '../../support/scenario-service.ts';
import {
  START,
  scenarioNow,
  scenarioTime,
  secondsSinceStart,
} from '../../support/scenario-time.ts';
import { type Stall, stallingLedger } from '../../support/stalling-ledger.ts';
import { votesOf } from './draw-voters.ts';
import {
  BUS_DOWN,
  nameOfAct,
  nameOfAlarm,
  nameOfDeath,
  nameOfExchange,
  nameOfFault,
  nameOfJump,
  nameOfStall,
  OCCUPIED,
  OUTRUN,
  WORD,
} from './fault-names.ts';
import type { Act, CheckCall, ClockJump, Ordeal, OrdealDeath, SeenHold, Word } from './ordeal.ts';
import { WATCHER } from './probe-rule.ts';
import { askAndVanish, endAhead, withAhead } from './to-ahead.ts';
import { checkPort } from './to-check.ts';
import { type SeenEarlier, watchEarlier, withEarlier } from './to-earlier.ts';
import { inGuise } from './to-guise.ts';
import { atMoments, groundsOf, holdAll, inputOf, promoteAll } from './to-holds.ts';
import { badVersions, type Release, release, releaseBadOnes } from './to-releases.ts';
import { requestOf } from './to-request.ts';
import { type Undone, undo } from './to-undo.ts';
import type { WatchedExecution } from './watch-engine.ts';
import { createWiredService } from './wire/wired-service.ts';

/** Called with each fault that the rollout meets, as `drawnFaults` names it. */
export type Meet = (fault: string) => void;

/** What was seen beside a rollout, and after its end. `null`: nothing was there. */
export interface Beside {
  readonly earlier: SeenEarlier | null;
  readonly undone: Undone | null;
  /** Releases of others. */
  readonly releases: readonly Run[];
  /** When its process died or began to stand still, in milliseconds since the Unix epoch. `null`: it did not. */
  readonly haltedAt: number | null;
  /** When the bus took each of its events for the first time, in milliseconds since the Unix epoch, by event id. */
  readonly toldAt: ReadonlyMap<string, number>;
  /** What was held. */
  readonly holds: readonly SeenHold[];
  /** What its check was asked, in order. */
  readonly checks: readonly CheckCall[];
  /** The longest time from when a write was handed to the client until it was sent. 0 without a client. */
  readonly sentAfterMs: number;
  /** Writes that were sent while the service wanted no calls. */
  readonly sentUnwanted: number;
}

export interface Observed extends ScenarioResult, Beside {
  readonly executions: readonly WatchedExecution[];
  /** How its twin went. `null`: it has none. */
  readonly twin: ScenarioResult | null;
}

/** Runs an ordeal at the kind of service that it is drawn for. */
export function onItsService<T>({ cannotStop, asked }: Ordeal, work: () => Promise<T>): Promise<T> {
  const service = cannotStop ? WITHOUT_STOPS : scenarioService();
  if (asked?.kind !== 'highest') return onService(service, work);
  const abilities = { ...service.abilities, highestVersion: asked.version };
  return onService({ ...service, abilities }, work);
}

/** Puts an ordeal on the stage. */
export function toScript(
  ordeal: Ordeal,
  meet: Meet = () => undefined,
  note: (seen: Partial<Beside>) => void = () => undefined,
): Script {
  const { endpoints, rollSeconds, policy, broken, latencyMs, death, stall, people, wire } = ordeal;
  const now = ordeal.clock === null ? undefined : clockOf(ordeal.clock, meet);
  let names = new Map<string, string>();
  const nameOf = (endpointId: string) => names.get(endpointId) ?? '';
  const said = { ...policy, ...hoursOf(ordeal) };
  const { gates, ...request } = requestOf(ordeal, said, { nameOf, meet });
  let vote = (ledger: Ledger): Ledger => ledger;
  let say: (signal: Signal) => Promise<void> = async () => undefined;
  let grab: (act: Act) => Promise<unknown> = async () => undefined;
  let haltedAt: number | null = null;
  let sent = { sentAfterMs: 0, sentUnwanted: 0 };
  const toldAt = new Map<string, number>();
  let holding: ReturnType<typeof holdAll> | null = null;
  const holdingOn = (on: Stage) => {
    const { held } = ordeal;
    const seen = { ...on, meet, note: (holds: readonly SeenHold[]) => note({ holds }) };
    holding ??= held === undefined ? null : holdAll(held, seen);
    return holding;
  };
  const halt = (fault: string) => {
    meet(fault);
    haltedAt ??= scenarioNow();
    note({ haltedAt });
  };
  const tell = () => {
    meet(WORD);
    return ordeal.word === null ? Promise.resolve() : say(signalOf(ordeal.word));
  };
  const stage: FaultStage = {
    // The scenario has a clock only once it runs.
    time: { seconds: secondsSinceStart, sleep: (...args) => scenarioTime().sleep(...args) },
    desiredVersion: 2,
    nameOf,
    oldReads: 0,
    onMet: (fault) => meet(nameOfFault(fault)),
  };
  return {
    endpoints,
    rollSeconds,
    policy: said,
    ...request,
    ...(ordeal.held && { input: { ...request.input, ...inputOf(ordeal) } }),
    ...groundsOf(ordeal),
    broken: [...broken, ...badVersions(ordeal)],
    latencyMs,
    executionLimits: { events: ordeal.executionEvents, seconds: ordeal.executionSeconds },
    resumesAfter: ordeal.resumesAfter,
    ...(now && { now }),
    ...(wire && {
      service: (options) => {
        const clock = { sleep: options.clock.sleep, now: now ?? scenarioNow };
        return createWiredService(wire, clock, options, {
          meet: (exchange) => meet(nameOfExchange(exchange)),
          onSent(afterMs, isUnwanted) {
            sent = {
              sentAfterMs: Math.max(sent.sentAfterMs, afterMs),
              sentUnwanted: sent.sentUnwanted + Number(isUnwanted),
            };
            note(sent);
          },
        });
      },
    }),
    aheadMs: Math.max(0, ordeal.clock?.offsetMs ?? 0),
    events: busOf(ordeal.busDown, meet, (eventId) => {
      if (!toldAt.has(eventId)) toldAt.set(eventId, scenarioNow());
      note({ toldAt });
    }),
    gates: {
      ...gates,
      ...checkPort(ordeal.check, { meet, note: (checks) => note({ checks }) }),
      alarm: async (name) => ({
        verdict:
          name === WATCHER
            ? alarmAt(ordeal.watcher ? [ordeal.watcher] : [], () => undefined)
            : alarmAt(ordeal.alarms, meet),
        detail: '',
      }),
    },
    faults: {
      ...inGuise(ordeal.guises, listFaults(ordeal.lists, stage)),
      ...withMoves(
        people,
        withWord(ordeal.word, writeFaults(ordeal.writes, stage), tell),
        nameOf,
        (act) => grab(act),
      ),
    },
    ledger: (ledger, stage) => {
      // A write that a closed rollout has left on its way says nothing any more.
      say = (signal) => stage.ledger.signal('rollout-1', signal).catch(() => undefined);
      grab = (act) => carryOut(act, stage, meet);
      names = new Map(endpoints.map(({ name }) => [stage.idOf(name), name]));
      for (const act of people) if (act.atSecond === 'before') carryOut(act, stage, meet);
      if (ordeal.earlier !== null) meet(OCCUPIED);
      if (ordeal.ahead !== null) meet(OUTRUN);
      vote = votesOf(ordeal.voters, stage.ledger);
      const watched = withMoments(ordeal, vote(ledger), {
        ...stage,
        meet,
        holding: holdingOn(stage),
      });
      const taken = withAhead(ordeal.ahead, withEarlier(ordeal.earlier, watched, stage), stage);
      const heard = sayBeforeCall(ordeal.word, taken, tell);
      const mortal = death === null ? heard : noteDeath(mortalSince(heard, death), death, halt);
      if (stall === null) return mortal;
      return stallingLedger(mortal, stall, () => {
        halt(nameOfStall(stall));
        return standStill(stall, stage, policy);
      });
    },
    ledgerOfNext: (ledger) => vote(ledger),
    beside: async (stage) => {
      const held = holdingOn(stage)?.timed();
      const others = await Promise.all(
        people.map(async (act, index) => {
          if (typeof act.atSecond === 'string') return null;
          await stage.until(act.atSecond);
          return carryOut(act, stage, meet, { rolloutId: `${act.kind}-${index}`, policy });
        }),
      );
      note({ releases: others.filter((run) => run !== null) });
      await held;
      note({ earlier: await watchEarlier(ordeal.earlier, stage) });
      await endAhead(ordeal.ahead, stage);
      await releaseBadOnes(ordeal, stage, meet);
      note({ undone: await undo({ ...ordeal, policy: said }, stage, meet) });
    },
  };
}

/** What people hold and promote at moments of the rollout. */
function withMoments(
  { held, promotions = [] }: Ordeal,
  ledger: Ledger,
  {
    holding,
    ...stage
  }: Pick<Stage, 'ledger'> & {
    readonly holding: ReturnType<typeof holdAll> | null;
    meet(fault: string): void;
  },
): Ledger {
  if (held === undefined && promotions.length === 0) return ledger;
  const converged = new Set<number>();
  return atMoments(ledger, async (moment, wave) => {
    await holding?.at(moment === 'converged' ? 'wave-converged' : moment);
    if (moment !== 'converged' || converged.has(wave)) return;
    converged.add(wave);
    promoteAll(promotions, wave, stage);
  });
}

async function standStill(
  { seconds, isRaced }: Stall,
  stage: Stage,
  policy: Ordeal['policy'],
): Promise<void> {
  await stage.until(secondsSinceStart() + seconds);
  // The lease has run out by then, or it comes too early and is refused.
  if (isRaced) await stage.start('racer', { policy, input: { version: 4 } });
}

function hoursOf({ opensAfter, hours, held }: Ordeal): Partial<RolloutPolicy> {
  if (hours !== null) {
    const { windows, freezes, outsideWindow } = hours;
    return { windows, freezes, outsideWindow };
  }
  if (opensAfter === 0) return held?.refuses ? { outsideWindow: 'refuse' } : {};
  const to = new Date(START + opensAfter * 1000).toISOString().slice(0, 16);
  return { freezes: [{ from: '2025-12-31T00:00', to, timeZone: 'UTC' }] };
}

type Say = () => Promise<void>;

/** Says a word just when the write arrives that it is for, whatever becomes of that write. */
function withWord(
  word: Word | null,
  { onRoll = call, onStop = call }: ServiceFaults,
  say: Say,
): ServiceFaults {
  let count = 0;
  const note = (kind: Word['at']) => {
    if (word?.at !== kind) return;
    count += 1;
    if (count === word.nth) void say();
  };
  return {
    onRoll(carryOut, write) {
      note(write.version === 2 ? 'roll' : 'roll-back');
      return onRoll(carryOut, write);
    },
    onStop(carryOut, write) {
      note('stop');
      onStop(carryOut, write);
    },
  };
}

/** Says the word just before the first of the calls that it is for. */
function sayBeforeCall(word: Word | null, ledger: Ledger, say: Say): Ledger {
  let isFailing = false;
  let isSaid = false;
  const isDue = { close: () => true, failed: () => isFailing };
  const sayAt = async (at: keyof typeof isDue) => {
    if (isSaid || word?.at !== at || !isDue[at]()) return;
    isSaid = true;
    await say();
  };
  return {
    ...ledger,
    async recordEvent(lease, event) {
      await ledger.recordEvent(lease, event);
      isFailing ||= event.kind === 'failing';
    },
    async read(...args) {
      await sayAt('failed');
      return ledger.read(...args);
    },
    async close(...args) {
      await sayAt('close');
      return ledger.close(...args);
    },
  };
}

/** Lets somebody move an endpoint as soon as it is rolled. */
function withMoves(
  people: Ordeal['people'],
  { onRoll = call, ...others }: ServiceFaults,
  nameOf: (endpointId: string) => string,
  carryOut: (act: Act) => Promise<unknown>,
): ServiceFaults {
  return {
    ...others,
    onRoll(roll, write) {
      const act = people.find(
        (one) =>
          (one.atSecond === 'rolled' || one.atSecond === 'seen') &&
          'endpoint' in one &&
          one.endpoint === nameOf(write.endpointId) &&
          write.nth === 1,
      );
      if (act !== undefined) {
        scenarioTime()
          .sleep(act.atSecond === 'rolled' ? AT_ONCE_MS : SOON_MS)
          .then(() => carryOut(act));
      }
      return onRoll(roll, write);
    },
  };
}

const AT_ONCE_MS = 1;
const SOON_MS = 8_000;

function signalOf({ said }: Word): Signal {
  return {
    kind: 'abort',
    ...(said !== null && { onFailure: said }),
    at: scenarioNow(),
    wave: null,
    by: 'ada',
    reason: '',
  };
}

function call<T>(carryOut: () => T): T {
  return carryOut();
}

function clockOf(jump: ClockJump, meet: Meet): () => number {
  return () => {
    if (!isNow(jump)) return scenarioNow();
    meet(nameOfJump(jump));
    return scenarioNow() + jump.offsetMs;
  };
}

function busOf(
  down: Ordeal['busDown'],
  meet: Meet,
  noteTold: (eventId: string) => void,
): NonNullable<Script['events']> {
  return (bus) => ({
    async publish(event) {
      if (down !== null && isNow(down)) {
        meet(BUS_DOWN);
        throw new SteprollError(ErrorName.EventsUnavailable, 'The bus is down.');
      }
      await bus.publish(event);
      noteTold(event.eventId);
    },
  });
}

function alarmAt(alarms: Ordeal['alarms'], meet: Meet): 'pass' | 'fail' | 'unknown' {
  const alarm = alarms.find(isNow);
  if (alarm === undefined) return 'pass';
  meet(nameOfAlarm(alarm));
  return alarm.verdict;
}

/** A step that dies throws what it died of. */
function noteDeath(ledger: Ledger, death: OrdealDeath, meet: Meet): Ledger {
  return watchedLedger(ledger, (call) =>
    call().catch((error: unknown) => {
      if (errorMessageOf(error) === GONE) meet(nameOfDeath(death));
      throw error;
    }),
  );
}

const GONE = named('').message;

/** Its calls are counted once the rollout has told what it is to have told by then. */
function mortalSince(ledger: Ledger, death: OrdealDeath): Ledger {
  const mortal = mortalLedger(ledger, death);
  if (death.since === null) return mortal;
  let counted = ledger;
  const later = Object.keys(ledger).map((name) => {
    const key = name as keyof Ledger;
    return [key, (...args: never[]) => (counted[key] as (...all: never[]) => unknown)(...args)];
  });
  return {
    ...(Object.fromEntries(later) as Ledger),
    async recordEvent(lease, event) {
      await counted.recordEvent(lease, event);
      if (event.kind === death.since) counted = mortal;
    },
  };
}

async function carryOut(act: Act, stage: Stage, meet: Meet, rival?: Release): Promise<Run | null> {
  const { world, ledger } = stage;
  const idOf = (name: string) => stage.idOf(name);
  // What is done after its end does nothing to it.
  if (!stage.calls.some(isItsClose)) meet(nameOfAct(act));
  try {
    switch (act.kind) {
      case 'move':
        world.roll(RUNTIME, idOf(act.endpoint), act.version);
        break;
      case 'stop':
        world.stop(RUNTIME, idOf(act.endpoint));
        break;
      case 'create':
        world.create(RUNTIME, { name: 'newcomer', version: 1 });
        break;
      case 'approve':
      case 'reject': {
        const { atSecond: _, ...said } = act;
        await answerOnceAsked(said, stage);
        break;
      }
      case 'abort': {
        const { onFailure } = act;
        const asked = onFailure === null ? {} : { onFailure };
        const said = { at: scenarioNow(), wave: null, ...asked, by: 'ada', reason: '' };
        const outcome = { ...withdrawn(said), cleanup: 'none' } as const;
        // As the command line does it.
        if ((await ledger.withdraw('rollout-1', outcome, scenarioNow())) !== null) break;
        await ledger.signal('rollout-1', { kind: 'abort', ...said });
        break;
      }
      case 'rival':
      case 'stale':
      case 'twin':
      case 'lower':
      case 'absurd':
        if (rival !== undefined) return await release(act.kind, rival, stage);
        break;
      case 'vanishing':
        await askAndVanish(stage);
        break;
      default:
        act satisfies never;
    }
  } catch (error) {
    // It has vanished, it is stopped, there is nothing to abort: somebody else has no better luck.
    if (!(error instanceof Error) || !EXPECTED.has(error.name)) throw error;
  }
  return null;
}

/** Nobody takes an answer before somebody was asked: whoever wants to give one tries again for five minutes. */
async function answerOnceAsked(
  said: Pick<Signal, 'kind' | 'wave'>,
  { ledger, until }: Stage,
): Promise<void> {
  for (let left = 60; left > 0; left -= 1) {
    try {
      const answer = { ...said, at: scenarioNow(), by: 'ada', reason: '' };
      return await ledger.signal('rollout-1', answer);
    } catch (error) {
      if (errorNameOf(error) !== ErrorName.ApprovalNotWanted) throw error;
      await until(secondsSinceStart() + 5);
    }
  }
}

function isItsClose({ operation, rolloutId }: Call): boolean {
  return operation === 'close' && rolloutId === 'rollout-1';
}

const EXPECTED: ReadonlySet<string> = new Set([
  'Refusal',
  ErrorName.RolloutNotFound,
  ErrorName.RolloutClosed,
]);

function isNow(one: Parameters<typeof isNowAt>[0]): boolean {
  return isNowAt(one, scenarioTime());
}
