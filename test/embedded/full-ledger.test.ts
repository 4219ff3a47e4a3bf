import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { openSqliteLedger } from '../../lib/adapters/ledger/sqlite/ledger.ts';
import type { RolloutInput } from '../../lib/contract/flow/rollout-input.ts';
import { ErrorName, errorNameOf, SteprollError } from '../../lib/domain/errors.ts';
import type { AskedRollout } from '../../lib/domain/rollout/record.ts';
import { createCaretaker } from '../../lib/embedded/caretaker.ts';
import { createInterpreter } from '../../lib/embedded/interpreter/engine.ts';
import { startRollout } from '../../lib/embedded/run-workflow.ts';
import type { Ledger } from '../../lib/ports/ledger.ts';
import { watchedLedger } from '../../lib/rehearsal/mortal-ledger.ts';
import type { StepContext } from '../../lib/steps/io/ports.ts';
import { findRecord } from '../../lib/steps/io/record.ts';
import { toInput } from '../../lib/steps/opening/asked-request.ts';
import { onHostStage, triggered } from './host-stage.ts';

const ROLLOUT = 'release-1';
const READS: readonly (keyof Ledger)[] = [
  ...(['read', 'readSummary', 'list', 'listHolds'] as const),
  ...(['hear', 'findLatestRequest', 'mayOpen'] as const),
];

interface Disk {
  /** How many writes there is still room for. */
  room: number;
  refused: number;
  /** `read-only` refuses reads, too, because each of them locks the file. */
  readonly refuses: 'writes' | 'all';
}

/** The same ledger on a disk that has room for so many writes. */
function onDisk(ledger: Ledger, disk: Disk): Ledger {
  return watchedLedger(ledger, async (call, name) => {
    const isRead = READS.includes(name);
    if (disk.room <= 0 && !(isRead && disk.refuses === 'writes')) {
      disk.refused += 1;
      throw new SteprollError(ErrorName.LedgerUnavailable, 'The disk is full.');
    }
    if (!isRead) disk.room -= 1;
    return call();
  });
}

function run(
  context: StepContext,
  ledger: Ledger,
  signal?: AbortSignal,
  input: RolloutInput = triggered('shop', 2),
) {
  return startRollout({
    rolloutId: ROLLOUT,
    input,
    context: { ...context, ledger },
    engine: createInterpreter({ clock: context.clock }),
    ...(signal && { signal }),
  });
}

function expectedEnd(record: AskedRollout | null, { refused, refuses }: Disk): unknown {
  const isReadable = refuses === 'writes' || refused === 0;
  if (isReadable && record?.outcome != null) return record.outcome;
  // Without an entry there is nothing to resume, so it has ended.
  const isUnlisted = isReadable && record === null;
  const unlisted = { outcome: 'Errored', reason: 'LedgerUnavailable', cleanup: 'none' };
  return isUnlisted ? expect.objectContaining(unlisted) : 'LedgerUnavailable';
}

/** Room for everything up to the lease, and for nothing after it. */
const UNTIL_THE_LEASE = 3;

describe.each<Disk['refuses']>(['writes', 'all'])('on a disk that refuses %s', (refuses) => {
  test('L05: from whichever call on, the run says why, sends nothing that is not noted, and a resume goes on', async () => {
    let isFull = true;
    for (let room = 0; isFull; room += 1) {
      await onHostStage({}, async ({ context, calls, liveVersions }) => {
        const disk: Disk = { room, refused: 0, refuses };
        const end = await run(context, onDisk(context.ledger, disk)).catch(errorNameOf);
        const record = await findRecord(ROLLOUT, context.ledger);
        const noted = record?.journal.map(({ endpointId }) => endpointId) ?? [];
        for (const call of calls)
          if (call.operation === 'roll') expect(noted).toContain(call.endpointId);
        isFull = disk.refused > 0;
        expect({ room, end }).toEqual({ room, end: expectedEnd(record, disk) });

        const isOpen = record?.outcome == null;
        if (isOpen) await run(context, context.ledger);
        expect({ room, live: liveVersions('shop') }).toEqual({ room, live: [2, 2, 2] });
      });
    }
  });

  test('L05: from whichever call on, a resume goes by what was said with the start', async () => {
    const said = { selection: { names: ['endpoint-01'] }, onFailure: 'hold' as const };
    let isFull = true;
    for (let room = 1; isFull; room += 1) {
      await onHostStage({}, async ({ context, liveVersions }) => {
        const disk: Disk = { room, refused: 0, refuses };
        const input = { ...triggered('shop', 2), policy: said };
        await run(context, onDisk(context.ledger, disk), undefined, input).catch(() => undefined);
        isFull = disk.refused > 0;
        const { request, outcome } = await context.ledger.read(ROLLOUT);
        expect({ room, request }).toMatchObject({
          request: { endpointUrl: context.service.url, policy: said },
        });
        // Whoever resumes it has the configuration and the record, and says nothing more.
        const policyOf = (id: string) => request.policy ?? context.policyOf(id);
        const again = { ...context, policyOf };
        if (outcome === null) await run(again, context.ledger, undefined, toInput(request));
        expect({ room, live: liveVersions('shop') }).toEqual({ room, live: [2, 1, 1] });
      });
    }
  });

  test('L05: with room again while a step is tried again, the same run goes on', async () => {
    await onHostStage({}, async ({ context, sleep }) => {
      const disk: Disk = { room: UNTIL_THE_LEASE, refused: 0, refuses };
      const outcome = run(context, onDisk(context.ledger, disk));
      while (disk.refused < 2) await sleep(1);
      disk.room = 1000;
      expect(await outcome).toMatchObject({ outcome: 'Succeeded' });
    });
  });
});

