import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createLocalBus } from '../../lib/adapters/events/local-bus.ts';
import type { LeaseOwner } from '../../lib/adapters/ledger/sqlite/lease-owner.ts';
import { openSqliteLedger, type SqliteLedger } from '../../lib/adapters/ledger/sqlite/ledger.ts';
import { ErrorName } from '../../lib/domain/errors.ts';
import { DEFAULT_POLICY } from '../../lib/domain/rollout/default-policy.ts';
import { closeRollout } from '../../lib/steps/close-rollout.ts';
import type { StepPorts } from '../../lib/steps/frame/ports.ts';

const NOW = Date.UTC(2026, 10, 21);
const request = {
  rolloutId: 'r',
  endpointUrl: 'https://endpoints.example.com',
  runtimeId: 'shop',
  desiredVersion: 2,
  policy: DEFAULT_POLICY,
  startedBy: { kind: 'person', name: '', at: NOW },
} as const;

let folder: string;
let first: SqliteLedger;
let second: SqliteLedger;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steproll-'));
  const open = (owner: LeaseOwner) => openSqliteLedger(join(folder, 'ledger.sqlite'), owner);
  first = open({ name: 'first', isGone: () => false });
  second = open({ name: 'second', isGone: (name) => name === 'first' });
});

afterEach(() => {
  first.end();
  second.end();
  rmSync(folder, { recursive: true });
});

test('X03: a process that was refused the lease does not close the rollout of the one that holds it', async () => {
  const lease = await first.ledger.open(request, NOW, NOW + 60_000);
  const error = { Error: ErrorName.LeaseHeld, Cause: 'held' };
  const outcome = await close(second, { error });

  expect(outcome).toMatchObject({ outcome: 'Failed', reason: 'LeaseHeld' });
  expect(await first.ledger.read('r')).toMatchObject({ outcome: null });
  await expect(first.ledger.renew(lease, NOW + 120_000)).resolves.toBeUndefined();
});

test('X03: a process that was taken over does not close the rollout of the one that goes on', async () => {
  const { epoch } = await first.ledger.open(request, NOW, NOW + 60_000);
  const taken = await second.ledger.open(request, NOW, NOW + 60_000);
  const ending = { outcome: 'Aborted', reason: 'Interrupted', message: 'Ctrl-C.' } as const;
  expect(await close(first, { ending, epoch })).toMatchObject({
    reason: 'LeaseLost',
    message: 'Another process has this rollout, and goes on with it.',
  });

  expect(taken.epoch).toBe(epoch + 1);
  expect(await second.ledger.read('r')).toMatchObject({ outcome: null });
  await close(second, { ending, epoch: taken.epoch });
  expect(await second.ledger.read('r')).toMatchObject({ outcome: { reason: 'Interrupted' } });
});

test('X03: a process that was taken over answers the outcome that the other one has stored', async () => {
  const { epoch } = await first.ledger.open(request, NOW, NOW + 60_000);
  const taken = await second.ledger.open(request, NOW, NOW + 60_000);
  const ending = { outcome: 'Succeeded', reason: 'Converged', message: 'All of them.' } as const;
  const outcome = await close(second, { ending, epoch: taken.epoch });

  const error = { Error: ErrorName.LeaseLost, Cause: 'lost' };
  expect(await close(first, { error, epoch })).toEqual(outcome);
});

function close({ ledger }: SqliteLedger, state: Parameters<typeof closeRollout>[0]['state']) {
  const ports = {
    ledger,
    clock: { now: () => NOW },
    events: createLocalBus(),
  } as unknown as StepPorts;
  return closeRollout({ rolloutId: 'r', state }, ports);
}
