import { runJobs } from '../adapters/machine/threads.ts';
import { errorMessageOf } from '../domain/errors.ts';
import { estimateRollout } from '../domain/planning/estimate.ts';
import { planRollout } from '../domain/planning/plan-rollout.ts';
import { createWorld } from '../simulation/world.ts';
import { type Drawing, drawFaults, type FaultLevel } from './draw-faults.ts';
import { type Rehearsal, type Rehearsed, rehearse } from './rehearse.ts';
import { type RehearsedRun, toRun } from './summary.ts';

/** Rehearsals of one rollout, each with faults of its own that are drawn from its seed. */
export interface RehearsalSeries {
  readonly rehearsal: Rehearsal;
  readonly drawing: Omit<Drawing, 'seed'>;
}

/** @param level How much goes wrong. */
export function seriesOf(rehearsal: Rehearsal, level: FaultLevel): RehearsalSeries {
  const { scenario, runtimeId, version, policy } = rehearsal;
  const fleet = scenario.runtimes.find(({ id }) => id === runtimeId)?.endpoints ?? [];
  const rolls = fleet.map(({ rollSeconds }) => rollSeconds).toSorted((one, other) => one - other);
  const rollSeconds = rolls[rolls.length >> 1] ?? 60;
  return {
    rehearsal,
    drawing: {
      level,
      endpoints: fleet.map(({ name }) => name),
      version,
      gates: policy.verify,
      horizonSeconds: horizonOf(rehearsal, rollSeconds),
      rollSeconds,
    },
  };
}

/** Faults of a rollout that is refused have to begin at some time, too. */
const LEAST_HORIZON_SECONDS = 60;

function horizonOf(
  { scenario, runtimeId, version, policy, startsAt }: Rehearsal,
  rollSeconds: number,
): number {
  const world = createWorld(scenario, () => 0);
  try {
    const { seconds } = estimateRollout(
      planRollout(
        world.read(runtimeId),
        { runtimeId, desiredVersion: version },
        policy,
        world.abilities,
      ),
      policy,
      rollSeconds,
      undefined,
      null,
      startsAt,
    );
    return Math.max(seconds, LEAST_HORIZON_SECONDS);
  } catch {
    return LEAST_HORIZON_SECONDS;
  }
}

/** The rehearsal of this seed, as it is one of many. */
export function rehearseSeed(
  { rehearsal, drawing }: RehearsalSeries,
  seed: number,
): Promise<Rehearsed> {
  return rehearse(rehearsal, drawFaults({ ...drawing, seed }), seed);
}

export interface Chunk {
  readonly series: RehearsalSeries;
  readonly from: number;
  readonly count: number;
}

export async function rehearseChunk({ series, from, count }: Chunk): Promise<RehearsedRun[]> {
  const runs: RehearsedRun[] = [];
  for (let seed = from; seed < from + count; seed += 1) {
    const rehearsed = await rehearseSeed(series, seed).catch((cause: unknown) => {
      throw new Error(`The rehearsal of seed ${seed} broke off: ${errorMessageOf(cause)}`, {
        cause,
      });
    });
    runs.push(toRun(seed, rehearsed));
  }
  return runs;
}

interface ManyOptions {
  readonly runs: number;
  /** The seed of the first one; each of the others has the next one. */
  readonly seed: number;
  /** Called with how many are done. */
  readonly onProgress?: (done: number) => void;
  readonly signal?: AbortSignal;
}

/** In the package the command line is one file, with the thread's file beside it, as here. */
const THREAD = new URL(`thread${/\.\w+$/.exec(import.meta.url)?.[0]}`, import.meta.url);

/** So many are rehearsed before the next progress is told. */
const CHUNK = 25;

/** Rehearses many times on all processors, with the same result on any number. @throws the reason of the signal. */
export async function rehearseMany(
  series: RehearsalSeries,
  { runs, seed, onProgress, signal }: ManyOptions,
): Promise<readonly RehearsedRun[]> {
  const chunks = Array.from(
    { length: Math.ceil(runs / CHUNK) },
    (_, index): Chunk => ({
      series,
      from: seed + index * CHUNK,
      count: Math.min(CHUNK, runs - index * CHUNK),
    }),
  );
  let done = 0;
  const results = await runJobs({
    jobs: chunks,
    thread: THREAD,
    here: rehearseChunk,
    signal,
    onResult(chunk) {
      done += chunk.length;
      onProgress?.(done);
    },
  });
  return results.flat();
}
