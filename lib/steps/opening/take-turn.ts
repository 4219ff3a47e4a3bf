import { describeNewer, endOvertaken } from '../../domain/ending/asked-to-end.ts';
import { SteprollError } from '../../domain/errors.ts';
import type { Ending } from '../../domain/rollout/outcome.ts';
import { wasOpened } from '../../domain/rollout/record.ts';
import type { RolloutRequest } from '../../domain/rollout/request.ts';
import type { Waiting } from '../../domain/rollout/waiting.ts';
import {
  datedRequest,
  isNewer,
  isStillWanted,
  type LatestRequest,
  queueSeconds,
} from '../../domain/turn/queue.ts';
import { decideWindow } from '../../domain/turn/window.ts';
import type { RecordPorts } from '../frame/ports.ts';
import { findRecord } from '../frame/record.ts';
import { waitToOpen } from './wait-to-open.ts';

/** A rollout that may begin once it is its turn. */
export interface ReadyRollout {
  readonly request: RolloutRequest & { readonly endpointUrl: string };
  readonly waiting: Waiting | null;
}

/** Whether it is a rollout's turn, with regard to windows and newer requests. */
export type Turn =
  | { readonly next: 'open' }
  | { readonly next: 'queue'; readonly seconds: number }
  | { readonly next: 'close'; readonly ending: Ending };

/**
 * Whether a rollout that was not opened yet may be opened now. Of the rollouts that wait, only the newest one is ever
 * opened, whichever wakes up first. None is opened after a newer one that was opened meanwhile.
 *
 * @throws `OutsideWindow`
 */
export async function takeTurn(
  rollout: ReadyRollout,
  ports: Pick<RecordPorts, 'ledger' | 'clock'>,
): Promise<Turn> {
  const { request } = rollout;
  const { ledger, clock } = ports;
  const now = clock.now();
  const window = decideWindow(request.policy, now);
  if (window.decision === 'refuse') throw new SteprollError(window.error, window.message);
  const newest = await ledger.findLatestRequest(request);
  const isOvertaken = newest !== null && isOvertakenBy(newest, request, now);
  if (isOvertaken && !(await isGone(newest, now, ledger))) {
    // A rollout that should be awake by now is about to begin, or it is gone. The next look tells.
    const isAwake = newest.wakesAt !== null && now >= newest.wakesAt;
    if (!isAwake) return { next: 'close', ending: endOvertaken(newest) };
    const message = `${describeNewer(newest)}, and may begin any moment.`;
    const seconds = queueSeconds(0);
    return waitToOpen(rollout, { for: 'turn', message, seconds, until: null }, ports);
  }
  if (window.decision === 'go') return { next: 'open' };
  const { until, message } = window;
  const seconds = Math.ceil((until - now) / 1000);
  const answer = await waitToOpen(rollout, { for: 'window', message, seconds, until }, ports);
  await ledger.recordLatestRequest(
    { ...toLatestRequest(request), wakesAt: now + seconds * 1000 },
    now,
  );
  return answer;
}

export function toLatestRequest({
  rolloutId,
  runtimeId,
  endpointUrl,
  desiredVersion,
  startedBy,
}: ReadyRollout['request']): Omit<LatestRequest, 'wakesAt'> {
  return { rolloutId, runtimeId, endpointUrl, desiredVersion, at: startedBy.at };
}

function isOvertakenBy(newest: LatestRequest, request: RolloutRequest, now: number): boolean {
  const isOther = newest.rolloutId !== request.rolloutId;
  return isOther && isStillWanted(newest, now) && isNewer(newest, datedRequest(request));
}

/**
 * Whether the newer rollout was taken back or refused. It then overtakes nobody, and its request makes room for
 * others.
 */
async function isGone(
  newest: LatestRequest,
  now: number,
  ledger: RecordPorts['ledger'],
): Promise<boolean> {
  const record = await findRecord(newest.rolloutId, ledger);
  if (record === null || record.outcome === null || wasOpened(record)) return false;
  await ledger.recordLatestRequest({ ...newest, wakesAt: LONG_AGO }, now);
  return true;
}

const LONG_AGO = 0;
