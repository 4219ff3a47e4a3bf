import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { openSqliteLedger } from '../../../lib/adapters/ledger/sqlite/ledger.ts';
import { readListenerFile } from '../../../lib/adapters/listener/listener-file.ts';
import { publishToListener } from '../../../lib/adapters/listener/publish-to-listener.ts';
import { systemClock } from '../../../lib/adapters/machine/clock.ts';
import { WEEKDAYS } from '../../../lib/domain/local-time.ts';
import { DEFAULT_POLICY } from '../../../lib/domain/rollout/default-policy.ts';
import { acceptedAt } from '../../../lib/domain/rollout/opening.ts';
import type { AskedRollout } from '../../../lib/domain/rollout/record.ts';
import { parseScenario } from '../../../lib/simulation/scenario.ts';
import { startEndpointServer } from '../../../lib/simulation/server.ts';
import { ended, killPrograms, saw, startProgram } from '../program-process.ts';
import { startHere } from '../run-here.ts';

const RUNTIMES = ['plain', 'promoted', 'waits', 'busy', 'late'];

let home: string;
const homes: string[] = [];
let server: Awaited<ReturnType<typeof startEndpointServer>>;
/** Stands before the service, and says nothing while it is held. */
let door: Server;
let isHeld = false;

beforeAll(async () => {
  const runtimes = RUNTIMES.map((id) => ({
    id,
    endpoints: [{ name: 'staging' }, { name: 'web' }],
    rollSeconds: id === 'busy' ? 20 : 0.1,
  }));
  server = await startEndpointServer({
    scenario: parseScenario({ runtimes }),
    port: 0,
    clock: systemClock,
  });
  door = createServer(async (request, response) => {
    if (isHeld) return;
    const answer = await fetch(`${server.url}${request.url}`, { method: request.method ?? 'GET' });
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(await answer.text());
  }).listen(0, '127.0.0.1');
  await once(door, 'listening');
});
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'steproll-accepted-'));
  homes.push(home);
  isHeld = false;
});
afterAll(async () => {
  killPrograms();
  door.closeAllConnections();
  door.close();
  await server.close();
  for (const one of homes) rmSync(one, { recursive: true });
});

/** A window that is closed now and for days to come, whatever the day is. */
function farWindow() {
  const days = [WEEKDAYS[(new Date().getUTCDay() + 2) % 7] ?? 'mon'];
  return { days, from: '10:00', to: '11:00', timeZone: 'UTC' };
}

async function startListener(start: typeof startHere | typeof startProgram) {
  const { port } = door.address() as AddressInfo;
  const config = {
    endpointUrl: `http://127.0.0.1:${port}`,
    policies: {
      default: { waves: [{ endpoints: 1 }, { percent: 100 }], bakeSeconds: 0, pollSeconds: 1 },
      waits: { windows: [farWindow()] },
      busy: { onConflict: 'latest' },
    },
    runtimes: {
      ...Object.fromEntries(RUNTIMES.map((id) => [id, {}])),
      waits: { policy: 'waits' },
      busy: { policy: 'busy' },
    },
    triggers: {
      releases: [
        {
          name: 'promote',
          pattern: { source: ['pipeline'] },
          runtimeId: 'promoted',
          versionFrom: { endpoint: 'staging' },
        },
      ],
    },
  };
  writeFileSync(join(home, 'steproll.config.json'), JSON.stringify(config));
  const child = start(home, ['listen', '--config', 'steproll.config.json', '--port', '0']);
  const output = ended(child);
  await saw(child, 'Listening at');
  return { child, output };
}
type Listener = Awaited<ReturnType<typeof startListener>>;

async function kill({ child, output }: Listener) {
  child.kill('SIGKILL');
  await output;
}

async function end({ child, output }: Listener) {
  child.kill('SIGTERM');
  return output;
}

async function publish(runtimeId: string, version: number): Promise<string> {
  const detail = { runtimeId, version, releaseId: `build-${version}` };
  const event = { source: 'steproll.release', 'detail-type': 'Release Published', detail };
  return (await publishToListener(home, event)).rolloutId;
}

/** A release of another system, which says no version. */
async function promote(): Promise<string> {
  const { url, token } = readListenerFile(home) ?? { url: '', token: '' };
  const answer = await fetch(`${url}/events?release=promote`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ source: 'pipeline' }),
  });
  expect(answer.status).toBe(202);
  return ((await answer.json()) as { readonly rolloutId: string }).rolloutId;
}

async function read(rolloutId: string): Promise<AskedRollout> {
  const { ledger, end } = openSqliteLedger(join(home, 'ledger.sqlite'));
  try {
    return await ledger.read(rolloutId);
  } finally {
    end();
  }
}

async function readUntil(rolloutId: string, isSo: (rollout: AskedRollout) => boolean) {
  let rollout = await read(rolloutId);
  while (!isSo(rollout)) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    rollout = await read(rolloutId);
  }
  return rollout;
}

