import { isWrite } from '../../../lib/rehearsal/calls.ts';
import type { Run, Stage } from '../../support/run-scenario.ts';
import { START } from '../../support/scenario-time.ts';
import { BAD_RELEASES } from './fault-names.ts';
import { keepsEnoughServing } from './judges/kept.ts';
import type { Ordeal, ReleaseKind } from './ordeal.ts';

// Releases of others beside the rollout, and after it.

/** A release of somebody else, with the policy of the rollout. */
export interface Release {
  readonly rolloutId: string;
  readonly policy: Ordeal['policy'];
}

/** @throws when one is carried out that has to be refused. */
export async function release(
  kind: ReleaseKind,
  { rolloutId, policy }: Release,
  stage: Stage,
): Promise<Run> {
  switch (kind) {
    case 'rival':
      return stage.start(rolloutId, { policy, input: { version: 4 } });
    case 'stale': {
      const startedBy = { kind: 'release', name: 'old', at: START - 3_600_000 } as const;
      return stage.start(rolloutId, { policy, input: { version: 4, startedBy } });
    }
    case 'twin':
      return stage.start(rolloutId, { policy });
    case 'lower': {
      const cautious = { ...policy, allowDowngrade: false };
      return stage.start(rolloutId, { policy: cautious, input: { version: 1 } });
    }
    default: {
      kind satisfies 'absurd';
      const run = await stage.start(rolloutId, { policy, input: { version: ABSURD } });
      if (run.calls.some(isWrite)) throw new Error(`Version ${ABSURD} was rolled.`);
      return run;
    }
  }
}

const ABSURD = Number.MAX_SAFE_INTEGER;

const FIRST_BAD_VERSION = 6;

/** Every endpoint fails on each of them. */
export function badVersions({ endpoints, badReleases }: Ordeal): object[] {
  return Array.from({ length: badReleases }, (_, nth) =>
    endpoints.map(({ name }) => ({
      endpoint: name,
      kind: 'fail',
      version: FIRST_BAD_VERSION + nth,
      afterReplicas: 0,
    })),
  ).flat();
}

/** One after the other, once this rollout has ended. Their stops leave half of the fleet serving together. */
export async function releaseBadOnes(
  { badReleases, policy }: Ordeal,
  stage: Stage,
  meet: (fault: string) => void,
): Promise<void> {
  if (badReleases === 0) return;
  for (let hours = 1; !(await hasEnded(stage)); hours += 1) {
    if (hours > MOST_HOURS) return;
    await stage.until(hours * 3600);
  }
  const bad = { ...policy, onFailure: 'stop-old', minServing: { percent: 50 } } as const;
  meet(BAD_RELEASES);
  for (let nth = 0; nth < badReleases; nth += 1) {
    const input = { version: FIRST_BAD_VERSION + nth };
    const run = await stage.start(`bad-${nth}`, { policy: bad, input });
    const violations = keepsEnoughServing({ policy: bad }, run);
    if (violations.length > 0) throw new Error(violations.join('\n  '));
  }
}

const MOST_HOURS = 4;

export async function hasEnded({ ledger }: Stage): Promise<boolean> {
  const record = await ledger.read('rollout-1').catch(() => null);
  return record !== null && record.outcome !== null;
}
