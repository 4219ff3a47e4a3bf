import { CONTAINMENTS } from '../../domain/containment/failure-policies.ts';
import { findStopsSent, NO_ATTEMPTS } from '../../domain/endpoint/attempts.ts';
import type { Direction } from '../../domain/endpoint/journal.ts';
import { LEGS } from '../../domain/endpoint/leg.ts';
import { rollHistories } from '../../domain/endpoint/rolls.ts';
import { ErrorName, errorNameOf } from '../../domain/errors.ts';
import { failingOf } from '../../domain/rollout/event.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import { nameRollout } from '../../domain/rollout/name.ts';
import {
  type AskedRollout,
  type RolloutSummary,
  type Signal,
  wasOpened,
} from '../../domain/rollout/record.ts';
import { ABORT, findAbort } from '../../domain/signals/abort.ts';
import { withdrawn } from '../../domain/signals/signals.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { tokenOf } from '../io/names.ts';
import type { StepPorts } from '../io/ports.ts';
import { findRecord } from '../io/record.ts';

// The children of a group's rollout are the rollouts of its runtimes: one that rolls the runtime, and if the group goes
// back, one that undoes that.

/** The id of a child follows from the token of its roll, so it is started once, however often it is asked for. */
export function childIdOf(
  { request }: Pick<AskedRollout, 'request'>,
  direction: Direction,
  { runtimeId, version }: { readonly runtimeId: string; readonly version: number },
  token: string,
): string {
  // What undoes another rollout has as many versions as that.
  const isForward = direction === 'forward' && request.revert === undefined;
  return nameRollout({ runtimeId, version: isForward ? version : null }, token);
}

/**
 * The ids of the children of a group's rollout in one direction, by their runtimes and in the order of the plan: for
 * each runtime the one that rolls it, or did so last. Another rollout has none.
 */
export function childrenOf(group: AskedRollout, direction: Direction): Map<string, string> {
  const { request, plan, journal } = group;
  const { rolloutId, runtimeId } = request;
  if (groupNameOf(runtimeId) === null) return new Map();
  const histories = rollHistories(journal, direction);
  return new Map(
    (plan?.endpoints ?? []).flatMap(({ endpointId, desiredVersion: version }) => {
      const { tries } = histories.get(endpointId) ?? NO_ATTEMPTS;
      const token = tokenOf(rolloutId, direction, endpointId, tries);
      const child = { runtimeId: endpointId, version };
      return tries === 0 ? [] : [[endpointId, childIdOf(group, direction, child, token)]];
    }),
  );
}

/**
 * The rollouts that a group's rollout has started, as far as the ledger knows them: those forward in the order of the
 * plan, then those on the way back. Another rollout has none.
 */
export async function readChildren(
  record: AskedRollout,
  ledger: Pick<Ledger, 'read'>,
): Promise<AskedRollout[]> {
  const children = await Promise.all(idsOf(record).map((childId) => findRecord(childId, ledger)));
  return children.filter((child) => child !== null);
}

/** What lists show of the same rollouts, each in the smallest read there is. */
export async function readChildSummaries(
  record: AskedRollout,
  ledger: Pick<Ledger, 'readSummary'>,
): Promise<RolloutSummary[]> {
  const children = await Promise.all(idsOf(record).map((childId) => ledger.readSummary(childId)));
  return children.filter((child) => child !== null);
}

/** The runtimes that a group has taken back and whose own policies had stopped endpoints before that. */
export async function runtimesWithStops(
  group: AskedRollout,
  ledger: Pick<Ledger, 'read'>,
): Promise<string[]> {
  const children = childrenOf(group, 'forward');
  const hasStops = async (runtimeId: string) => {
    const child = await findRecord(children.get(runtimeId) ?? '', ledger);
    return child !== null && findStopsSent(child.journal).size > 0;
  };
  const planned = group.rollback?.plan.endpoints ?? [];
  // The policy of a runtime that has succeeded has stopped nothing.
  const lost = planned.filter(({ leftAs }) => leftAs !== undefined);
  const found = await Promise.all(
    lost.map(async ({ endpointId }) => ((await hasStops(endpointId)) ? [endpointId] : [])),
  );
  return found.flat();
}

function idsOf(record: AskedRollout): string[] {
  return [...childrenOf(record, 'forward').values(), ...childrenOf(record, 'back').values()];
}

type Ports = Pick<StepPorts, 'ledger' | 'clock' | 'groups'>;

/**
 * Tells a child that is under way what its group was told, and makes sure that somebody works on it.
 *
 * @param direction Of the child. One that goes forward rolls the runtime, the other one undoes that.
 */
export async function lookAfter(
  childId: string,
  direction: Direction,
  group: AskedRollout,
  ports: Ports,
): Promise<void> {
  const order = orderFor(direction, group);
  if (order !== undefined) await passOn(order, childId, ports);
  await ports.groups?.keepRunning?.(childId);
}

/** What a child is told. Once its group goes back, it goes back, too, and nobody ends its way back. */
function orderFor(direction: Direction, { request, signals, events, rollback }: AskedRollout) {
  const abort = findAbort(signals);
  if (rollback === null) return abort;
  const goesBack = !abort || CONTAINMENTS[abort.onFailure ?? 'hold'].write === 'roll-back';
  if (LEGS[direction].after === 'close') return goesBack ? undefined : abort;
  return abort ?? turnAround(request.rolloutId, turnedAt(events));
}

function turnAround(groupId: string, at: number): Signal {
  const reason = 'its group goes back';
  return { kind: ABORT.kind, at, wave: null, onFailure: 'roll-back', by: groupId, reason };
}

/** When a group told that it fails, in milliseconds since the Unix epoch. */
export function turnedAt(events: AskedRollout['events']): number {
  return failingOf(events)?.at ?? 0;
}

/** Tells the children at once what their group was told: its next look may be many minutes later. */
export async function tellChildren(
  abort: Signal,
  group: AskedRollout,
  ports: Pick<Ports, 'ledger' | 'clock'>,
): Promise<void> {
  const told = { ...group, signals: [...group.signals, abort] };
  for (const direction of ['forward', 'back'] as const) {
    const order = orderFor(direction, told);
    for (const childId of childrenOf(group, direction).values()) {
      const child = await ports.ledger.readSummary(childId);
      if (order !== undefined && child?.outcome === null) await passOn(order, childId, ports);
    }
  }
}

/** A child that has not begun is ended at once, as a person would do it. */
async function passOn(
  abort: Signal,
  rolloutId: string,
  { ledger, clock }: Pick<Ports, 'ledger' | 'clock'>,
): Promise<void> {
  const child = await ledger.read(rolloutId);
  if (child.signals.some(({ kind, at }) => kind === ABORT.kind && at === abort.at)) return;
  try {
    const outcome = { ...withdrawn(abort), cleanup: 'none' } as const;
    const isOver =
      !wasOpened(child) && (await ledger.withdraw(rolloutId, outcome, clock.now())) !== null;
    if (!isOver) await ledger.signal(rolloutId, abort);
  } catch (error) {
    // It has ended in between.
    if (errorNameOf(error) !== ErrorName.RolloutClosed) throw error;
  }
}
