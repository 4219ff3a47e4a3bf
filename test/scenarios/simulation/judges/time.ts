import { isWrite } from '../../../../lib/rehearsal/calls.ts';
import type { While } from '../../../../lib/rehearsal/faults.ts';
import { isRollBack } from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { START } from '../../../support/scenario-time.ts';
import { isSteady, type Ordeal, wasLeft } from '../ordeal.ts';
import { handOverMs } from '../wire/as-judged.ts';
import { waitsFor } from './waits.ts';

/** Liveness: once nothing goes wrong any more, the waves, their bakes and one deadline each way are all. */
export function endsInTime(ordeal: Ordeal, { seconds, record }: ScenarioResult): string[] {
  const { policy, people, broken, endpoints, stall } = ordeal;
  if (wasLeft(ordeal) || stall?.isRaced || ordeal.earlier !== null || ordeal.ahead !== null)
    return [];
  const { progressDeadlineSeconds, bakeSeconds } = policy;
  const lastFault = Math.max(
    0,
    ...faultsIn(ordeal).map((fault) => fault.fromSecond + fault.seconds),
    ...people.map(({ atSecond }) => (typeof atSecond === 'number' ? atSecond : 0)),
  );
  const slowestRoll = Math.max(
    ordeal.rollSeconds,
    ...broken.map((fault) => ('rollSeconds' in fault ? fault.rollSeconds : 0)),
  );
  const rolls = 2 * endpoints.length * (slowestRoll + 90 + ordeal.latencyMs / 250);
  const longestBake = Math.max(...policy.waves.map((wave) => wave.bakeSeconds ?? bakeSeconds));
  const longestWave = longestBake + waitsFor(ordeal, 'approval', 'metric', 'check') + 60;
  const waves = (record?.plan?.waves.length ?? 0) * longestWave;
  const others = waitsFor(ordeal, 'hold', 'window', 'version', 'process', 'write');
  const longest = lastFault + others + rolls + waves + 2 * progressDeadlineSeconds + 300;
  return seconds > longest ? [`it ended after ${seconds} s, ${longest} s at most were due`] : [];
}

/** What goes wrong for a while. */
function faultsIn({ lists, alarms, readings, check, clock }: Ordeal): readonly While[] {
  const faults: readonly While[] = [...lists, ...alarms, ...readings, ...(check?.faults ?? [])];
  return clock === null ? faults : [...faults, clock];
}

export function pollsAsTold(
  { policy, held, promotions, check }: Ordeal,
  { states, seconds }: ScenarioResult,
): string[] {
  // A check that is at work says when it wants to be asked.
  if (check !== undefined) return [];
  const looks = states.filter((state) => state === 'Look').length;
  // Who waits for a window looks each minute in its first hour.
  const isHeldBack = held !== undefined || policy.windowsBind === 'rolls';
  const told = isHeldBack || promotions !== undefined ? 60 : policy.pollSeconds;
  const shortest = policy.verify.approval === null ? Math.min(told, policy.pollSeconds) : 5;
  // A gate is asked at a look that comes for it, and the next read comes as long after that one as after any other.
  const { everySeconds } = policy.verify;
  const most = seconds / shortest + (everySeconds === undefined ? 0 : seconds / everySeconds) + 12;
  return looks > most ? [`${looks} looks in ${seconds} s`] : [];
}

/** How long a minute of a rollout lasts at least: a jump of half a minute looks like a step that starts late. */
export function shortestMinuteMs(clock: Ordeal['clock']): number {
  return clock === null ? 60_000 : 30_000;
}

/** No roll forward begins, however soon. */
export function abortIsHeard(
  ordeal: Ordeal,
  { record, calls, turnedAt }: ScenarioResult,
): string[] {
  const signal = record?.signals.find(({ kind }) => kind === 'abort');
  if (record === null || signal === undefined || !isSteady(ordeal)) return [];
  const rolled = calls
    .filter(isWrite)
    .filter((call) => call.operation === 'roll' && call.at > signal.at + handOverMs(ordeal))
    .filter((call) => !isRollBack(call, record, turnedAt))
    .map(({ endpointId, at }) => `${endpointId} was rolled ${at - signal.at} ms after the abort`);
  // A batch that has read the record just before reads its list, and then notes what it means to roll.
  const meant = record.journal
    .filter(({ operation, result }) => operation === 'roll' && result === 'intended')
    .filter(({ at }) => at > signal.at + ordeal.latencyMs)
    .map(({ endpointId, at }) => `${endpointId} was meant ${at - signal.at} ms after the abort`);
  return [...rolled, ...meant];
}

