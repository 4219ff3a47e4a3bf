import { toTime, toTimeOrNull } from '../../contract/event.ts';
import { describeScope, type Hold } from '../../domain/holds/hold.ts';

/** A hold as programs read it. */
export type ShownHold = ReturnType<typeof toShownHold>;

export function toShownHold({
  id,
  kind,
  scope,
  by,
  reason,
  at,
  until,
  underWay,
  after,
  lifted,
}: Hold) {
  return {
    id,
    kind,
    scope: describeScope(scope),
    runtimeId: scope.runtimeId ?? null,
    rolloutId: scope.rolloutId ?? null,
    endpointId: scope.endpointId ?? null,
    by,
    reason,
    at: toTime(at),
    until: toTimeOrNull(until),
    underWay: underWay ?? null,
    after: after ?? null,
    lifted: lifted === undefined ? null : { ...lifted, at: toTime(lifted.at) },
  };
}