describe('Ctrl-C while the ledger cannot note that the rollout was opened', () => {
  const stalled = (work: (stage: Stage, disk: Disk, end: Promise<unknown>) => Promise<void>) =>
    onHostStage({}, async (stage) => {
      const { context, sleep } = stage;
      const disk: Disk = { room: UNTIL_THE_LEASE, refused: 0, refuses: 'writes' };
      const stop = new AbortController();
      const end = run(context, onDisk(context.ledger, disk), stop.signal);
      end.catch(() => undefined);
      while (disk.refused < 2) await sleep(1);
      stop.abort();
      await work(stage, disk, end);
    });

  test('L05: still full, it says so, and leaves the rollout open', async () => {
    await stalled(async ({ context }, _, end) => {
      await expect(end).rejects.toMatchObject({ name: 'LedgerUnavailable' });
      expect(await context.ledger.read(ROLLOUT)).toMatchObject({ epoch: 1, outcome: null });
    });
  });

  test('L05: with room again, the rollout has ended as Aborted', async () => {
    await stalled(async ({ context }, disk, end) => {
      disk.room = 1000;
      const aborted = { outcome: 'Aborted', reason: 'Interrupted' };
      expect(await end).toMatchObject(aborted);
      expect(await context.ledger.read(ROLLOUT)).toMatchObject({ outcome: aborted });
    });
  });
});

test('L05, X03: Ctrl-C before the ledger gave the lease back does not end the rollout of another process', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steproll-'));
  const open = (name: string) =>
    openSqliteLedger(join(folder, 'ledger.sqlite'), { owner: { name, isGone: () => false } });
  const [other, own] = [open('other'), open('own')];
  try {
    await onHostStage({}, async ({ context, sleep, calls }) => {
      const { policyOf, service } = context;
      const input = triggered('shop', 2);
      const request = {
        ...{ rolloutId: ROLLOUT, runtimeId: 'shop', desiredVersion: 2, policy: policyOf('shop') },
        ...{ endpointUrl: service.url, startedBy: input.startedBy as never },
      };
      await other.ledger.open(request, Date.now(), Date.now() + 3_600_000);
      const disk: Disk = { room: 0, refused: 0, refuses: 'writes' };
      const stop = new AbortController();
      const end = run(context, onDisk(own.ledger, disk), stop.signal);
      end.catch(() => undefined);
      while (disk.refused === 0) await sleep(1);
      disk.room = 1000;
      stop.abort();
      expect(await end).toMatchObject({ reason: 'LeaseLost' });
      expect(await other.ledger.read(ROLLOUT)).toMatchObject({ epoch: 1, outcome: null });
      expect(calls).toEqual([]);
    });
  } finally {
    for (const { end } of [other, own]) end();
    rmSync(folder, { recursive: true });
  }
});

type Stage = Parameters<Parameters<typeof onHostStage>[1]>[0];

test('L05: the listener says that it cannot go on, and why, and goes on by itself with room again', async () => {
  await onHostStage({}, async (stage) => {
    const { log, logged, liveVersions, sleep } = stage;
    const disk: Disk = { room: UNTIL_THE_LEASE, refused: 0, refuses: 'writes' };
    const context = Object.assign(stage.context, { ledger: onDisk(stage.context.ledger, disk) });
    const host = stage.createHost();
    const rules = { runtimes: ['shop'], groups: [], maxAgeSeconds: 900 };
    const writeLog = (line: string) => void log.push(line);
    const { isAbandoned } = stage;
    const care = createCaretaker({
      ...{ context, host, rules, schedules: [], isAbandoned },
      log: writeLog,
    });
    await host.start(ROLLOUT, triggered('shop', 2));
    while (host.isRunning(ROLLOUT)) await sleep(1);
    expect(log.at(-1)).toBe(
      'Rollout release-1 of shop: cannot go on here. LedgerUnavailable: The disk is full.',
    );
    await care();
    await care();
    expect(log.slice(-1)).toEqual(['LedgerUnavailable: The disk is full.']);
    expect(liveVersions('shop')).toEqual([1, 1, 1]);

    disk.room = 1000;
    await care();
    await logged('release-1 of shop: Succeeded');
    expect(liveVersions('shop')).toEqual([2, 2, 2]);
  });
});
