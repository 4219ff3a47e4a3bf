import { takenBack } from '../../../lib/domain/ending/asked-to-end.ts';
import { ErrorName, SteprollError } from '../../../lib/domain/errors.ts';
import type { RolloutPolicy } from '../../../lib/domain/rollout/policy.ts';
import type { Signal } from '../../../lib/domain/rollout/record.ts';
import { isWrite } from '../../../lib/rehearsal/calls.ts';
import { mortalLedger } from '../../../lib/rehearsal/mortal-ledger.ts';
import type { ServiceFaults } from '../../../lib/rehearsal/service.ts';
import {
  type FaultStage,
  isNow as isNowAt,
  listFaults,
  writeFaults,
} from '../../../lib/rehearsal/service-faults.ts';
import { RUNTIME, type Script, type Stage } from '../../support/run-scenario.ts';
import {
  START,
  scenarioNow,
  scenarioTime,
  secondsSinceStart,
} from '../../support/scenario-time.ts';
import { type Stall, stallingLedger } from '../../support/stalling-ledger.ts';
import { keepsEnoughServing } from './judge-ending.ts';
import type { Act, ClockJump, Ordeal, Word } from './ordeal.ts';

/** Puts an ordeal on the stage. */
export function toScript(ordeal: Ordeal): Script {
  const { endpoints, rollSeconds, policy, broken, latencyMs, death, stall, people } = ordeal;
  let names = new Map<string, string>();
  let say: Say = () => undefined;
  const stage: FaultStage = {
    // The scenario has a clock only once it runs.
    time: { seconds: secondsSinceStart, sleep: (...args) => scenarioTime().sleep(...args) },
    desiredVersion: 2,
    nameOf: (endpointId) => names.get(endpointId) ?? '',
    oldReads: 0,
  };
  return {
    endpoints,
    rollSeconds,
    policy: { ...policy, freezes: freezesOf(ordeal) },
    broken: [...broken, ...badVersions(ordeal)],
    latencyMs,
    executionLimits: { events: ordeal.executionEvents, seconds: 10 * 24 * 3600 },
    resumesAfter: ordeal.resumesAfter,
    ...(ordeal.clock !== null && { now: clockOf(ordeal.clock) }),
    aheadMs: Math.max(0, ordeal.clock?.offsetMs ?? 0),
    events: busOf(ordeal.busDown),
    gates: { alarm: async () => ({ verdict: alarmAt(ordeal.alarms), detail: '' }) },
    faults: {
      ...listFaults(ordeal.lists, stage),
      ...withWord(ordeal.word, writeFaults(ordeal.writes, stage), () => say),
    },
    ledger: (ledger, stage) => {
      // A write that a closed rollout has left on its way says nothing any more.
      say = (signal) => void stage.ledger.signal('rollout-1', signal).catch(() => undefined);
      names = new Map(endpoints.map(({ name }) => [stage.idOf(name), name]));
      for (const act of people) if (act.atSecond === 'before') carryOut(act, stage);
      const mortal = death === null ? ledger : mortalLedger(ledger, death);
      if (stall === null) return mortal;
      return stallingLedger(mortal, stall, () => standStill(stall, stage, policy));
    },
    beside: async (stage) => {
      await Promise.all(
        people.map(async (act, index) => {
          if (act.atSecond === 'before') return;
          await stage.until(act.atSecond);
          await carryOut(act, stage, { rolloutId: `${act.kind}-${index}`, policy });
        }),
      );
      await releaseBadOnes(ordeal, stage);
    },
  };
}

const FIRST_BAD_VERSION = 6;

/** Every endpoint fails on each of them. */
function badVersions({ endpoints, badReleases }: Ordeal): object[] {
  return Array.from({ length: badReleases }, (_, nth) =>
    endpoints.map(({ name }) => ({
      endpoint: name,
      kind: 'fail',
      version: FIRST_BAD_VERSION + nth,
      afterReplicas: 0,
    })),
  ).flat();
}

