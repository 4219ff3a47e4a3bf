import { isDeepStrictEqual } from 'node:util';
import { type Endpoint, isFailed } from '../../lib/domain/endpoint/endpoint.ts';
import type { RolloutEvent } from '../../lib/domain/rollout/event.ts';
import type { Outcome } from '../../lib/domain/rollout/outcome.ts';
import type { AskedRollout, RolloutRecord } from '../../lib/domain/rollout/record.ts';
import { isOpeningState } from '../../lib/domain/rollout/wait.ts';
import {
  type Call,
  isList,
  isWrite,
  type ListCall,
  type WriteCall,
} from '../../lib/rehearsal/calls.ts';
import { midRollStaysBounded } from './mid-roll-invariant.ts';
import { describeViolation, type Promises } from './promise.ts';
import {
  allConverged,
  byId,
  isForeign,
  isHaleIn,
  isMovingAnew,
  isRollBack,
  isWhole,
  listsSinceRoll,
  MAX_ROLLS,
  MAY_PASS,
  wasAtWork,
  wavesWithoutPinned,
  wayOf,
} from './read-evidence.ts';
import { goesForwardAgain, wavesWaitForTheirGate } from './wave-order-invariant.ts';
import { rollsStayInWindows } from './window-invariant.ts';

/** What a rollout has done so far, or all that is left of it when it is over. */
export interface Trace {
  /** `null`: it is still under way. */
  readonly outcome: Outcome | null;
  /** What the ledger has of it; `null`: it was not asked for yet. */
  readonly asked: AskedRollout | null;
  /** Whether the list of its runtime's rollouts has it. */
  readonly isListed: boolean;
  /** The same where it was opened; `null`: it never got the lease. */
  readonly record: RolloutRecord | null;
  /** When the ledger got a plan for the way back, in milliseconds since the Unix epoch; `null`: it has none. */
  readonly turnedAt: number | null;
  /** The calls of this rollout, in order. */
  readonly calls: readonly Call[];
  /** The clock of the steps is wrong for a while, so they cannot tell how long anything has taken. */
  readonly isClockWrong: boolean;
  /** Every state that was entered, in order. */
  readonly states: readonly string[];
  /** What the event bus got, in order. */
  readonly told: readonly RolloutEvent[];
}

/** What must hold at every step of every rollout, whatever goes wrong in it. */
export const INVARIANTS: Promises<(trace: Trace) => string[]> = {
  'writes-stay-in-plan': {
    says: 'Nothing outside of the plan is ever written to.',
    page: 'docs/explanation/life-of-a-rollout.md#the-plan',
    check: writesStayInPlan,
  },
  'stops-follow-their-read': {
    says: 'Stop old endpoints reads the whole list before every single stop.',
    page: 'docs/explanation/stops.md#one-stop-at-a-time',
    check: stopsFollowTheirRead,
  },
  'stops-have-evidence': {
    says: 'No endpoint is stopped unless a list after its roll has shown what that roll does: the endpoint was on its way to the version or live on it, and was not before, or it has failed since.',
    page: 'docs/explanation/stops.md',
    check: stopsHaveEvidence,
  },
  'mid-roll-stays-bounded': {
    says: 'No more than maxUnavailable endpoints are in mid-roll at once because of a rollout.',
    page: 'docs/explanation/retries.md#batches',
    check: midRollStaysBounded,
  },
  'waves-wait-for-their-gate': {
    says: 'A wave begins only when the waves before it have converged and baked, and nothing of it is rolled unless the list still shows them converged.',
    page: 'docs/explanation/life-of-a-rollout.md#wave-by-wave',
    check: wavesWaitForTheirGate,
  },
  'rolls-stay-in-windows': {
    says: 'No roll forward is sent outside of the windows that bind it.',
    page: 'docs/triggers.md#careful-on-weekdays-from-9-to-17',
    check: rollsStayInWindows,
  },
  'nothing-goes-forward-again': {
    says: 'On the way back nothing is rolled forward any more.',
    page: 'docs/explanation/failures.md#rollback',
    check: goesForwardAgain,
  },
  'asked-is-known': {
    says: 'The record of a rollout that waits says for what and until when, and it is in the ledger before anything gives way to the rollout.',
    page: 'docs/explanation/life-of-a-rollout.md#it-opens',
    check: askedIsKnown,
  },
  'begun-waits-for-nothing': {
    says: 'The phase of a rollout is waiting only as long as it has not begun.',
    page: 'docs/watching.md#for-programs',
    check: begunWaitsForNothing,
  },
  'closes-once': {
    says: 'Close rollout writes the outcome once and gives the lease back.',
    page: 'docs/explanation/life-of-a-rollout.md#how-it-ends',
    check: closesOnce,
  },
  'tells-in-order': {
    says: 'Every rollout that was accepted has one Rollout Ended, which is its last event.',
    page: 'docs/events.md#what-you-can-rely-on',
    check: tellsInOrder,
  },
  'success-is-proven': {
    says: 'Converged needs two consecutive complete reads in which the target, live and desired versions are equal and the replicas, if the service shows them, are at least one.',
    page: 'docs/explanation/stale-reads.md#converged',
    check: successIsProven,
  },
  'superseded-is-left': {
    says: 'An endpoint that somebody else moved is left alone: its target is neither the old nor the desired version, or, when the target does not tell, its live version is neither of them.',
    page: 'docs/explanation/stale-reads.md#what-settles-each-state',
    check: supersededIsLeft,
  },
  'rollback-is-exact': {
    says: 'Every endpoint that may have been rolled goes to the version that the first plan recorded.',
    page: 'docs/explanation/failures.md#rollback',
    check: rollbackIsExact,
  },
  'effort-is-bounded': {
    says: 'No endpoint gets more than two rolls in one direction that may have been carried out, and none is asked to stop more than three times.',
    page: 'docs/explanation/retries.md#what-is-never-written',
    check: effortIsBounded,
  },
  'writes-follow-a-read': {
    says: 'No write follows a read that failed.',
    page: 'docs/explanation/retries.md#what-is-never-written',
    check: writesFollowARead,
  },
  'nothing-is-lowered': {
    says: 'No endpoint is taken below a version that the plan did not know.',
    page: 'docs/explanation/retries.md#what-is-never-written',
    check: nothingIsLowered,
  },
  'tokens-name-one-roll': {
    says: 'All rolls with the same token are rolls of one endpoint to one version.',
    page: 'docs/services.md#what-differs-by-ability',
    check: tokensNameOneRoll,
  },
};

