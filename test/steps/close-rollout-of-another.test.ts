import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createLocalBus } from '../../lib/adapters/events/local-bus.ts';
import { openGates } from '../../lib/adapters/gates/gates.ts';
import { openSqliteLedger, type SqliteLedger } from '../../lib/adapters/ledger/sqlite/ledger.ts';
import { systemClock } from '../../lib/adapters/machine/clock.ts';
import { REST_ABILITIES } from '../../lib/contract/service/services.ts';
import type { Endpoint } from '../../lib/domain/endpoint/endpoint.ts';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import { DEFAULT_POLICY } from '../../lib/domain/rollout/default-policy.ts';
import { startRollout } from '../../lib/embedded/run-workflow.ts';
import type { LeaseOwner } from '../../lib/ledger/lease.ts';
import { closeRollout, handleCloseRollout } from '../../lib/steps/close-rollout.ts';
import type { StepContext, StepPorts } from '../../lib/steps/io/ports.ts';
import { handleOpenRollout } from '../../lib/steps/open-rollout.ts';
import { runInLocalStepFunctions } from '../support/local-step-functions.ts';

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
let isSecondGone: boolean;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steproll-'));
  const open = (owner: LeaseOwner) => openSqliteLedger(join(folder, 'ledger.sqlite'), { owner });
  isSecondGone = false;
  first = open({ name: 'first', isGone: () => isSecondGone });
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

  expect(outcome).toMatchObject({ outcome: 'Refused', reason: 'LeaseHeld' });
  expect(await first.ledger.read('r')).toMatchObject({ outcome: null });
  await expect(first.ledger.renew(lease, NOW + 120_000)).resolves.toEqual([]);
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

describe('X03: a process stands still while it opens its rollout, and another one resumes that', () => {
  const GOES_ON = {
    reason: 'LeaseLost',
    message: 'Another process has this rollout, and goes on with it.',
  };
  const refused = new SteprollError(ErrorName.UpstreamNotFound, 'No such runtime.');

  test.each<[string, () => Promise<readonly Endpoint[]>]>([
    ['with the list', async () => ENDPOINTS],
    ['with a no of the service', () => Promise.reject(refused)],
  ])('it wakes up %s, and leaves the rollout to the other one', async (_what, answer) => {
    const list = async () => {
      await resume();
      return answer();
    };
    expect(await startRollout({ ...run, context: contextOf(first, list) })).toMatchObject(GOES_ON);
    await expectUnderWay();
  });

  test('it is interrupted, and leaves the rollout to the other one', async () => {
    const interrupt = new AbortController();
    const list = async () => {
      await resume();
      interrupt.abort();
      return ENDPOINTS;
    };
    const context = contextOf(first, list);
    const outcome = await startRollout({ ...run, context, signal: interrupt.signal });

    expect(outcome).toMatchObject(GOES_ON);
    await expectUnderWay();
  });

  test('it had waited for its turn before that, and leaves the rollout to the other one', async () => {
    // The position of a wait is older than the lease.
    const state = { next: 'open-turn', epoch: 0, error: { Error: 'UpstreamNotFound', Cause: '' } };
    await resume();
    const context = contextOf(first, async () => ENDPOINTS);

    expect(await handleCloseRollout({ rolloutId: 'r', input, state }, context)).toMatchObject(
      GOES_ON,
    );
    await expectUnderWay();
  });

  test('the other one died meanwhile: the rollout stays open for whoever resumes it', async () => {
    const list = async () => {
      await resume();
      isSecondGone = true;
      return ENDPOINTS;
    };
    expect(await startRollout({ ...run, context: contextOf(first, list) })).toMatchObject(GOES_ON);
    expect(await first.ledger.read('r')).toMatchObject({ outcome: null });
  });

  test('nobody has resumed it: it closes the rollout itself', async () => {
    const context = contextOf(first, () => Promise.reject(refused));

    expect(await startRollout({ ...run, context })).toMatchObject({ reason: 'UpstreamNotFound' });
    expect(await second.ledger.read('r')).toMatchObject({
      outcome: { reason: 'UpstreamNotFound' },
    });
  });

  const input = { schemaVersion: 1, runtimeId: 'shop', version: 2 } as const;
  const run = { rolloutId: 'r', input, engine: runInLocalStepFunctions };

  /** As `steproll rollout resume` does in another process. */
  async function resume() {
    const known = await second.ledger.read('r').catch(() => null);
    if (known !== null && known.epoch > 0) return;
    const payload = { rolloutId: 'r', startTime: new Date(NOW).toISOString(), input, state: input };
    await handleOpenRollout(
      payload,
      contextOf(second, async () => ENDPOINTS),
    );
  }

  async function expectUnderWay() {
    const { outcome, epoch } = await second.ledger.read('r');
    expect({ outcome, epoch }).toEqual({ outcome: null, epoch: 1 });
    const lease = { rolloutId: 'r', runtimeId: 'shop', epoch };
    await expect(second.ledger.renew(lease, NOW + 120_000)).resolves.toEqual([]);
  }
});

const ENDPOINTS: readonly Endpoint[] = ['web-1', 'web-2'].map((id) => ({
  id,
  name: id,
  status: 'READY',
  targetVersion: 1,
  liveVersion: 1,
  version: 1,
  replicas: 1,
  url: '',
  statusReason: null,
}));

function contextOf(
  { ledger }: SqliteLedger,
  list: () => Promise<readonly Endpoint[]>,
): StepContext {
  const never = () => Promise.reject(new Error('Nothing here calls it.'));
  return {
    ledger,
    clock: { now: () => NOW, elapsed: () => NOW, sleep: systemClock.sleep },
    events: createLocalBus(),
    gates: openGates(),
    policyOf: () => DEFAULT_POLICY,
    service: {
      url: request.endpointUrl,
      abilities: REST_ABILITIES,
      list,
      roll: never,
      stop: never,
      listPage: never,
      create: never,
      listVersions: never,
    },
  };
}

function close({ ledger }: SqliteLedger, state: Parameters<typeof closeRollout>[0]['state']) {
  const ports = {
    ledger,
    clock: { now: () => NOW },
    events: createLocalBus(),
  } as unknown as StepPorts;
  return closeRollout({ rolloutId: 'r', state }, ports);
}
