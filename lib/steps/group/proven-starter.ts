import type { AskedRequest, StartedBy } from '../../domain/rollout/request.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { findRecord } from '../io/record.ts';
import { childrenOf } from './children.ts';

/**
 * The request of an execution that nobody has recorded before it began. Whoever may start one says in its input who
 * started it, so that is believed only of a child whose group knows it. A trigger is recorded before its execution, and
 * its request is found in the ledger. All others are a person, by a name that is only said, and at the time at which the
 * execution began.
 */
export async function asProven(
  request: AskedRequest,
  startTime: number,
  ledger: Pick<Ledger, 'read'>,
): Promise<AskedRequest> {
  const { parent, group, ...alone } = request;
  if (parent !== undefined && (await hasChild(parent, request.rolloutId, ledger))) return request;
  const { name, reason } = request.startedBy;
  const startedBy: StartedBy = {
    ...{ kind: 'person', name, at: startTime },
    ...(reason !== undefined && { reason }),
  };
  return { ...alone, startedBy };
}

/** A group notes the roll of a runtime before it starts the child. */
async function hasChild(
  parent: string,
  rolloutId: string,
  ledger: Pick<Ledger, 'read'>,
): Promise<boolean> {
  const record = await findRecord(parent, ledger);
  if (record === null) return false;
  const ids = (['forward', 'back'] as const).flatMap((direction) => [
    ...childrenOf(record, direction).values(),
  ]);
  return ids.includes(rolloutId);
}
