import { isDeepStrictEqual } from 'node:util';
import { ErrorName } from '../../../../lib/domain/errors.ts';
import { type FailurePolicy, policyAfter } from '../../../../lib/domain/rollout/policy.ts';
import type { Signal } from '../../../../lib/domain/rollout/record.ts';
import { isWrite, type WriteCall } from '../../../../lib/rehearsal/calls.ts';
import { isRollBack, REFUSED } from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { START } from '../../../support/scenario-time.ts';
import { isSteady, type Ordeal } from '../ordeal.ts';
import type { Observed } from '../to-script.ts';

/** Every event comes when it is said to come: before the writes that it announces, and after what it tells. */
export function eventsComeInTime(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { record, calls, outcome, told, turnedAt } = run;
  if (record === null || ordeal.clock !== null) return [];
  const { plan, events } = record;
  const find = (kind: string, wave?: number, direction = 'forward') =>
    events.find(
      (event) =>
        event.kind === kind &&
        (wave === undefined || ('wave' in event && event.wave === wave)) &&
        (!('direction' in event) || event.direction === direction),
    );
  const isAnnounced = (write: WriteCall) => {
    const isForward = write.operation === 'roll' && !isRollBack(write, record, turnedAt);
    const at = plan?.endpoints.findIndex(({ endpointId }) => endpointId === write.endpointId) ?? -1;
    const wave = plan?.waves.findIndex(({ to }) => at < to) ?? 0;
    const event = isForward ? find('wave-started', wave + 1) : find('failing');
    return event !== undefined && event.at <= write.at;
  };
  const isDone = outcome.outcome === 'Succeeded' && outcome.reason !== 'NothingToDo';
  const silent = (plan?.waves ?? []).filter(
    (_, index) => isDone && find('wave-converged', index + 1) === undefined,
  );
  const untold = events.filter(
    ({ eventId }) =>
      !record.unsent.includes(eventId) && !told.some((event) => event.eventId === eventId),
  );
  // A process that died or stood still between its plan and its first event has not begun for anybody else.
  const isCutOff = ordeal.death !== null || ordeal.stall !== null;
  const hasBegun = plan != null && (!isCutOff || events.length > 0 || calls.some(isWrite));
  const wayBack = calls.find((call) => isWrite(call) && isRollBack(call, record, turnedAt));
  const isBackTold = wayBack === undefined || find('wave-started', 1, 'back') !== undefined;
  return [
    ...calls
      .filter(isWrite)
      .filter((write) => !isAnnounced(write))
      .map(({ operation, endpointId }) => `${operation} of ${endpointId}, and no event before it`),
    ...(hasBegun && find('started') === undefined ? ['nobody told that it started'] : []),
    ...silent.map(({ from }) => `the wave from ${from} on converged, and nobody told it`),
    ...(isBackTold ? [] : ['it rolls back, and nobody told it']),
    ...untold.map(({ eventId }) => `${eventId} counts as sent, and was not told`),
  ];
}

/** The first event has the numbers of the plan that holds, and each wave those of its own endpoints. */
export function eventsFollowThePlan(_: Ordeal, { record, told }: ScenarioResult): string[] {
  const plans = { forward: record?.plan, back: record?.rollback?.plan };
  return told.flatMap((event) => {
    if (event.kind === 'started') {
      const { endpoints = [], leftOut = [], waves = [] } = plans.forward ?? {};
      const planned = [endpoints, leftOut, waves].map(({ length }) => length);
      const said = [event.endpoints, event.leftOut, event.waves];
      return isDeepStrictEqual(said, planned)
        ? []
        : [`${event.eventId} says ${said.join(', ')}, and planned are ${planned.join(', ')}`];
    }
    if (!('direction' in event)) return [];
    const waves = plans[event.direction]?.waves ?? [];
    const { from = 0, to = 0 } = waves[event.wave - 1] ?? {};
    return event.waves === waves.length && event.endpoints === to - from
      ? []
      : [
          `${event.eventId} says ${event.endpoints} endpoints of ${event.waves} waves, and has ${to - from} of ${waves.length}`,
        ];
  });
}

/** A wave without endpoints never begins, also when the rollout is undone. */
export function noWaveIsEmpty(_: Ordeal, { told, undone }: Observed): string[] {
  return [...told, ...(undone?.run.told ?? [])].flatMap((event) =>
    event.kind === 'wave-started' && event.endpoints === 0
      ? [`${event.eventId} is told, and the wave has no endpoint`]
      : [],
  );
}

/** Where the bus takes the last event, it has got every one of them by then. */
export function everythingIsTold(ordeal: Ordeal, { record, told }: ScenarioResult): string[] {
  const { busDown, people, word, badReleases } = ordeal;
  const isAlone = people.length + badReleases === 0 && isSteady(ordeal) && word === null;
  const upAt = busDown === null ? 0 : START + (busDown.fromSecond + busDown.seconds + 1) * 1000;
  if (record === null || record.endedAt === null || !isAlone || record.endedAt < upAt) return [];
  const isEndTold = told.some(({ kind }) => kind === 'ended');
  return [
    ...record.events
      .filter(({ eventId }) => !told.some((event) => event.eventId === eventId))
      .map(({ eventId }) => `${eventId} was never told`),
    ...(isEndTold ? [] : ['nobody told that it has ended']),
  ];
}

