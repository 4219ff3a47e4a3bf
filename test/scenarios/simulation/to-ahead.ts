import { acceptedAt } from '../../../lib/domain/rollout/opening.ts';
import { withdrawn } from '../../../lib/domain/signals/signals.ts';
import type { Ledger } from '../../../lib/ports/ledger.ts';
import { watchedLedger } from '../../../lib/rehearsal/mortal-ledger.ts';
import { notBegun } from '../../support/not-begun.ts';
import { RUNTIME, type Stage } from '../../support/run-scenario.ts';
import { START, scenarioNow, secondsSinceStart } from '../../support/scenario-time.ts';
import { WHOLE_POLICY } from '../../support/whole-policy.ts';
import type { Ahead } from './ordeal.ts';
import { hasEnded } from './to-releases.ts';

// A newer rollout was asked for before this one. It rolls nothing: only what the ledger knows of it matters.

const AHEAD = 'ahead';

/** The ledger that has the request of the other rollout. */
export function withAhead(ahead: Ahead | null, ledger: Ledger, stage: Stage): Ledger {
  if (ahead === null) return ledger;
  const asked = ask(ahead, stage);
  return watchedLedger(ledger, async (call) => {
    await asked;
    return call();
  });
}

async function ask(
  { version, askedAfter, wakesAfter, state }: Ahead,
  { ledger }: Stage,
): Promise<void> {
  const at = START + askedAfter * 1000;
  const request = {
    rolloutId: AHEAD,
    endpointUrl: 'https://endpoints.example.com',
    runtimeId: RUNTIME,
    desiredVersion: version,
  };
  const wakesAt = wakesAfter === null ? null : START + wakesAfter * 1000;
  await ledger.recordLatestRequest({ ...request, at, wakesAt }, START);
  if (state === 'unknown') return;
  const startedBy = { kind: 'person', name: 'bob', at } as const;
  const waits = notBegun(START, { lookAt: wakesAt ?? START });
  await ledger.enlist({ ...request, policy: WHOLE_POLICY, startedBy }, waits, START);
  if (state === 'taken back') await takeBack(AHEAD, ledger, START);
}

/** Lets it wait until this one has ended. */
export async function endAhead(ahead: Ahead | null, stage: Stage): Promise<void> {
  if (ahead?.state !== 'waiting') return;
  while (!(await hasEnded(stage))) await stage.until(secondsSinceStart() + 60);
  await takeBack(AHEAD, stage.ledger, scenarioNow());
}

/** A newer release asks this one to give way, and its process is gone then. Once this one has ended, it is taken back. */
export async function askAndVanish(stage: Stage): Promise<void> {
  const { ledger } = stage;
  const at = scenarioNow();
  const request = {
    rolloutId: 'vanishing',
    endpointUrl: 'https://endpoints.example.com',
    runtimeId: RUNTIME,
    desiredVersion: 4,
    policy: WHOLE_POLICY,
    startedBy: { kind: 'person', name: 'bob', at },
  } as const;
  await ledger.enlist(request, acceptedAt(at), at);
  const asked = { kind: 'give-way', at, wave: null, by: request.rolloutId, reason: '' } as const;
  await ledger.signal('rollout-1', asked);
  while (!(await hasEnded(stage))) await stage.until(secondsSinceStart() + 60);
  await takeBack(request.rolloutId, ledger, scenarioNow());
}

async function takeBack(rolloutId: string, ledger: Ledger, at: number): Promise<void> {
  const said = { at, wave: null, by: 'bob', reason: '' };
  await ledger.withdraw(rolloutId, { ...withdrawn(said), cleanup: 'none' }, at);
}
