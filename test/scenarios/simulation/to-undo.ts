import type { Endpoint } from '../../../lib/domain/endpoint/endpoint.ts';
import type { RolloutPolicy } from '../../../lib/domain/rollout/policy.ts';
import { Refusal } from '../../../lib/loopback/refusal.ts';
import { RUNTIME, type Run, type Stage } from '../../support/run-scenario.ts';
import { scenarioNow, scenarioTime, secondsSinceStart } from '../../support/scenario-time.ts';
import { UNDONE } from './fault-names.ts';
import type { Meanwhile, Ordeal } from './ordeal.ts';
import { guised } from './to-guise.ts';
import { hasEnded } from './to-releases.ts';

// Somebody undoes a rollout that has ended.

export interface Undone {
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** How the service showed the fleet just before. */
  readonly before: readonly Endpoint[];
  /** How it is an hour after its end. */
  readonly after: readonly Endpoint[];
  readonly run: Run;
}

interface Undoing extends Pick<Ordeal, 'people' | 'latencyMs' | 'undo' | 'guises'> {
  readonly policy: Partial<RolloutPolicy>;
}

export async function undo(
  { people, latencyMs, undo, guises, policy }: Undoing,
  stage: Stage,
  meet: (fault: string) => void,
): Promise<Undone | null> {
  if (undo === null) return null;
  const first = stage.world.read(RUNTIME);
  await stage.until(BESIDE_SECONDS);
  while (!(await hasEnded(stage))) {
    if (secondsSinceStart() > MOST_SECONDS) return null;
    await stage.until(secondsSinceStart() + (secondsSinceStart() < 1800 ? 10 : 600));
  }
  // What others do has happened by then.
  const last = people.map(({ atSecond }) => (typeof atSecond === 'number' ? atSecond : 0));
  await stage.until(Math.max(secondsSinceStart(), ...last));
  for (const act of undo.meanwhile) meddle(act, stage);
  await scenarioTime().sleep(undo.afterSeconds * 1000 + AFTER_MS);
  meet(UNDONE);
  // Guises of single reads are those of the rollout itself.
  const shown = (endpoints: readonly Endpoint[]) => guised(endpoints, 0, guises);
  const startedAt = scenarioNow();
  const before = shown(stage.world.read(RUNTIME));
  const run = await stage.start('undo', {
    input: { version: undefined, revert: 'rollout-1' },
    policy: { ...policy, ...HINDRANCES },
    latencyMs,
    gates: { alarm: async () => ({ verdict: 'fail', detail: '' }) },
    faults: { onList: (read, nth) => shown(nth > undo.oldReads ? read() : first) },
  });
  return { startedAt, before, after: stage.world.read(RUNTIME), run };
}

const MOST_SECONDS = 4 * 3600;

/** Whoever looks at the very moment at which a rollout ends sees it by chance. */
const BESIDE_SECONDS = 0.457;

/** Not at the very moment at which the rollout gives back the runtime. */
const AFTER_MS = 137;

/** What would keep a release from its beginning, and what would fail it. */
const HINDRANCES: Partial<RolloutPolicy> = {
  windows: [{ days: ['mon'], from: '04:00', to: '04:30', timeZone: 'UTC' }],
  freezes: [{ from: '2025-12-24T00:00', to: '2026-02-01T00:00', timeZone: 'UTC' }],
  bakeSeconds: 3600,
  verify: {
    probe: {
      path: '/healthz',
      status: 200,
      tries: 1,
      timeoutSeconds: 5,
      hosts: ['*.example.com'],
      privateNetwork: false,
    },
    alarms: ['errors'],
    metrics: [],
    approval: { timeoutSeconds: 30, onTimeout: 'reject' },
  },
};

function meddle({ endpoint, version }: Meanwhile, { world, idOf }: Stage): void {
  try {
    if (version === null) world.stop(RUNTIME, idOf(endpoint));
    else world.roll(RUNTIME, idOf(endpoint), version);
  } catch (error) {
    // It has vanished, or it is stopped.
    if (!(error instanceof Refusal)) throw error;
  }
}