/** Its next look comes within two minutes, before its plan within five, or when the service wants to be asked again. */
export function abortEndsIt(ordeal: Ordeal, { record, seconds }: ScenarioResult): string[] {
  const [signal, ...others] = record?.signals.filter(({ kind }) => kind === 'abort') ?? [];
  const isAlone = signal !== undefined && others.length === 0 && record?.rollback === null;
  if (!isAlone || (signal.onFailure ?? 'hold') !== 'hold' || !isSteady(ordeal)) return [];
  const throttled = ordeal.lists.filter(({ kind }) => kind === 'UpstreamThrottled');
  const asked = throttled.reduce((sum, fault) => sum + fault.seconds, 0);
  const lasted = seconds - (signal.at - START) / 1000;
  const look = record?.plan === null ? LONGEST_LOOK_TO_OPEN_SECONDS : LONGEST_LOOK_SECONDS;
  return lasted > look + asked + ordeal.latencyMs / 50
    ? [`it ended ${lasted} s after the abort`]
    : [];
}

/** An abort that does not ask for it ends a way back with the next look at a list that can be read. */
export function abortEndsTheWayBack(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { record, seconds, turnedAt } = run;
  const { latencyMs, lists } = ordeal;
  const last = record?.signals.findLast(({ kind }) => kind === 'abort');
  if (last === undefined || turnedAt === null || last.at < turnedAt) return [];
  if (!isSteady(ordeal) || last.onFailure === 'roll-back') return [];
  const unreadable = lists.reduce((sum, fault) => sum + fault.seconds, 0);
  const lasted = seconds - (last.at - START) / 1000;
  const isUndisturbed = lists.length + ordeal.writes.length + ordeal.broken.length <= 1;
  const longest = isUndisturbed ? 2 * ordeal.policy.maxPollSeconds : LONGEST_LOOK_SECONDS;
  return lasted > longest + unreadable + latencyMs / 50
    ? [`its way back went on for ${lasted} s after the abort`]
    : [];
}

/** A look during a bake comes after a minute, and the service may ask for as much. */
const LONGEST_LOOK_SECONDS = 120;

/** Who waits with the lease until it may begin looks so often. */
export const LONGEST_LOOK_TO_OPEN_SECONDS = 300;

/** H14: no roll is sent before the service wants to be asked again, as long as it asks for 5 minutes at most. */
export function throttleIsHeard(ordeal: Ordeal, { calls }: ScenarioResult): string[] {
  const { writes, endpoints, latencyMs } = ordeal;
  if (!isSteady(ordeal)) return [];
  const rolls = calls.filter(isWrite).filter(({ operation }) => operation === 'roll');
  const throttled = rolls.filter(({ answer }) => answer === 'UpstreamThrottled');
  const asked = writes.filter(
    ({ kind, operation }) => kind === 'UpstreamThrottled' && operation === 'roll',
  );
  // Which fault it was is clear where there is one, and where endpoints are not throttled by themselves.
  const [only, ...others] = asked;
  const isClear = throttled.length === 1 && others.length === 0 && endpoints.length > 0;
  const [first] = throttled;
  if (only === undefined || first === undefined || !isClear || refusesBySelf(ordeal)) return [];
  const until = first.at + latencyMs + only.seconds * 1000;
  const sentTogether = first.at + latencyMs;
  return rolls
    .filter(({ at }) => at > sentTogether && at < until)
    .map(
      ({ endpointId, at }) => `${endpointId} was rolled ${until - at} ms before it was asked for`,
    );
}

function refusesBySelf({ broken }: Ordeal): boolean {
  return broken.some(({ kind }) => kind === 'refuse');
}

/** H14: the same, as the journal has it. */
export function retryAfterIsKept(ordeal: Ordeal, { record, calls }: ScenarioResult): string[] {
  const { clock, wire, latencyMs } = ordeal;
  if (clock !== null) return [];
  // Beside the one that was throttled, others of its handful may still wait for their sockets.
  const inFlightMs = handOverMs(ordeal);
  // The answers of a handful are noted together, when the slowest one is there.
  const notedLateMs = wire === null ? 0 : latencyMs;
  const rolls = calls.filter(isWrite).filter(({ operation }) => operation === 'roll');
  return (record?.journal ?? []).flatMap(({ at, retryAt = 0 }) =>
    rolls
      .filter((roll) => roll.at > at + inFlightMs && roll.at < retryAt - notedLateMs)
      .map((roll) => `${roll.endpointId} was rolled ${retryAt - roll.at} ms too early`),
  );
}
