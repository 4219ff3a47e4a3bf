import type { RolloutInput } from '../../../lib/contract/flow/rollout-input.ts';
import { listFates } from '../../../lib/domain/ending/fate.ts';
import { ErrorName, errorNameOf } from '../../../lib/domain/errors.ts';
import type { Outcome } from '../../../lib/domain/rollout/outcome.ts';
import type { RolloutPolicy, Tolerance } from '../../../lib/domain/rollout/policy.ts';
import type { AskedRollout } from '../../../lib/domain/rollout/record.ts';
import { LATEST } from '../../../lib/domain/rollout/request.ts';
import { isWrite } from '../../../lib/rehearsal/calls.ts';
import { createRandom, type Random } from '../../../lib/rehearsal/random.ts';
import { tellChildren } from '../../../lib/steps/group/children.ts';
import { type GroupScript, type GroupStage, onGroupStage } from '../../support/group-stage.ts';

/** What a random release of a group met, and what it did that no group may do. */
export interface SimulatedRelease {
  readonly seed: number;
  /** One version for all, one for each runtime, or the latest one of each. */
  readonly asked: 'one' | 'own' | 'latest';
  readonly runtimes: number;
  /** Runtimes that the version breaks, if it reaches them. */
  readonly bad: number;
  readonly wasKilled: boolean;
  readonly outcome: string;
  /** Runtimes that the version reached and broke. */
  readonly lost: number;
  /** Runtimes whose own rollouts were refused. */
  readonly refused: number;
  /** The most runtimes that were in mid-roll or lost at the same time. */
  readonly mostAtRisk: number;
  /** The same on the way back, of the runtimes that had succeeded. */
  readonly mostAtRiskBack: number;
  /** The most that may be. */
  readonly promised: number;
  readonly wentBack: boolean;
  /** Promises that were broken, each in a sentence. */
  readonly violations: readonly string[];
}

const MOST_RUNTIMES = 100;

