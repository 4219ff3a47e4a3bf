import { describeNewer, endOvertaken } from '../../domain/ending/asked-to-end.ts';
import { withoutCleanup } from '../../domain/ending/conclude.ts';
import { whatPauses } from '../../domain/holds/what-holds.ts';
import type { Outcome } from '../../domain/rollout/outcome.ts';
import { type AskedRollout, wasOpened } from '../../domain/rollout/record.ts';
import type { AskedRequest } from '../../domain/rollout/request.ts';
import type { Waiting } from '../../domain/rollout/waiting.ts';
import { decideWithdrawn } from '../../domain/signals/signals.ts';
import {
  datedRequest,
  isNewer,
  isStillWanted,
  type LatestRequest,
  queueSeconds,
} from '../../domain/turn/queue.ts';
import type { RecordPorts } from '../frame/ports.ts';
import { publishRest } from '../frame/publish.ts';
import { findRecord, signalsThatCount } from '../frame/record.ts';
import {
  type Answer,
  type Condition,
  type Configured,
  GO,
  type Ready,
  type WithHolds,
} from './condition.ts';

type LedgerPorts = Pick<RecordPorts, 'ledger' | 'clock'>;

export type Dated = Pick<
  Ready['request'],
  'rolloutId' | 'runtimeId' | 'endpointUrl' | 'desiredVersion' | 'startedBy'
>;

/**
 * Nobody has asked for a newer rollout of the runtime. Of the rollouts that wait, only the newest one is ever opened,
 * whichever wakes up first. None is opened after a newer one that was opened meanwhile.
 *
 * A preview does not ask: whoever asks now is the newest one.
 */
export const newest: Condition<{ readonly request: Dated }> = {
  async ask({ request }, ports) {
    const answer = await lookForNewer(request, ports);
    return answer.decision === 'go' ? { ...answer, learnt: { newest: request } } : answer;
  },
};

/**
 * The same for one that waits with its lease for a window or the end of a freeze. Newer ones wait for that, too, before they
 * find the lease and ask it to give way. In a pause it gives way to nobody.
 */
export const stillNewest: Condition<
  WithHolds & { readonly request: Dated & AskedRequest; readonly waiting: Waiting | null }
> = {
  async ask({ request, waiting, holds }, ports) {
    const isCommon = waiting?.for === 'window' || waiting?.for === 'hold';
    const isPaused = whatPauses(request, holds, ports.clock.now()).length > 0;
    return isCommon && !isPaused ? lookForNewer(request, ports) : GO;
  },
};

async function lookForNewer(request: Dated, { ledger, clock }: LedgerPorts): Promise<Answer> {
  const now = clock.now();
  const other = await ledger.findLatestRequest(request);
  if (other === null || !isOvertakenBy(other, request, now)) return GO;
  if (await isGone(other, ledger)) {
    // Its request makes room for others, as if it had been awaited long ago.
    const gone = { ...other, wakesAt: 0 };
    return { decision: 'go', effect: () => ledger.recordLatestRequest(gone, now) };
  }
  // A rollout that should be awake by now is about to begin, or it is gone. The next look tells.
  const isAwake = other.wakesAt !== null && now >= other.wakesAt;
  if (!isAwake) return { decision: 'end', ending: endOvertaken(other) };
  const message = `${describeNewer(other)}, and may begin any moment.`;
  return { decision: 'wait', for: 'turn', message, seconds: queueSeconds(0), until: null };
}

/** The same before anything is read of the service, so that those that are overtaken cost it nothing. */
export const notOvertaken: Condition<Configured> = {
  async ask({ request }, ports) {
    const answer = await lookEarly(request, ports);
    return answer.decision === 'end' ? answer : GO;
  },
};

/**
 * Ends a rollout that was overtaken before its workflow has begun, as its first step would end it. `null`: it was not, or it
 * was told something, so the workflow has to look.
 */
export async function endIfOvertaken(
  request: AskedRequest & Pick<Dated, 'endpointUrl'>,
  ports: LedgerPorts & Pick<RecordPorts, 'events'>,
): Promise<Outcome | null> {
  const answer = await lookEarly(request, ports);
  if (answer.decision !== 'end') return null;
  const { ledger, clock } = ports;
  const { rolloutId } = request;
  const ended = withoutCleanup(answer.ending);
  const outcome = await ledger.withdraw(rolloutId, ended, clock.now(), 0);
  if (outcome !== null) await publishRest(rolloutId, ports);
  return outcome;
}

function lookEarly(
  request: Omit<Dated, 'desiredVersion'> & Pick<AskedRequest, 'desiredVersion'>,
  ports: LedgerPorts,
): Promise<Answer> {
  // Of two requests of the same time the one for the higher version is newer, and this one may be for any.
  const desiredVersion = request.desiredVersion ?? Number.POSITIVE_INFINITY;
  return lookForNewer({ ...request, desiredVersion }, ports);
}

function isOvertakenBy(other: LatestRequest, request: Dated, now: number): boolean {
  const isOther = other.rolloutId !== request.rolloutId;
  return isOther && isStillWanted(other, now) && isNewer(other, datedRequest(request));
}

/** Whether the newer rollout was taken back or refused. It then overtakes nobody. */
async function isGone(
  { rolloutId }: LatestRequest,
  ledger: RecordPorts['ledger'],
): Promise<boolean> {
  const record = await findRecord(rolloutId, ledger);
  return record !== null && record.outcome !== null && !wasOpened(record);
}

/** @param wakesAt As in `LatestRequest`. */
export function toLatestRequest(request: Dated, wakesAt: number | null): LatestRequest {
  const { runtimeId, endpointUrl } = request;
  return { ...datedRequest(request), runtimeId, endpointUrl, wakesAt };
}

/** No person has aborted it, and no newer rollout waits for it to give way. */
export const notWithdrawn: Condition<Pick<AskedRollout, 'signals'>> = {
  async ask({ signals }, ports) {
    const ending = decideWithdrawn(await signalsThatCount(signals, ports));
    return ending === null ? GO : { decision: 'end', ending };
  },
};
