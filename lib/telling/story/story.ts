import type { Instant } from '../../domain/clock.ts';
import { type EndpointRow, listEndpointRows } from '../../domain/ending/fate.ts';
import { type AskedRollout, activePlan } from '../../domain/rollout/record.ts';
import { type Happening, listHappenings } from './happenings.ts';
import { type Phase, phaseOf } from './phase.ts';
import { timeOf } from './quiet.ts';
import { countWaves, type WaveCount } from './standing.ts';

/** A rollout as it is told at one moment. The live views, `show`, the lists and the console only draw it. */
export interface Story extends OfRecord {
  readonly record: AskedRollout;
  readonly now: Instant;
  /** Whether its process seems to be dead. */
  readonly isAbandoned: boolean;
  /** The time that counts for it. That of a dead process stands still since its last sign of life. */
  readonly at: Instant;
  readonly phase: Phase;
}

/** What follows from the record alone, so that it is found out once for all moments. */
interface OfRecord {
  /** The wave that it is in, in words: `Wave 2 of 3`, `Rollback`, or `Plan` while there is none. */
  readonly where: string;
  readonly waves: readonly WaveCount[];
  readonly rows: readonly EndpointRow[];
  readonly happenings: readonly Happening[];
}

/** @param isAbandoned Whether its process seems to be dead. @default false */
export function storyOf(record: AskedRollout, now: Instant, isAbandoned = false): Story {
  const at = timeOf(record, now, isAbandoned);
  return { ...partsOf(record), record, now, isAbandoned, at, phase: phaseOf(record, at) };
}

const known = new WeakMap<AskedRollout, OfRecord>();

function partsOf(record: AskedRollout): OfRecord {
  const parts = known.get(record) ?? {
    where: whereIn(record),
    waves: countWaves(record),
    rows: listEndpointRows(record),
    happenings: listHappenings(record),
  };
  known.set(record, parts);
  return parts;
}

function whereIn(record: AskedRollout): string {
  const { direction, waves } = activePlan(record) ?? { direction: 'forward', waves: [] };
  if (waves.length === 0) return 'Plan';
  // While it turns around, its progress is still that of the way forward.
  const wave = Math.min((record.progress?.wave ?? 0) + 1, waves.length);
  return direction === 'back' ? 'Rollback' : `Wave ${wave} of ${waves.length}`;
}
