import type { Instant } from '../../domain/clock.ts';
import { describeNewer, endOvertaken } from '../../domain/ending/asked-to-end.ts';
import { withoutCleanup } from '../../domain/ending/conclude.ts';
import { isSettled, type NotBegun } from '../../domain/rollout/opening.ts';
import type { Outcome } from '../../domain/rollout/outcome.ts';
import { type AskedRollout, hasBegun } from '../../domain/rollout/record.ts';
import type { AskedRequest } from '../../domain/rollout/request.ts';
import { decideWithdrawn } from '../../domain/signals/signals.ts';
import {
  datedRequest,
  goesBefore,
  isAnotherNewer,
  isNewer,
  isStillWanted,
  type LatestRequest,
  mayLookAt,
  overtakerOf,
  secondsBehind,
} from '../../domain/turn/queue.ts';
import type { RecordPorts } from '../io/ports.ts';
import { publishRest } from '../io/publish.ts';
import { findRecord, signalsThatCount } from '../io/record.ts';
import {
  type Answer,
  type Condition,
  type Configured,
  GO,
  type Hindrance,
  hindrance,
  type Ready,
} from './condition.ts';

type LedgerPorts = Pick<RecordPorts, 'ledger' | 'clock'>;

export type Dated = Pick<AskedRequest, 'rolloutId' | 'runtimeId' | 'desiredVersion' | 'startedBy'> &
  Pick<Ready['request'], 'endpointUrl'>;

/**
 * No newer rollout of the runtime has begun, and none waits. Of those that wait only the newest one goes on, and the others
 * wait behind it: if it is refused, the next one goes. It is asked before anything is read of the service, so that they cost
 * it nothing, and those that wait go on one by one.
 *
 * A preview does not ask: whoever asks now is the newest one.
 */
export const inLine: Condition<Configured, { readonly inLine: Dated }> = {
  async ask({ request, ...waits }, ports) {
    const { ledger, clock } = ports;
    for (let pass = 0; pass < MOST_PASSES; pass += 1) {
      const now = clock.now();
      const before = await ledger.findLatestRequest(request);
      const answer = await lookForNewer(request, before, waits, ports);
      if (answer.decision !== 'go') return answer;
      const from = mayLookFrom(before, waits, request, now);
      const [wakesAt, lookedAt] = from > now ? [from, before?.lookedAt ?? null] : [now, now];
      const claim = { ...toLatestRequest(request, wakesAt), lookedAt };
      // Nobody has come in between who goes first.
      if (!(await ledger.recordLatestRequest(claim, now, before))) continue;
      if (from > now) return waitInLine(waits, TAKES_TURNS, (from - now) / 1000);
      return { decision: 'go', learnt: { inLine: request } };
    }
    return waitInLine(waits, TAKES_TURNS, AFTER_OTHERS_SECONDS);
  },
};

const MOST_PASSES = 5;
const AFTER_OTHERS_SECONDS = 5;
const TAKES_TURNS = 'Several rollouts of this runtime wait, and look one after the other.';

/** Whoever is alone looks at once. @param before The latest request so far. */
function mayLookFrom(
  before: LatestRequest | null,
  { wait, opening }: NotBegun,
  { rolloutId }: Dated,
  now: number,
): number {
  if (before === null || before.rolloutId === rolloutId || before.wakesAt === null) return now;
  const hasWaited = wait !== null && opening !== null && wait.lookAt > opening.lookedAt;
  return hasWaited || isStillWanted(before, now) ? mayLookAt(before) : now;
}

/** The same once its version is known: of two requests of the same time the one for the higher version is newer. */
export const newest: Condition<{ readonly request: Dated } & NotBegun, { readonly newest: Dated }> =
  {
    async ask({ request, ...waits }, ports) {
      const before = await ports.ledger.findLatestRequest(request);
      const answer = await lookForNewer(request, before, waits, ports);
      return answer.decision === 'go' ? { ...answer, learnt: { newest: request } } : answer;
    },
  };

async function lookForNewer(
  request: Dated,
  other: LatestRequest | null,
  waits: NotBegun,
  { ledger, clock }: LedgerPorts,
): Promise<Extract<Answer, { decision: 'go' | 'wait' | 'end' }>> {
  const now = clock.now();
  if (other === null) return GO;
  const known = await lookAtLatest(request, other, waits, { ledger, clock });
  if (known !== 'gone') return known;
  const waiting = await findWaiting(request, { ledger, clock });
  if (waiting === undefined) return GO;
  const behind = waitBehind(waiting, waits, now);
  return { ...behind, seconds: Math.min(UNHEARD_SECONDS, behind.seconds) };
}

