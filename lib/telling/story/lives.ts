import type { JournalEntry, WriteOperation } from '../../domain/endpoint/journal.ts';
import type { Observation } from '../../domain/endpoint/observation.ts';
import type { RolloutPlan } from '../../domain/rollout/plan.ts';
import { type AskedRollout, progressOn } from '../../domain/rollout/record.ts';

/**
 * What can happen to an endpoint in a rollout.
 * - `requested`, `back-requested`: the service was asked to roll it, or to roll it back.
 * - `refused`: the service refused its roll, or the rollout of the runtime was refused.
 * - `stopped`: it was stopped.
 * - `back`: it is on its previous version again.
 * - The others are what a read of the list showed first.
 */
export const MOMENT_KINDS = [
  'requested',
  'refused',
  'progressing',
  'converged',
  'failed',
  'missing',
  'reverted',
  'taken-back',
  'superseded',
  'stopped',
  'back-requested',
  'back',
] as const;

export interface LifeMoment {
  readonly kind: (typeof MOMENT_KINDS)[number];
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/**
 * What happened to each endpoint of the plan, in order, by its id: as far as the record knows. Of what reads have shown
 * in one direction it knows only the last change.
 */
export function listLives(record: AskedRollout): Map<string, readonly LifeMoment[]> {
  const { plan, rollback, journal } = record;
  const seenIn = (of: RolloutPlan | undefined | null) =>
    (of && progressOn(record, of)?.observations) ?? [];
  const forward = rollback?.seen ?? seenIn(plan);
  const back = new Map(
    seenIn(rollback?.plan).map((seen, place) => [
      rollback?.plan.endpoints[place]?.endpointId,
      seen,
    ]),
  );
  const lines = Map.groupBy(journal, ({ operation, endpointId }) => keyOf(operation, endpointId));
  return new Map(
    plan?.endpoints.map(({ endpointId }, place) => {
      const of = (operation: WriteOperation) => lines.get(keyOf(operation, endpointId)) ?? [];
      const stop = of('stop').findLast(({ result }) => result === 'accepted');
      const moments = [
        ...withReads(askedBy(of('roll'), 'requested'), forward[place]),
        ...(stop === undefined ? [] : [{ kind: 'stopped' as const, at: stop.at }]),
        ...withReads(askedBy(of('roll-back'), 'back-requested'), back.get(endpointId)).map(
          ({ kind, at }) => ({ kind: kind === 'converged' ? 'back' : kind, at }),
        ),
      ];
      return [endpointId, moments];
    }),
  );
}

function keyOf(operation: WriteOperation, endpointId: string): string {
  return `${operation} ${endpointId}`;
}

/** When the service was asked first, be it that nobody knows its answer. */
function askedBy(
  lines: readonly JournalEntry[],
  kind: 'requested' | 'back-requested',
): readonly LifeMoment[] {
  const last = lines.at(-1);
  const isOpen = last?.result === 'intended';
  const sent =
    lines.find(({ result }) => result === 'accepted' || result === 'unknown') ??
    (isOpen ? last : undefined);
  if (sent !== undefined) return [{ kind, at: sent.at }];
  return last?.result === 'rejected' ? [{ kind: 'refused', at: last.at }] : [];
}

/** A read says of an endpoint that was asked only that it was asked, and of a refused one that it has failed. */
function withReads(
  asked: readonly LifeMoment[],
  { state, changedAt, refused }: Partial<Observation> = {},
): readonly LifeMoment[] {
  if (state === undefined || changedAt === undefined) return asked;
  if (state === 'pending' || state === 'requested') return asked;
  const isRefused = state === 'failed' && asked.some(({ kind }) => kind === 'refused');
  if (isRefused) return asked;
  return [...asked, { kind: refused === undefined ? state : 'refused', at: changedAt }];
}