test('L04: killed right after the 202: the release is in the ledger, and the next listener rolls it', async () => {
  const first = await startListener(startProgram);
  const rolloutId = await publish('plain', 2);
  await kill(first);
  expect(await read(rolloutId)).toMatchObject({ request: { rolloutId, desiredVersion: 2 } });

  const second = await startListener(startHere);
  const { outcome } = await readUntil(rolloutId, (rollout) => rollout.outcome !== null);
  expect(outcome).toMatchObject({ outcome: 'Succeeded', reason: 'Converged' });
  await end(second);
});

test('L04: killed while its version is being read: what was asked for is in the ledger, and is rolled', async () => {
  const first = await startListener(startProgram);
  isHeld = true;
  const rolloutId = await promote();
  await kill(first);
  expect(await read(rolloutId)).toMatchObject({
    request: { desiredVersion: null, versionFrom: 'staging' },
    wait: { for: 'start' },
    outcome: null,
  });

  isHeld = false;
  const second = await startListener(startHere);
  const { outcome, request } = await readUntil(rolloutId, (rollout) => rollout.outcome !== null);
  expect(request.desiredVersion).toBe(1);
  expect(outcome).toMatchObject({ outcome: 'Succeeded', reason: 'NothingToDo' });
  await end(second);
});

test('L04: killed while it waits for a window: it waits on, and can be taken back', async () => {
  const first = await startListener(startProgram);
  const rolloutId = await publish('waits', 2);
  await readUntil(rolloutId, ({ wait }) => wait?.for === 'window');
  await kill(first);

  const second = await startListener(startHere);
  const list = await ended(startHere(home, ['rollout', 'list', '-o', 'json']));
  expect(JSON.parse(list.stdout)).toMatchObject([
    { rolloutId, version: 2, outcome: null, wait: { for: 'window', until: expect.any(String) } },
  ]);
  const show = await ended(startHere(home, ['rollout', 'show', rolloutId]));
  expect(show.stdout).toMatch(/● Waiting for .*\n.*the rollout waits until \d{4}-/);
  const watch = startHere(home, ['rollout', 'watch', rolloutId]);
  const watched = ended(watch);
  await saw(watch, 'the rollout waits until');

  const abort = await ended(startHere(home, ['rollout', 'abort', rolloutId, '--yes']));
  expect(abort).toMatchObject({
    code: 0,
    stdout: 'Ended. It had not begun: nothing was rolled.\n',
  });
  expect((await read(rolloutId)).outcome).toMatchObject({ outcome: 'Aborted', cleanup: 'none' });
  expect((await watched).code).toBe(130);
  const { code, stderr } = await end(second);
  expect(code).toBe(0);
  expect(stderr).toContain(`Rollout ${rolloutId} of waits: was accepted before, and goes on here`);
});

test('L04, E08: killed when the rollout before was asked to give way: it does, and the newer one rolls', async () => {
  const first = await startListener(startProgram);
  const older = await publish('busy', 2);
  await readUntil(older, ({ journal }) => journal.length > 0);
  const newer = await publish('busy', 3);
  await readUntil(newer, ({ wait }) => wait?.for === 'turn');
  await kill(first);
  expect((await read(newer)).wait?.of).toContain(older);

  const second = await startListener(startHere);
  const { outcome } = await readUntil(older, (rollout) => rollout.outcome !== null);
  expect(outcome).toMatchObject({ outcome: 'Superseded', reason: 'GaveWay' });
  await readUntil(newer, ({ journal }) => journal.some(({ result }) => result === 'accepted'));
  await end(second);
});

test('what nobody has looked after for too long is let go of: said, and told', async () => {
  const { ledger, end } = openSqliteLedger(join(home, 'ledger.sqlite'));
  const acceptedMs = Date.now() - 2 * 3_600_000;
  const request = {
    ...{ rolloutId: 'release-old', runtimeId: 'late', desiredVersion: 2, policy: DEFAULT_POLICY },
    startedBy: { kind: 'release', name: 'build-2', at: acceptedMs } as const,
  };
  await ledger.enlist(request, acceptedAt(acceptedMs), acceptedMs);
  end();

  const { child, output } = await startListener(startHere);
  const { outcome } = await readUntil('release-old', (rollout) => rollout.outcome !== null);
  expect(outcome).toMatchObject({ outcome: 'Refused', reason: 'StaleTrigger', cleanup: 'none' });
  await readUntil('release-old', ({ unsent }) => unsent.length === 0);
  child.kill('SIGTERM');
  const { stdout, stderr } = await output;
  expect(stdout).toContain('"detail-type":"Rollout Ended"');
  expect(stderr).toMatch(
    /Rollout release-old of late: Refused \(StaleTrigger\): Nothing was rolled: /,
  );
});
