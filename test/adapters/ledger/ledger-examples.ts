import { createHash, randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import type { JournalEntry } from '../../../lib/domain/endpoint/journal.ts';
import { LEASE_TOLERANCE_MS, type Lease } from '../../../lib/domain/rollout/lease.ts';
import type { Outcome } from '../../../lib/domain/rollout/outcome.ts';
import type { Rollback, RolloutPlan } from '../../../lib/domain/rollout/plan.ts';
import type { RolloutRequest } from '../../../lib/domain/rollout/request.ts';
import type { HeldLease, Ledger } from '../../../lib/ports/ledger.ts';

export const NOW = Date.UTC(2026, 10, 21);
export const UNTIL = NOW + 300_000;
export const EXPIRED = UNTIL + LEASE_TOLERANCE_MS;

export const SUCCEEDED: Outcome = {
  outcome: 'Succeeded',
  cleanup: 'none',
  reason: 'Converged',
  message: '3 of 3 endpoints are live on version 7.',
};
export const ABORTED: Outcome = {
  outcome: 'Aborted',
  cleanup: 'none',
  reason: 'Aborted',
  message: 'Aborted by hand.',
};

/** What the ledger lists of this rollout: other tests may hold leases in the same one. */
export async function heldBy(ledger: Ledger, rolloutId: string): Promise<HeldLease[]> {
  return (await ledger.listHeld()).filter((held) => held.rolloutId === rolloutId);
}

/** Expects a rejection with this error name. */
export async function expectError(name: string, promise: Promise<unknown>): Promise<void> {
  await expect(promise).rejects.toMatchObject({ name });
}

export function requestOf(runtimeId: string): RolloutRequest {
  return {
    rolloutId: randomUUID(),
    endpointUrl: 'https://endpoints.example.com',
    runtimeId,
    desiredVersion: 7,
    policy: {
      selection: { names: ['agent-*'], ids: ['endpoint-7'], exclude: ['agent-13'] },
      waves: [
        { endpoints: 1, bakeSeconds: 3600 },
        { names: ['agent-1*'] },
        { percent: 25 },
        { percent: 100 },
      ],
      maxUnavailable: { percent: 33 },
      failureThreshold: { percent: 2.5 },
      bakeSeconds: 300,
      pollSeconds: 15,
      maxPollSeconds: 60,
      progressDeadlineSeconds: 600,
      onFailure: 'roll-back',
      minServing: 1,
      protect: ['production'],
      allowDowngrade: true,
      maxVersionStep: 50,
      verify: {
        probe: {
          ...{ path: '/healthz', status: 204, tries: 3, timeoutSeconds: 5 },
          ...{ hosts: ['*.shop'], privateNetwork: true },
        },
        alarms: ['errors'],
        metrics: [],
        prometheus: [
          {
            ...{ name: 'errors', url: 'https://prometheus.shop', query: 'up', above: 0.5 },
            ...{ noData: 'wait', timeoutSeconds: 10 },
            auth: { kind: 'basic', secret: { environment: 'LOGIN' } },
          },
        ],
        checks: [
          {
            ...{ name: 'smoke', url: 'https://checks.shop', secret: { file: '/keys/check' } },
            ...{ when: 'bake-end', timeoutSeconds: 10, deadlineSeconds: 60, warmUpSeconds: 0 },
          },
        ],
        approval: { timeoutSeconds: 7200, onTimeout: 'reject' },
        everySeconds: 30,
        warmUpSeconds: 60,
      },
      statuses: {
        failed: ['ERROR', '*_FAILED'],
        stopped: ['STOPPED'],
        serving: ['UP'],
        busy: ['AT_WORK'],
        unknown: 'accept',
      },
      windows: [{ days: ['mon'], from: '09:00', to: '16:00', timeZone: 'Europe/Berlin' }],
      freezes: [
        { from: '2026-12-18T18:00', to: '2027-01-04T08:00', timeZone: 'UTC', reason: 'holidays' },
      ],
      outsideWindow: 'wait',
      windowsBind: 'rolls',
      onConflict: 'latest',
    },
    startedBy: { kind: 'release', name: 'build-41', at: NOW - 1_000 },
  };
}

/** A rollout under way, of a runtime of its own. */
export function opened(ledger: Ledger): Promise<Lease> {
  return ledger.open(requestOf(randomUUID()), NOW, UNTIL);
}

export function line(n: number): JournalEntry {
  return {
    at: NOW + n,
    watched: n,
    operation: n % 2 === 0 ? 'roll' : 'stop',
    endpointId: `endpoint-${n}`,
    result: 'rejected',
    reason: 'UpstreamConflict',
    message: 'The service said 409: “busy”.',
  };
}

export function planOf(size: number): RolloutPlan {
  const endpoints = Array.from({ length: size }, (_, n) => ({
    endpointId: endpointId(n),
    name: n % 2 === 0 ? `agent-${n}` : null,
    desiredVersion: 7,
    previousVersion: n % 3 === 0 ? null : 6,
    previousTarget: 6,
    wrongBefore: n % 5 === 0 ? (['failed'] as const) : [],
  }));
  return {
    direction: 'forward',
    endpoints,
    waves: [
      { from: 0, to: 1, bakeSeconds: 3600 },
      { from: 1, to: size, bakeSeconds: 300 },
    ],
    leftOut: [{ endpointId: 'left-out', name: null, reason: 'stopped' }],
    maxUnavailable: 1,
  };
}

/** 36 characters that hardly compress, and the same in every run. */
function endpointId(n: number): string {
  return createHash('sha256')
    .update(String(n))
    .digest('hex')
    .slice(0, 32)
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

export function rollbackOf(size: number): Rollback {
  const { endpoints, ...plan } = planOf(size);
  const cause = { outcome: 'Failed', reason: 'Stalled', message: `${size} of ${size}.` } as const;
  return {
    cause,
    seen: [],
    plan: {
      ...plan,
      direction: 'back',
      endpoints: endpoints.map((each) => ({ ...each, desiredVersion: 6, previousVersion: 7 })),
      waves: [{ from: 0, to: size, bakeSeconds: 0 }],
      leftOut: [{ endpointId: 'taken', name: 'agent-x', reason: 'moved' }],
    },
  };
}