export function violationsOf(trace: Trace): string[] {
  return violations(INVARIANTS, trace);
}

export function violations<T>(promises: Promises<(trace: T) => string[]>, trace: T): string[] {
  return Object.entries(promises).flatMap(([id, promise]) =>
    promise.check(trace).map((violation) => describeViolation(id, promise, violation)),
  );
}

function writesStayInPlan({ calls, record }: Trace): string[] {
  const planned = new Set(record?.plan?.endpoints.map(({ endpointId }) => endpointId));
  return calls
    .filter(isWrite)
    .filter(({ endpointId }) => !planned.has(endpointId))
    .map(({ operation, endpointId }) => `${operation} of ${endpointId}, which is not in the plan`);
}

/** The call just before a stop is a complete read, and that read shows an older live version. */
function stopsFollowTheirRead({ calls, record }: Trace): string[] {
  const desired = record?.request.desiredVersion;
  return calls.flatMap((call, index) => {
    if (call.operation !== 'stop') return [];
    const before = calls[index - 1];
    if (before?.operation !== 'list' || before.endpoints === null) {
      return [`${call.endpointId} was stopped without a read for it`];
    }
    const seen = byId(before.endpoints).get(call.endpointId);
    return seen === undefined || seen.liveVersion === desired
      ? [`${call.endpointId} was stopped, and the read before showed version ${seen?.liveVersion}`]
      : [];
  });
}

/** Neither an answer to a roll is evidence, nor what a list may have shown before it. */
function stopsHaveEvidence({ calls, record }: Trace): string[] {
  if (record?.plan == null) return [];
  const { statuses } = record.request.policy;
  const way = wayOf(record, false);
  return calls.flatMap((call, index) => {
    const planned = way.get(call.operation === 'stop' ? call.endpointId : '');
    if (planned === undefined) return [];
    const lists = listsSinceRoll(calls.slice(0, index), planned, record);
    const last = byId(lists.at(-1)?.endpoints ?? []).get(planned.endpointId);
    const hasFailed =
      last !== undefined &&
      isFailed(last, statuses) &&
      lists.some((list) => isHaleIn(list, planned, statuses));
    return hasFailed || lists.some((list) => isMovingAnew(list, planned))
      ? []
      : [`${planned.endpointId} was stopped, and no list had shown its roll`];
  });
}

/** A roll to another version than the desired one goes to the recorded previous one, and was rolled before. */
function rollbackIsExact({ calls, record, turnedAt }: Trace): string[] {
  const previous = new Map(
    record?.plan?.endpoints.map(({ endpointId, previousVersion }) => [endpointId, previousVersion]),
  );
  // A step that died after it had noted a roll may have sent it.
  const rolled = new Set(
    record?.journal.flatMap(({ operation, result, endpointId }) =>
      operation === 'roll' && result === 'intended' ? [endpointId] : [],
    ),
  );
  return calls.filter(isWrite).flatMap((call) => {
    if (record === null || !isRollBack(call, record, turnedAt)) {
      if (call.operation === 'roll') rolled.add(call.endpointId);
      return [];
    }
    const { endpointId, version } = call;
    if (!rolled.has(endpointId)) return [`${endpointId} was rolled back and never rolled`];
    return previous.get(endpointId) === version
      ? []
      : [`${endpointId} was rolled back to ${version}, it had ${previous.get(endpointId)}`];
  });
}