/** Nobody hears what becomes of a rollout that is not the latest one, so somebody looks soon. */
const UNHEARD_SECONDS = 60;

/** What the latest request means for this one. `gone`: it is newer, and has not begun, and nobody waits for it any more. */
async function lookAtLatest(
  request: Dated,
  latest: LatestRequest,
  waits: NotBegun,
  { ledger, clock }: LedgerPorts,
): Promise<Extract<Answer, { decision: 'go' | 'wait' | 'end' }> | 'gone'> {
  const now = clock.now();
  const own = datedRequest(request);
  const overtaker = overtakerOf(latest, own, now);
  if (overtaker !== undefined) return { decision: 'end', ending: endOvertaken(overtaker) };
  if (!isAnotherNewer(latest, own)) return GO;
  if (!isStillWanted(latest, now)) return 'gone';
  if (latest.wakesAt === null) return { decision: 'end', ending: endOvertaken(latest) };
  const summary = await ledger.readSummary(latest.rolloutId);
  if (summary?.outcome == null) return waitBehind(latest, waits, now);
  // Whoever has closed it may have died before the rest.
  const record = await findRecord(latest.rolloutId, ledger);
  return record !== null && hasBegun(record)
    ? { decision: 'end', ending: endOvertaken(latest) }
    : 'gone';
}

/** So many rollouts of a runtime are looked through. */
const MOST_LOOKED_THROUGH = 100;

/** The latest request is gone, or has ended without having begun, and only that one was known: newer ones may wait. */
async function findWaiting(
  request: Dated,
  { ledger, clock }: LedgerPorts,
): Promise<LatestRequest | undefined> {
  const { runtimeId, endpointUrl } = request;
  const now = clock.now();
  const listed = await ledger.list({ runtimeId, limit: MOST_LOOKED_THROUGH });
  const newer = listed.flatMap(({ wait, outcome, ...other }) => {
    const isElsewhere = (other.endpointUrl ?? endpointUrl) !== endpointUrl;
    if (outcome !== null || wait === null || wait.wave !== null || isElsewhere) return [];
    const latest = { ...datedRequest(other), runtimeId, endpointUrl, wakesAt: wait.lookAt };
    return goesBefore(latest, datedRequest(request), now) ? [latest] : [];
  });
  return newer.toSorted((one, other) => (isNewer(one, other) ? -1 : 1))[0];
}

function waitBehind(other: LatestRequest, waits: NotBegun, now: Instant): Hindrance {
  const message = `${describeNewer(other)}, and has not begun: it waits for what becomes of that one.`;
  return waitInLine(waits, message, secondsBehind(other, now));
}

/** Whose version is not known yet has not begun to wait for its turn. */
function waitInLine(waits: NotBegun, message: string, seconds: number): Hindrance {
  return hindrance(isSettled(waits) ? 'turn' : 'start', message, seconds);
}

/**
 * Ends a rollout that was overtaken before its workflow has begun, as its first step would end it. `null`: it was not, or it
 * was told something, so the workflow has to look.
 */
export async function endIfOvertaken(
  request: Dated,
  ports: LedgerPorts & Pick<RecordPorts, 'events'>,
): Promise<Outcome | null> {
  const { ledger, clock } = ports;
  const before = await ledger.findLatestRequest(request);
  if (before === null) return null;
  const answer = await lookAtLatest(request, before, { wait: null, opening: null }, ports);
  if (answer === 'gone' || answer.decision !== 'end') return null;
  const { rolloutId } = request;
  const ended = withoutCleanup(answer.ending);
  const outcome = await ledger.withdraw(rolloutId, ended, clock.now(), []);
  if (outcome !== null) await publishRest(rolloutId, ports);
  return outcome;
}

/** @param wakesAt As in `LatestRequest`. */
export function toLatestRequest(request: Dated, wakesAt: number | null): LatestRequest {
  const { runtimeId, endpointUrl } = request;
  return { ...datedRequest(request), runtimeId, endpointUrl, wakesAt };
}

/** No person has aborted it. */
export const notWithdrawn: Condition<Pick<AskedRollout, 'signals'>> = {
  async ask({ signals }, ports) {
    const ending = decideWithdrawn(await signalsThatCount(signals, ports));
    return ending === null ? GO : { decision: 'end', ending };
  },
};
