import type { Hold, HoldScope } from '../../../lib/domain/holds/hold.ts';
import { groupIdOf } from '../../../lib/domain/rollout/group.ts';
import { createInterpreter } from '../../../lib/embedded/interpreter/engine.ts';
import type { Ledger } from '../../../lib/ports/ledger.ts';
import { rehearsalGrounds } from '../../support/grounds.ts';
import { RUNTIME, type Script, type Stage } from '../../support/run-scenario.ts';
import { scenarioNow, scenarioTime } from '../../support/scenario-time.ts';
import { nameOfHold, nameOfPromotion } from './fault-names.ts';
import type { DrawnHold, Held, Ordeal, Promotion, SeenHold } from './ordeal.ts';

// What people hold and promote, on the stage.

const GROUP = 'prod';
const PARENT = 'release-of-prod';

/** What a rollout is to the holds: its group, and whether a person wants its version again. */
export function inputOf({ held }: Ordeal): NonNullable<Script['input']> {
  if (held === undefined) return {};
  const passed = held.holds.flatMap(({ isPassed }, nth) => (isPassed ? [idOfHold(nth)] : []));
  return {
    ...(held.isOfGroup && { group: GROUP, parent: PARENT }),
    ...(held.isAgain && { again: true }),
    ...(passed.length > 0 && { unpin: passed }),
  };
}

/** A process on one machine listens while it waits. */
export function groundsOf({ held }: Ordeal): Pick<Script, 'grounds'> {
  if (!held?.listens) return {};
  return {
    grounds: () => {
      const grounds = rehearsalGrounds();
      const engine = createInterpreter({ clock: grounds.time, random: () => 0.5, listens: true });
      return { ...grounds, engine };
    },
  };
}

function idOfHold(nth: number): string {
  return `hold-${nth}`;
}

interface HoldStage extends Pick<Stage, 'until' | 'idOf'> {
  readonly ledger: Ledger;
  meet(fault: string): void;
  /** Called whenever one is added, or lifted. */
  note(seen: readonly SeenHold[]): void;
}

/** Adds and lifts them all. */
export function holdAll(
  held: Held,
  { ledger, until, idOf, meet, note }: HoldStage,
): { at(moment: DrawnHold['from']): Promise<void>; timed(): Promise<unknown> } {
  const seen = new Map<string, SeenHold>();
  const done = new Set<DrawnHold>();
  const add = async (drawn: DrawnHold, nth: number) => {
    if (done.has(drawn)) return;
    done.add(drawn);
    meet(nameOfHold(drawn));
    const addedAt = scenarioNow();
    const overAt = addedAt + drawn.seconds * 1000;
    const hold: Hold = {
      id: idOfHold(nth),
      kind: drawn.kind,
      scope: scopeOf(drawn, idOf),
      by: 'ann',
      reason: 'patching',
      at: addedAt,
      until: drawn.kind === 'pin' ? null : overAt,
    };
    await ledger.addHold(hold, addedAt);
    seen.set(hold.id, { ...drawn, id: hold.id, addedAt, overAt });
    note([...seen.values()]);
    const { liftedAfter } = drawn;
    if (liftedAfter === null || liftedAfter >= drawn.seconds) return;
    // It is lifted beside whatever has let somebody add it.
    void scenarioTime()
      .sleep(liftedAfter * 1000)
      .then(async () => {
        const lifted = { by: 'bob', reason: 'done', at: scenarioNow() };
        await ledger.liftHold(hold, lifted);
        seen.set(hold.id, { ...drawn, id: hold.id, addedAt, overAt: lifted.at });
        note([...seen.values()]);
      });
  };
  const { holds } = held;
  return {
    async at(moment) {
      for (const [nth, one] of holds.entries()) if (one.from === moment) await add(one, nth);
    },
    timed: () =>
      Promise.all(
        holds.map(async (one, nth) => {
          if (typeof one.from !== 'number') return;
          await until(one.from);
          await add(one, nth);
        }),
      ),
  };
}

function scopeOf({ on, endpoint = '' }: DrawnHold, idOf: HoldStage['idOf']): HoldScope {
  switch (on) {
    case 'everything':
      return {};
    case 'group':
      return { runtimeId: groupIdOf(GROUP) };
    case 'another group':
      return { runtimeId: groupIdOf('test') };
    case 'runtime':
      return { runtimeId: RUNTIME };
    case 'another runtime':
      return { runtimeId: 'another' };
    case 'rollout':
      return { runtimeId: RUNTIME, rolloutId: 'rollout-1' };
    case 'parent':
      return { runtimeId: groupIdOf(GROUP), rolloutId: PARENT };
    case 'another rollout':
      return { runtimeId: RUNTIME, rolloutId: 'another' };
    case 'version':
      return { runtimeId: RUNTIME, version: 2 };
    case 'version before':
      return { runtimeId: RUNTIME, version: 1 };
    case 'endpoint':
      return { runtimeId: RUNTIME, endpointId: idOf(endpoint) };
    default:
      on satisfies 'another version';
      return { runtimeId: RUNTIME, version: 77 };
  }
}

/** Lets things happen just after moments of a rollout. */
export function atMoments(
  ledger: Ledger,
  at: (
    moment: 'before' | 'opened' | 'refused' | 'failing' | 'ended' | 'converged',
    wave: number,
  ) => Promise<void>,
): Ledger {
  return {
    ...ledger,
    async enlist(...args) {
      await at('before', 0);
      return ledger.enlist(...args);
    },
    async open(...args) {
      const lease = await ledger.open(...args);
      await at('opened', 0);
      return lease;
    },
    async recordEvent(lease, event) {
      const answer = await ledger.recordEvent(lease, event);
      if (event.kind === 'failing') await at('failing', 0);
      if (event.kind === 'wave-converged' && event.direction === 'forward') {
        await at('converged', event.wave - 1);
      }
      return answer;
    },
    async append(lease, lines) {
      await ledger.append(lease, lines);
      const isRefused = lines.some(({ operation, result }) => {
        return operation === 'roll' && result === 'rejected';
      });
      if (isRefused) await at('refused', 0);
    },
    async close(rolloutId, ...args) {
      const stored = await ledger.close(rolloutId, ...args);
      await at('ended', 0);
      return stored;
    },
  };
}

/** Sends the promotions of a wave that has just converged, each after its time. */
export function promoteAll(
  promotions: readonly Promotion[],
  wave: number,
  { ledger, meet }: { readonly ledger: Ledger; meet(fault: string): void },
): void {
  for (const { wave: which, afterSeconds, isFull } of promotions) {
    if (which !== wave) continue;
    void scenarioTime()
      .sleep(afterSeconds * 1000 + NOT_AT_A_LOOK_MS)
      .then(async () => {
        const said = { kind: 'promote', at: scenarioNow(), wave, by: 'ada', reason: 'hotfix' };
        const signal = { ...said, ...(isFull && { isFull: true as const }) };
        await ledger.signal('rollout-1', signal);
        meet(nameOfPromotion({ wave: which, afterSeconds, isFull }));
      })
      // It has ended by then.
      .catch(() => undefined);
  }
}

const NOT_AT_A_LOOK_MS = 137;