/** Releases a random version to a random group, in virtual time. The same seed always gives the same release. */
export function simulateRelease(seed: number): Promise<SimulatedRelease> {
  const random = createRandom(seed);
  const runtimes = Array.from(
    { length: random.integer(2, MOST_RUNTIMES) },
    (_, index) => `tenant-${index + 1}`,
  );
  const asked = random.pick(['one', 'one', 'own', 'latest'] as const);
  const targets = Object.fromEntries(
    runtimes.map((id) => [id, asked === 'one' ? 2 : random.integer(2, 9)]),
  );
  const badShare = random.pick([0, 0.02, 0.1, 0.5, 1, 1]);
  const bad = runtimes.filter(() => random.chance(badShare));
  /** The share of runtimes in which the version before is broken by now. */
  const unreturning = random.pick([0, 0, 0, 0.05, 0.3]);
  const failureThreshold = drawThreshold(random);
  const maxAtRisk = random.pick([1, 1, 1, 2, 5, 20]);
  const script: GroupScript = {
    runtimes,
    endpoints: random.integer(1, 2),
    rollSeconds: random.integer(1, 60),
    ...(asked === 'latest' && { versions: listed(targets) }),
    faults: [
      ...bad.map((runtime) => faultOf(runtime, targets[runtime] ?? 2, random)),
      ...runtimes
        .filter(() => random.chance(unreturning))
        .map((runtime) => faultOf(runtime, 1, random)),
    ],
    policy: {
      maxAtRisk,
      onFailure: random.pick(['hold', 'roll-back', 'roll-back']),
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
  const plans: Plans = {
    wanted: wantedOf(asked, targets),
    killsAfter: random.chance(0.3) ? random.integer(1, 400) : null,
    abortsAfter: random.chance(0.2) ? random.integer(1, 1_000) : null,
    onAbort: random.pick(['hold', 'roll-back', 'roll-back']),
    empties: drawEmpties(runtimes, createRandom(seed + EMPTIES)),
  };
  return onGroupStage(script, async (stage) => {
    const { outcome, wasKilled } = await release(stage, plans);
    const ends = [...(await stage.children(RELEASE)).values()];
    const lost = ends.filter((child) => child.outcome?.outcome !== 'Succeeded').length;
    const refused = ends.filter((child) => child.outcome?.outcome === 'Refused').length;
    const promised = Math.max(maxAtRisk, toleratedOf(failureThreshold, runtimes.length) + 1);
    const [mostAtRisk, mostAtRiskBack] = [stage.mostAtRisk(), stage.mostAtRiskBack()];
    const violations = [
      ...(mostAtRisk > promised ? [`${mostAtRisk} runtimes were in mid-roll or lost`] : []),
      ...(mostAtRiskBack > promised ? [`${mostAtRiskBack} were so on the way back`] : []),
      ...(await judgeForward(stage, targets)),
      ...(await judgeWayBack(stage, outcome)),
      ...(await judgeRefused(stage, outcome)),
    ];
    const wentBack = stage.turnedAt() !== null;
    return {
      ...{ seed, asked, runtimes: runtimes.length, bad: bad.length, wasKilled },
      outcome: outcome.outcome,
      ...{ lost, refused, mostAtRisk, mostAtRiskBack, promised, wentBack, violations },
    };
  });
}

function wantedOf(
  asked: SimulatedRelease['asked'],
  versions: Readonly<Record<string, number>>,
): Partial<RolloutInput> {
  if (asked === 'own') return { versions };
  return { version: asked === 'latest' ? LATEST : 2 };
}

/** The versions that a service lists for each runtime: the one before, and the one to go to. */
function listed(targets: Readonly<Record<string, number>>): Record<string, object[]> {
  const rows = Object.entries(targets).map(([id, version]) => [id, [{ version: 1 }, { version }]]);
  return Object.fromEntries(rows);
}

/** A runtime whose rollout has succeeded is on its version, unless the group went back. No runtime goes elsewhere. */
async function judgeForward(
  stage: GroupStage,
  targets: Readonly<Record<string, number>>,
): Promise<string[]> {
  const rolled = [...(await stage.children(RELEASE)).entries()];
  return rolled.flatMap(([runtimeId, { outcome }]) => {
    const hasSucceeded = outcome?.outcome === 'Succeeded' && stage.turnedAt() === null;
    const allowed = hasSucceeded ? [targets[runtimeId]] : [1, targets[runtimeId]];
    const elsewhere = stage
      .liveVersions(runtimeId)
      .filter((live) => live !== null && !allowed.includes(live));
    return elsewhere.map((live) => `${runtimeId} is at ${live} in the place of ${allowed.at(-1)}`);
  });
}

/**
 * A runtime whose way back has succeeded is where its own plan found it, and when the group says that it is back, all
 * of them are. Once the group has turned around, no child forward begins, and none of them rolls on.
 */
async function judgeWayBack(stage: GroupStage, { cleanup }: Outcome): Promise<string[]> {
  const turnedAt = stage.turnedAt();
  if (turnedAt === null) return [];
  const violations: string[] = [];
  const back = await stage.waysBack(RELEASE);
  for (const [runtimeId, forward] of await stage.children(RELEASE)) {
    if (forward.startedAt > turnedAt) violations.push(`${runtimeId} began after the turn`);
    const versions = new Map(
      stage.world.read(runtimeId).map(({ id, liveVersion }) => [id, liveVersion]),
    );
    if (forward.outcome?.outcome === 'Refused') continue;
    const isBack = back.get(runtimeId)?.outcome?.outcome === 'Succeeded';
    if (cleanup === 'rolledBack' && !isBack) violations.push(`${runtimeId} was left out`);
    if (!isBack) continue;
    const lost = notBack(forward, versions);
    violations.push(...lost.map((id) => `${id} of ${runtimeId} is at ${versions.get(id)}`));
  }
  const late = stage.calls.filter(
    (call) => isWrite(call) && (call.version ?? 1) !== 1 && call.at > turnedAt + IN_FLIGHT_MS,
  );
  return [...violations, ...late.map(({ at }) => `rolled forward at ${at}`)];
}

/** A runtime whose own rollout was refused was not rolled: it is told so, has no way back, and makes no version bad. */
async function judgeRefused(stage: GroupStage, { failure }: Outcome): Promise<string[]> {
  const back = await stage.waysBack(RELEASE);
  const children = [...(await stage.children(RELEASE)).entries()];
  const hasFailed = children.some(([, { outcome }]) => outcome?.failure === 'bad');
  const fates = new Map(
    listFates(await stage.ledger.read(RELEASE)).map(({ endpointId, fate }) => [endpointId, fate]),
  );
  return children.flatMap(([runtimeId, { outcome }]) => {
    if (outcome?.outcome !== 'Refused') return [];
    const fate = fates.get(runtimeId);
    return [
      ...(fate === 'refused' ? [] : [`${runtimeId} was refused, and is told as ${fate}`]),
      ...(back.has(runtimeId) ? [`${runtimeId} was refused, and has a way back`] : []),
      ...(failure === 'bad' && !hasFailed ? [`${runtimeId} was refused, and is bad`] : []),
    ];
  });
}

/** Endpoints that do not serve the version that the plan of their rollout recorded, and were not stopped. */
function notBack(
  { plan, journal }: AskedRollout,
  versions: ReadonlyMap<string, number | null>,
): string[] {
  const stops = journal.filter(({ operation }) => operation === 'stop');
  const stopped = new Set(stops.map(({ endpointId }) => endpointId));
  return (plan?.endpoints ?? []).flatMap(({ endpointId, previousVersion }) =>
    stopped.has(endpointId) || versions.get(endpointId) === previousVersion ? [] : [endpointId],
  );
}

/** A write that was on its way when the group turned around may still arrive. */
const IN_FLIGHT_MS = 10_000;

function faultOf(runtime: string, version: number, random: Random): object {
  return { runtime, endpoint: 'endpoint-01', version, ...random.pick(FAULTS) };
}

/** What happens to a release, in seconds after its start. `null`: it does not happen. */
interface Plans {
  readonly wanted: Partial<RolloutInput>;
  readonly killsAfter: number | null;
  readonly abortsAfter: number | null;
  readonly onAbort: 'hold' | 'roll-back';
  /** The endpoints of these runtimes are stopped, so that their own rollouts are refused if they have not begun. */
  readonly empties: readonly { readonly runtimeId: string; readonly after: number }[];
}

/** A stream of its own. */
const EMPTIES = 1_000_000;

function drawEmpties(runtimes: readonly string[], random: Random): Plans['empties'] {
  if (!random.chance(0.4)) return [];
  const some = runtimes.filter(() => random.chance(0.1));
  return some.map((runtimeId) => ({ runtimeId, after: random.integer(1, 300) }));
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

/** A process that was killed is resumed some minutes later. An abort is told to the children at once. */
async function release(
  stage: GroupStage,
  { wanted, killsAfter, abortsAfter, onAbort, empties }: Plans,
) {
  const first = stage.createProcess();
  const running = first.run(RELEASE, wanted);
  const end = running.then(
    () => true,
    () => true,
  );
  const isOverAfter = (seconds: number) =>
    Promise.race([end, stage.time.sleep(seconds * 1000).then(() => false)]);
  const aborting = (async () => {
    if (abortsAfter === null || (await isOverAfter(abortsAfter))) return;
    const at = stage.time.now();
    const abort = {
      kind: 'abort',
      at,
      wave: null,
      onFailure: onAbort,
      by: '',
      reason: '',
    } as const;
    try {
      await stage.ledger.signal(RELEASE, abort);
      await tellChildren(abort, await stage.ledger.read(RELEASE), {
        ledger: stage.ledger,
        clock: stage.time,
      });
    } catch (error) {
      if (errorNameOf(error) !== ErrorName.RolloutClosed) throw error;
    }
  })();
  const emptying = empties.map(async ({ runtimeId, after }) => {
    if (await isOverAfter(after)) return;
    if ((await stage.children(RELEASE)).has(runtimeId)) return;
    for (const { id } of stage.world.read(runtimeId)) stage.world.stop(runtimeId, id);
  });
  let wasKilled = false;
  if (killsAfter !== null && !(await isOverAfter(killsAfter))) {
    wasKilled = true;
    first.kill();
    await end;
    await stage.time.sleep(300_000);
  }
  const outcome = await (wasKilled ? stage.createProcess().run(RELEASE, wanted) : running);
  await Promise.all([aborting, ...emptying]);
  return { outcome, wasKilled };
}

function drawThreshold(random: Random): Tolerance {
  return random.pick([{ endpoints: 0 }, { endpoints: 0 }, { endpoints: 2 }, { percent: 10 }]);
}

function toleratedOf(threshold: Tolerance, runtimes: number): number {
  return 'endpoints' in threshold
    ? threshold.endpoints
    : Math.floor((threshold.percent * runtimes) / 100 + 1e-9);
}