/** One after the other, once this rollout has ended. Their stops leave half of the fleet serving together. */
async function releaseBadOnes({ badReleases, policy }: Ordeal, stage: Stage): Promise<void> {
  if (badReleases === 0) return;
  for (let hours = 1; !(await hasEnded(stage)); hours += 1) {
    if (hours > MOST_HOURS) return;
    await stage.until(hours * 3600);
  }
  const bad = { ...policy, onFailure: 'stop-old', minServing: { percent: 50 } } as const;
  for (let nth = 0; nth < badReleases; nth += 1) {
    const input = { version: FIRST_BAD_VERSION + nth };
    const run = await stage.start(`bad-${nth}`, { policy: bad, input });
    const violations = keepsEnoughServing({ policy: bad }, run);
    if (violations.length > 0) throw new Error(violations.join('\n  '));
  }
}

const MOST_HOURS = 4;

async function hasEnded({ ledger }: Stage): Promise<boolean> {
  const record = await ledger.read('rollout-1').catch(() => null);
  return record !== null && record.outcome !== null;
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

function freezesOf({ opensAfter }: Ordeal): RolloutPolicy['freezes'] {
  if (opensAfter === 0) return [];
  const to = new Date(START + opensAfter * 1000).toISOString().slice(0, 16);
  return [{ from: '2025-12-31T00:00', to, timeZone: 'UTC' }];
}

type Say = (signal: Signal) => void;

/** Says a word just when the write arrives that it is for, whatever becomes of that write. */
function withWord(
  word: Word | null,
  { onRoll = call, onStop = call }: ServiceFaults,
  sayer: () => Say,
): ServiceFaults {
  let count = 0;
  const note = (kind: Word['at']) => {
    if (word?.at !== kind) return;
    count += 1;
    if (count === word.nth) sayer()(signalOf(word));
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

function signalOf({ said }: Word): Signal {
  return {
    kind: 'abort',
    onFailure: said,
    at: scenarioNow(),
    wave: null,
    by: 'ada',
    reason: '',
  };
}

function call<T>(carryOut: () => T): T {
  return carryOut();
}

function clockOf(jump: ClockJump): () => number {
  return () => scenarioNow() + (isNow(jump) ? jump.offsetMs : 0);
}

function busOf(down: Ordeal['busDown']): NonNullable<Script['events']> {
  return (bus) => ({
    async publish(event) {
      if (down !== null && isNow(down)) {
        throw new SteprollError(ErrorName.EventsUnavailable, 'The bus is down.');
      }
      await bus.publish(event);
    },
  });
}

function alarmAt(alarms: Ordeal['alarms']): 'pass' | 'fail' | 'unknown' {
  return alarms.find(isNow)?.verdict ?? 'pass';
}

interface Rival {
  readonly rolloutId: string;
  readonly policy: Ordeal['policy'];
}

async function carryOut(act: Act, stage: Stage, rival?: Rival): Promise<void> {
  const { world, ledger } = stage;
  const idOf = (name: string) => stage.idOf(name);
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
        const { kind, wave } = act;
        await ledger.signal('rollout-1', { kind, wave, at: scenarioNow(), by: 'ada', reason: '' });
        break;
      }
      case 'abort': {
        const { onFailure } = act;
        const said = { at: scenarioNow(), wave: null, onFailure, by: 'ada', reason: '' };
        const outcome = { ...takenBack(said), cleanup: 'none' } as const;
        // As the command line does it.
        if ((await ledger.withdraw('rollout-1', outcome, scenarioNow())) !== null) break;
        await ledger.signal('rollout-1', { kind: 'abort', ...said });
        break;
      }
      case 'rival':
        if (rival !== undefined)
          await stage.start(rival.rolloutId, { ...rival, input: { version: 4 } });
        break;
      case 'absurd':
        if (rival !== undefined) {
          const run = await stage.start(rival.rolloutId, { ...rival, input: { version: ABSURD } });
          if (run.calls.some(isWrite)) throw new Error(`Version ${ABSURD} was rolled.`);
        }
        break;
      default:
        act satisfies never;
    }
  } catch (error) {
    // It has vanished, it is stopped, there is nothing to abort: somebody else has no better luck.
    if (!(error instanceof Error) || !EXPECTED.has(error.name)) throw error;
  }
}

const ABSURD = Number.MAX_SAFE_INTEGER;

const EXPECTED: ReadonlySet<string> = new Set([
  'Refusal',
  ErrorName.RolloutNotFound,
  ErrorName.RolloutClosed,
]);

function isNow(one: Parameters<typeof isNowAt>[0]): boolean {
  return isNowAt(one, scenarioTime());
}
