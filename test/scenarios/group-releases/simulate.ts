import type { RolloutPolicy, Tolerance } from '../../../lib/domain/rollout/policy.ts';
import { createRandom, type Random } from '../../../lib/rehearsal/random.ts';
import { type GroupScript, type GroupStage, onGroupStage } from '../../support/group-stage.ts';

/** What a random release of a group met, and whether more was at risk than was promised. */
export interface SimulatedRelease {
  readonly seed: number;
  readonly runtimes: number;
  /** Runtimes that the version breaks, if it reaches them. */
  readonly bad: number;
  readonly wasKilled: boolean;
  readonly outcome: string;
  /** Runtimes that the version reached and broke. */
  readonly lost: number;
  /** The most runtimes that were in mid-roll or lost at the same time. */
  readonly mostAtRisk: number;
  /** The most that may be. */
  readonly promised: number;
}

const MOST_RUNTIMES = 100;

/** Releases a random version to a random group, in virtual time. The same seed always gives the same release. */
export function simulateRelease(seed: number): Promise<SimulatedRelease> {
  const random = createRandom(seed);
  const runtimes = Array.from(
    { length: random.integer(2, MOST_RUNTIMES) },
    (_, index) => `tenant-${index + 1}`,
  );
  const badShare = random.pick([0, 0.02, 0.1, 0.5, 1, 1]);
  const bad = runtimes.filter(() => random.chance(badShare));
  const failureThreshold = drawThreshold(random);
  const maxAtRisk = random.pick([1, 1, 1, 2, 5, 20]);
  const script: GroupScript = {
    runtimes,
    endpoints: random.integer(1, 2),
    rollSeconds: random.integer(1, 60),
    faults: bad.map((runtime) => ({
      runtime,
      endpoint: 'endpoint-01',
      version: 2,
      ...random.pick(FAULTS),
    })),
    policy: {
      maxAtRisk,
      failureThreshold,
      maxUnavailable: random.pick([{ percent: 33 }, { percent: 100 }, { endpoints: 3 }]),
      waves: random.pick(WAVES),
      maxPollSeconds: random.pick([30, 120]),
    },
    ofRuntimes: {
      onFailure: random.pick(['hold', 'stop-old', 'roll-back']),
      waves: [{ percent: 100 }],
      maxUnavailable: { percent: 100 },
    },
  };
  const killsAfter = random.chance(0.3) ? random.integer(1, 200) : null;
  return onGroupStage(script, async (stage) => {
    const { outcome, wasKilled } = await release(stage, killsAfter);
    const ends = [...(await stage.children(RELEASE)).values()];
    const lost = ends.filter((child) => child.outcome?.outcome !== 'Succeeded').length;
    return {
      seed,
      runtimes: runtimes.length,
      bad: bad.length,
      wasKilled,
      outcome,
      lost,
      mostAtRisk: stage.mostAtRisk(),
      promised: Math.max(maxAtRisk, toleratedOf(failureThreshold, runtimes.length) + 1),
    };
  });
}

const RELEASE = 'release-1';

const FAULTS = [
  { kind: 'fail' },
  { kind: 'fail' },
  { kind: 'refuse', httpStatus: 422 },
  { kind: 'stuck' },
];

const WAVES: readonly RolloutPolicy['waves'][] = [
  [{ endpoints: 1 }, { percent: 25 }, { percent: 100 }],
  [{ percent: 100 }],
  [{ percent: 10 }, { percent: 50 }, { percent: 100 }],
];

/** A process that was killed is resumed some minutes later. */
async function release(stage: GroupStage, killsAfter: number | null) {
  const first = stage.createProcess();
  const running = first.run(RELEASE, 2);
  let wasKilled = false;
  if (killsAfter !== null) {
    const end = running.then(
      () => true,
      () => true,
    );
    const isOver = await Promise.race([end, stage.time.sleep(killsAfter * 1000).then(() => false)]);
    if (!isOver) {
      wasKilled = true;
      first.kill();
      await end;
      await stage.time.sleep(300_000);
    }
  }
  const outcome = await (wasKilled ? stage.createProcess().run(RELEASE, 2) : running);
  return { outcome: outcome.outcome, wasKilled };
}

function drawThreshold(random: Random): Tolerance {
  return random.pick([{ endpoints: 0 }, { endpoints: 0 }, { endpoints: 2 }, { percent: 10 }]);
}

function toleratedOf(threshold: Tolerance, runtimes: number): number {
  return 'endpoints' in threshold
    ? threshold.endpoints
    : Math.floor((threshold.percent * runtimes) / 100 + 1e-9);
}