/** What is shown as waiting has not begun. */
function begunWaitsForNothing({ record }: Trace): string[] {
  return record !== null &&
    record.progress !== null &&
    (record.opening !== null || record.wait?.wave === null)
    ? [`it is in a wave, and waits to begin: ${record.wait?.of}`]
    : [];
}

/** From the first wait to the end the ledger has it, lists it, and says what it waits for. */
function askedIsKnown({ asked, isListed, outcome, states }: Trace): string[] {
  const hasWaited = states.some(isOpeningState);
  if (asked === null) {
    // What is interrupted before its first step leaves no record.
    const hasEnded = outcome !== null && outcome.reason !== 'Interrupted';
    return hasWaited || hasEnded ? ['nobody knows it'] : [];
  }
  const isWaiting = isOpeningState(states.at(-1)) && asked.outcome === null;
  const { lookAt = 0, until = null } = asked.wait ?? {};
  return [
    ...(isListed ? [] : ['it is not listed']),
    ...(isWaiting && asked.wait === null ? ['it waits, and nobody knows for what'] : []),
    ...(isWaiting && until !== null && until < lookAt - LONGEST_WAIT_MS
      ? ['it waits until a time that is long over']
      : []),
    ...(asked.outcome !== null && (asked.wait ?? asked.opening) !== null
      ? ['it has ended, and waits']
      : []),
  ];
}

/** A look may come so much later than the end of a wait. */
const LONGEST_WAIT_MS = 3_600_000;

function closesOnce({ calls, asked: record, outcome, states }: Trace): string[] {
  if (outcome === null) {
    const isClosed = calls.some(({ operation }) => operation === 'close');
    return isClosed && calls.at(-1)?.operation !== 'close' ? ['it went on after its close'] : [];
  }
  const isSuccess = outcome.outcome === 'Succeeded';
  const lastState = states.at(-1);
  return [
    ...(isSuccess === (lastState === 'Rollout succeeded')
      ? []
      : [`${outcome.outcome}, and the execution ended in ${lastState}`]),
    ...(record === null || isDeepStrictEqual(record.outcome, outcome)
      ? []
      : ['the ledger holds another outcome']),
    ...(record !== null && calls.at(-1)?.operation !== 'close'
      ? ['it went on after its close']
      : []),
  ];
}

/** Each event once, in the order of the ids, and the end last, as the ledger has it. */
function tellsInOrder({ told, asked: record, outcome }: Trace): string[] {
  const ids = told.map(({ eventId }) => eventId);
  const disorder = ids.filter((id, index) => index > 0 && id <= (ids[index - 1] ?? ''));
  const last = told.at(-1);
  const isEndTold = last?.kind === 'ended' && last.outcome === record?.outcome?.outcome;
  const mayBeUntold = outcome === null || record === null || record.unsent.length > 0;
  return [
    ...disorder.map((id) => `${id} was told out of order`),
    ...(isEndTold || mayBeUntold ? [] : ['its end was not told']),
  ];
}

/**
 * The last two complete reads show every endpoint of the plan live on the desired version. A list without most of the
 * fleet counts as one that cannot be read.
 */
function successIsProven({ calls, record, outcome }: Trace): string[] {
  const plan = record?.plan;
  if (!plan || outcome?.outcome !== 'Succeeded') return [];
  const { policy } = record.request;
  const reads = calls.filter(isList).filter((read) => isWhole(read, { plan }));
  const isProven = reads
    .slice(-2)
    .every((read) => wavesWithoutPinned(record).every((wave) => allConverged(read, wave, policy)));
  return isProven ? [] : ['the last two reads do not show it'];
}

/**
 * The last list shows it, or two in a row have shown it once: what only the list of a batch shows keeps that batch from
 * writing. What was seen of an endpoint before its wave began, and is no more by then, does not count.
 */