/**
 * An event goes to the bus when it happens, or with the next one that happens when the bus takes events again. The last
 * one may have been written down by somebody else.
 */
export function isToldAtOnce(
  ordeal: Ordeal,
  { record, toldAt }: Pick<Observed, 'record' | 'toldAt'>,
): string[] {
  if (record === null || !isSteady(ordeal)) return [];
  const down = ordeal.busDown;
  const isUp = ({ at }: { readonly at: number }) => {
    const after = (at - START) / 1000;
    // It is down up to the last moment, and two may happen in that one.
    return down === null || after < down.fromSecond || after > down.fromSecond + down.seconds;
  };
  const own = record.events.filter(({ kind }) => kind !== 'ended');
  return own.flatMap(({ eventId, at }, index) => {
    const due = own.slice(index).find(isUp)?.at;
    const lateMs = (toldAt.get(eventId) ?? Number.POSITIVE_INFINITY) - (due ?? at);
    return due === undefined || lateMs <= LONGEST_TELLING_MS
      ? []
      : [`${eventId} was told ${lateMs} ms late`];
  });
}

/** A step sends its events as soon as they are in the ledger. */
const LONGEST_TELLING_MS = 1000;

/** The counts of the last event are those of the calls. What nobody knows counts as rolled. */
export function countsAreTrue(
  ordeal: Ordeal,
  { told, calls, record, turnedAt }: ScenarioResult,
): string[] {
  const ended = told.findLast((event) => event.kind === 'ended');
  if (record === null || ended === undefined || ordeal.death !== null || ordeal.stall !== null)
    return [];
  // Whoever took it over in the midst of a batch counts what was only meant, because it may have been sent.
  if (record.outcome?.reason === ErrorName.LeaseLost) return [];
  const { planned, rolled, rolledBack, stopped } = ended.counts;
  const count = (isMeant: (call: WriteCall) => boolean) =>
    new Set(
      calls
        .filter(isWrite)
        .filter(isMeant)
        .map(({ endpointId }) => endpointId),
    ).size;
  const isBack = (write: WriteCall) => isRollBack(write, record, turnedAt);
  const within = (what: string, number: number, isMeant: (call: WriteCall) => boolean) => {
    const least = count((call) => isMeant(call) && call.answer === 'accepted');
    const most = count((call) => isMeant(call) && !REFUSED.has(call.answer ?? ''));
    return number < least || number > most
      ? [`it counts ${number} ${what}, and there were ${least} to ${most}`]
      : [];
  };
  // What was found rolled already, by somebody else in between, counts as well.
  const found = record.journal.filter(
    ({ operation, result }) => operation !== 'stop' && result === 'accepted',
  );
  const isFound =
    found.length > calls.filter((call) => isWrite(call) && call.answer === 'accepted').length;
  return [
    ...(planned === (record.plan?.endpoints.length ?? 0) ? [] : ['it counts other endpoints']),
    ...(isFound
      ? []
      : within('rolled', rolled, (write) => write.operation === 'roll' && !isBack(write))),
    ...(isFound ? [] : within('rolled back', rolledBack, isBack)),
    ...(stopped > count(({ operation }) => operation === 'stop') ? ['it counts more stops'] : []),
  ];
}

/**
 * Whoever ends it may say what follows. An abort without a word leaves everything, one that comes later may ask for more,
 * and otherwise the policy says it.
 */
export function failingSaysWhatFollows(
  { policy }: Ordeal,
  { record }: Pick<ScenarioResult, 'record'>,
): string[] {
  const failing = record?.events.find((event) => event.kind === 'failing');
  if (record === null || failing === undefined) return [];
  const { reason, onFailure } = failing;
  const wordsOf = (kind: Signal['kind'], otherwise: FailurePolicy) =>
    record.signals.flatMap((one) => (one.kind === kind ? [one.onFailure ?? otherwise] : []));
  const aborts = wordsOf('abort', 'hold');
  const usual = policyAfter(failing.failure ?? 'stuck', policy.onFailure);
  const own = reason === 'Rejected' ? wordsOf('reject', usual) : [usual];
  const meant = reason === 'Aborted' ? aborts : [...own, ...aborts];
  return meant.includes(onFailure)
    ? []
    : [
        `it failed with ${reason}, and told that ${onFailure} follows, and not ${meant.join(' or ')}`,
      ];
}

/** Only some rollouts are asked for by somebody who says who it is. */
export function namesItsStarter({ asked }: Ordeal, { told }: ScenarioResult): string[] {
  const started = told.find((event) => event.kind === 'started');
  const name = started?.kind === 'started' ? started.startedBy.name : '';
  return asked?.kind === 'by' || name === '' ? [] : [`nobody said who asks, and it names ${name}`];
}
