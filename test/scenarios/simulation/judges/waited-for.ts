import { hasConverged, isUntold } from '../../../../lib/domain/endpoint/observation.ts';
import { type Call, isList } from '../../../../lib/rehearsal/calls.ts';
import { gatesIn } from '../../../support/gates-in.ts';
import { isWhole } from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import type { Ordeal } from '../ordeal.ts';
import { bakesFrom, type Look, looksOf } from './gates.ts';
import { isAnyPromoted, lastPassedAt } from './promotions.ts';
import { longestLook, waitsFor } from './waits.ts';

// What gives no answer, a list or a gate, is waited for up to the progress deadline: neither less nor more.

/** From the first read that proves nothing to the last one. Before the first wave, another judge looks. */
export function listIsWaitedFor(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { calls, record, outcome, turnedAt } = run;
  const begun = record?.events.find(({ kind }) => kind === 'wave-started');
  if (record === null || begun === undefined || ordeal.stall?.isRaced) return [];
  const reads = calls.slice(0, endOfWay(run)).filter((call) => isList(call) && call.at > begun.at);
  const lastRead = reads.findLastIndex((read) => isList(read) && isWhole(read, record));
  const unread = watched(ordeal, reads.slice(lastRead + 1));
  const most = deadlineOf(ordeal, turnedAt === null ? 1 : 2) + waitsFor(ordeal, 'hold', 'clock');
  return unread > most
    ? [`it looked for a list for ${unread} s, and ended with ${outcome.reason}`]
    : [];
}

/** Its last look at a list that could be read, and its end, are a deadline apart, also when steps ran twice. */
export function listHasItsTime(
  { clock, policy, lists }: Ordeal,
  { outcome, record, turnedAt }: Pick<ScenarioResult, 'outcome' | 'record' | 'turnedAt'>,
): string[] {
  const { progress = null, endedAt = null, signals = [], events = [] } = record ?? {};
  if (clock !== null || turnedAt !== null || progress === null || endedAt === null) return [];
  // What it is told, or has told itself, decides about its end without a list.
  if (signals.length > 0 || events.some(({ kind }) => kind === 'failing')) return [];
  if (outcome.outcome !== 'Errored' || !AWAITED.has(outcome.reason)) return [];
  // Lists before that told too little are a part of the same silence, and so are those that a bake has not confirmed.
  const isOpen = progress.bakedMs !== null && !progress.observations.every(hasConverged);
  if (isOpen || progress.observations.some(isUntold)) return [];
  // One list between two silences ends neither of them.
  if (lists.length > 1) return [];
  const seconds = (endedAt - progress.readAt) / 1000;
  return seconds < policy.progressDeadlineSeconds
    ? [`it went on for ${seconds} s after its last list, and ended with ${outcome.reason}`]
    : [];
}

/** Faults that leave a read of the list without an answer, and that may pass. */
const AWAITED: ReadonlySet<string> = new Set([
  ...['UpstreamThrottled', 'UpstreamAuth', 'UpstreamTimeout', 'UpstreamTransient'],
]);

/** It keeps the wave that has converged last, once its bake is over. */
export function gateIsWaitedFor(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { record, outcome } = run;
  const converged = bakesFrom(record);
  if (record === null || converged === undefined || ordeal.stall?.isRaced) return [];
  const looks = looksOf(run.gates).filter(({ at }) => at > lastPassedAt(record));
  const { bakeSeconds = 0 } = record.plan?.waves[converged.wave - 1] ?? {};
  const baked = isAnyPromoted(record) ? 0 : bakeSeconds * 1000;
  const from = converged.at + baked + unwatchedMs(run, converged.at);
  const silence = since(looks, ({ verdict }) => verdict !== 'unknown').filter(
    ({ at }) => at >= from,
  );
  const most =
    deadlineOf(ordeal, 1) +
    (isAnyPromoted(record) ? bakeSeconds : 0) +
    waitsFor(ordeal, 'list', 'hold', 'check', 'clock');
  // Noes that the next look does not confirm belong to the same doubt, and so does one that the list has begun.
  const doubted = since(looks, ({ verdict }) => verdict === 'pass');
  const { lists, broken, people, policy } = ordeal;
  const ills = [lists, broken, people, gatesIn(policy).metrics];
  const isClear = ordeal.clock === null && ordeal.check === undefined && ordeal.stall === null;
  const isHasty =
    isClear && ills.every(({ length }) => length === 0) && outcome.reason === 'GateUnknown';
  const least = policy.progressDeadlineSeconds - longestLook(ordeal);
  const silent = watched(ordeal, silence);
  return (isHasty && watched(ordeal, doubted) < least) || silent > most
    ? [`a gate was silent for ${silent} s, and it ended with ${outcome.reason}`]
    : [];
}

function since(looks: readonly Look[], isEnd: (look: Look) => boolean): readonly Look[] {
  return looks.slice(looks.findLastIndex(isEnd) + 1);
}

/** A bake stands still while no process runs: it has a look each minute. */
function unwatchedMs({ calls }: Pick<ScenarioResult, 'calls'>, from: number): number {
  const reads = calls.filter((call) => isList(call) && call.at >= from);
  return reads.slice(1).reduce((sum, { at }, index) => {
    const gap = at - (reads[index]?.at ?? at);
    return sum + (gap > LONGEST_IN_BAKE_MS ? gap : 0);
  }, 0);
}

const LONGEST_IN_BAKE_MS = 90_000;

/** Up to the look after it. */
function deadlineOf(ordeal: Ordeal, ways: number): number {
  return ways * (ordeal.policy.progressDeadlineSeconds + 3 * longestLook(ordeal) + 10);
}

/** Stops wait for a list of their own. */
function endOfWay({ calls, record }: Pick<ScenarioResult, 'calls' | 'record'>): number {
  const asked = record?.signals.find(
    ({ kind, onFailure: how }) => kind === 'abort' && how === 'stop-old',
  );
  const end = calls.findIndex(
    (call: Call) => call.operation === 'stop' || (asked !== undefined && call.at > asked.at),
  );
  return end < 0 ? calls.length : end;
}

/** In which somebody looked: for longer than between two looks, nobody did. */
function watched(ordeal: Ordeal, looks: readonly { readonly at: number }[]): number {
  const longest = longestLook(ordeal);
  return looks.slice(1).reduce((sum, { at }, index) => {
    return sum + Math.min(longest, (at - (looks[index]?.at ?? at)) / 1000);
  }, 0);
}