function supersededIsLeft({ calls, record, turnedAt }: Trace): string[] {
  const plan = record?.plan;
  if (!plan) return [];
  const planned = wayOf(record, false);
  const back = wayOf(record, true);
  const shown = new Set<string>();
  const lost = new Set<string>();
  const waves = plan.waves.map(({ from, to }) => plan.endpoints.slice(from, to));
  const waveOf = new Map(waves.flatMap((wave) => wave.map(({ endpointId }) => [endpointId, wave])));
  const begun = new Set<string>();
  const note = (at: number) => (endpoint: Endpoint) => {
    const { id, targetVersion } = endpoint;
    const isSentBack = turnedAt !== null && at >= turnedAt;
    const goesBack = isSentBack && targetVersion === back.get(id)?.desiredVersion;
    if (!goesBack && isForeign(endpoint, planned.get(id))) {
      if (shown.has(id)) lost.add(id);
      shown.add(id);
    } else {
      shown.delete(id);
      if (!begun.has(id)) lost.delete(id);
    }
  };
  return calls.flatMap((call) => {
    if (isList(call)) call.endpoints?.forEach(note(call.at));
    if (!isWrite(call)) return [];
    if (!begun.has(call.endpointId)) {
      for (const { endpointId } of waveOf.get(call.endpointId) ?? []) begun.add(endpointId);
    }
    return lost.has(call.endpointId) || shown.has(call.endpointId)
      ? [`${call.operation} of ${call.endpointId} after somebody else had moved it`]
      : [];
  });
}

/** A roll below what the last list showed goes to the version of before, or the plan knew what is there. */
function nothingIsLowered({ calls, record }: Trace): string[] {
  const planned = record === null ? new Map() : wayOf(record, false);
  let shown: ReadonlyMap<string, Endpoint> = new Map();
  return calls.flatMap((call) => {
    if (isList(call) && call.endpoints !== null) {
      shown = byId(call.endpoints);
    }
    if (call.operation !== 'roll') return [];
    const { endpointId, version = 0 } = call;
    const { previousVersion, previousTarget } = planned.get(endpointId) ?? {};
    const known = record?.request.policy.allowDowngrade ? [previousVersion, previousTarget] : [];
    const one = shown.get(endpointId);
    const isHigher = (each: number | null = null) =>
      Number(each) > version && !known.includes(each) && previousVersion !== version;
    return isHigher(one?.liveVersion) || isHigher(one?.targetVersion)
      ? [`${endpointId}, at ${one?.liveVersion} to ${one?.targetVersion}, is taken to ${version}`]
      : [];
  });
}

const MAX_STOPS = 3;

/** It is asked about again, and another judge looks how often. */
function isNoForNow(
  calls: Trace['calls'],
  { answer = '', endpointId, at }: Pick<WriteCall, 'answer' | 'endpointId' | 'at'>,
): boolean {
  const isAtWork = answer === 'UpstreamRejected' && wasAtWork(calls, endpointId, at);
  return MAY_PASS.has(answer) || isAtWork;
}

function effortIsBounded({ calls, record, turnedAt }: Trace): string[] {
  const counts = new Map<string, number>();
  const tokens = new Set<string>();
  for (const call of calls.filter(isWrite)) {
    const { operation, endpointId, version, token, answer = '', at } = call;
    if (isFree(calls, { operation, answer, endpointId, at })) continue;
    // However often a roll with a token is sent, it is carried out only once.
    if (token !== undefined && tokens.has(token)) continue;
    if (token !== undefined) tokens.add(token);
    const way = record !== null && isRollBack(call, record, turnedAt) ? 'roll back' : operation;
    const key = `${way} of ${endpointId}${version === undefined ? '' : ` to ${version}`}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].flatMap(([key, count]) =>
    count > (key.startsWith('roll') ? MAX_ROLLS : MAX_STOPS) ? [`${count} times ${key}`] : [],
  );
}

/** Of stops, those count that were refused, unless nobody was let in. */
function isFree(
  calls: Trace['calls'],
  write: Pick<WriteCall, 'operation' | 'answer' | 'endpointId' | 'at'>,
): boolean {
  return write.operation === 'roll' ? isNoForNow(calls, write) : write.answer === 'UpstreamAuth';
}

/** A token stands for one roll of one endpoint to one version, and has the form that services ask for. */
function tokensNameOneRoll({ calls }: Trace): string[] {
  const rolls = new Map<string, string>();
  return calls.filter(isWrite).flatMap(({ endpointId, version, token }) => {
    if (token === undefined) return [];
    const roll = `${endpointId} to ${version}`;
    const before = rolls.get(token) ?? roll;
    rolls.set(token, roll);
    const isForm = token.length >= 33 && token.length <= 256 && TOKEN.test(token);
    return isForm && before === roll ? [] : [`${token} of ${roll}, and of ${before}`];
  });
}

const TOKEN = /^[a-zA-Z0-9](-*[a-zA-Z0-9])*$/;

function writesFollowARead({ calls }: Trace): string[] {
  let read: ListCall | undefined;
  return calls.flatMap((call) => {
    if (isList(call)) read = call;
    return isWrite(call) && !read?.endpoints ? [blindly(call)] : [];
  });
}

function blindly({ operation, endpointId }: WriteCall): string {
  return `${operation} of ${endpointId} after a read that failed`;
}
