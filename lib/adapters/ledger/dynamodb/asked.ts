import * as z from 'zod';
import { parseStored } from '../../../contract/ledger/envelope.ts';
import { toStoredRequest } from '../../../contract/ledger/records.ts';
import {
  HISTORY_INDEX,
  LISTED_IN_ALL,
  OPEN_AS,
  OPEN_INDEX,
} from '../../../contract/ledger/table.ts';
import type { AskedRequest } from '../../../domain/rollout/request.ts';
import type { Waiting } from '../../../domain/rollout/waiting.ts';
import { UNDERSTOOD } from '../../../domain/signals/signals.ts';
import { rolloutClosed, rolloutNotFound } from '../ledger-errors.ts';
import { findRollout, IS_OPEN, pack, rolloutIdOf, rolloutKey } from './items.ts';
import type { Table } from './table.ts';

/** Answers whether the rollout is new. */
export async function enlistRollout(
  table: Table,
  request: AskedRequest,
  waiting: Waiting,
  now: number,
): Promise<boolean> {
  const written = await table.update(rolloutKey(request.rolloutId), {
    expression: `SET runtimeId = :runtimeId, startedAt = :now, requestData = :request, understands = :understands, ${HISTORY_INDEX.key} = :all, ${OPEN_INDEX.key} = :asked`,
    condition: 'attribute_not_exists(pk)',
    values: {
      ':runtimeId': request.runtimeId,
      ':now': now,
      ':request': pack(toStoredRequest(request, waiting)),
      ':understands': UNDERSTOOD,
      ':all': LISTED_IN_ALL,
      ':asked': OPEN_AS.asked,
    },
  });
  return written !== null;
}

/** @throws `RolloutNotFound`, `RolloutClosed`. */
export async function saveWaiting(
  table: Table,
  request: AskedRequest,
  waiting: Waiting | null,
): Promise<void> {
  const { rolloutId } = request;
  const written = await table.update(rolloutKey(rolloutId), {
    expression: 'SET requestData = :request',
    condition: IS_OPEN,
    values: { ':request': pack(toStoredRequest(request, waiting)) },
  });
  if (written !== null) return;
  const isKnown = (await findRollout(table, rolloutId)) !== null;
  throw isKnown ? rolloutClosed(rolloutId) : rolloutNotFound(rolloutId);
}

export async function listWaiting(table: Table): Promise<readonly string[]> {
  const items = await table.listIndex({ index: OPEN_INDEX, value: OPEN_AS.asked });
  return parseStored(keys, items).map(rolloutIdOf);
}

const keys = z.array(z.object({ pk: z.string() }));
