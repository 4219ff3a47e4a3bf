import { existsSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../lib/adapters/machine/clock.ts';
import type { Done, ToldRollout } from '../../lib/console/desk.ts';
import { partialPolicySchema } from '../../lib/contract/config/policy.ts';
import { DEFAULT_GROUP_POLICY } from '../../lib/domain/rollout/group-policy.ts';
import { parseScenario } from '../../lib/simulation/scenario.ts';
import { startEndpointServer } from '../../lib/simulation/server.ts';
import { createLocalLedger, type LocalLedger } from '../cli/local-ledger.ts';
import { line, planOf, policyOf } from '../domain/examples.ts';
import { type ConsoleProcess, startConsole } from './console-process.ts';

const QUICK = { bakeSeconds: 0, pollSeconds: 1, maxPollSeconds: 1 };
const RUNTIMES = ['shop', 'eu-1', 'eu-2', 'slow'];

let local: LocalLedger;
let server: Awaited<ReturnType<typeof startEndpointServer>>;
let running: ConsoleProcess;
let origin: string;
let authorization: string;

beforeAll(async () => {
  const scenario = parseScenario({
    runtimes: RUNTIMES.map((id) => ({
      id,
      version: 2,
      endpoints: 2,
      rollSeconds: id === 'slow' ? 600 : 0.1,
    })),
  });
  server = await startEndpointServer({ scenario, port: 0, clock: systemClock });
  local = createLocalLedger();
  const config = join(local.folder, 'groups.json');
  const json = {
    endpointUrl: server.url,
    policies: { default: QUICK },
    runtimes: Object.fromEntries(RUNTIMES.map((id) => [id, {}])),
    groups: { prod: { runtimes: ['eu-1', 'eu-2'], policy: {} } },
  };
  writeFileSync(config, JSON.stringify(json));
  const policy = policyOf(QUICK);
  const of = { endpointUrl: server.url, policy };
  await local.begin({ ...of, rolloutId: 'slow-1', runtimeId: 'slow' }, 'Failed');
  const ofGroup = { ...DEFAULT_GROUP_POLICY, pollSeconds: 1, maxPollSeconds: 1 };
  const group = { ...of, rolloutId: 'group-1', runtimeId: 'group:prod', policy: ofGroup };
  await local.begin(group, 'Failed');
  running = await startConsole(local.folder, ['--config', config]);
  ({ origin } = running);
  authorization = `Bearer ${running.token}`;
});
afterAll(async () => {
  await running.end();
  await server.close();
  local.remove();
});

async function tell(rolloutId: string): Promise<ToldRollout> {
  const answer = await fetch(`${origin}/api/rollouts/${rolloutId}`, { headers: { authorization } });
  return (await answer.json()) as ToldRollout;
}

async function retry(rolloutId: string, reason = '', at = running) {
  const { origin, token } = at;
  const answer = await fetch(`${origin}/api/rollouts/${rolloutId}/retry`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, origin, 'content-type': 'application/json' },
    body: JSON.stringify({ reason }),
  });
  return { status: answer.status, said: (await answer.json()) as Done & { error?: string } };
}

async function endOf(rolloutId: string): Promise<ToldRollout> {
  for (;;) {
    const story = await tell(rolloutId);
    if (story.report.outcome !== null) return story;
    await systemClock.sleep(100);
  }
}

describe('a retry in the console', () => {
  test('of a group rolls its runtimes, says before that it will, and keeps the reason', async () => {
    const before = saysOf((await tell('group-1')).retry);
    expect(before).toMatch(/^A new rollout to version 3 starts, with the same policy\./);
    expect(before).toContain('each with a rollout of its own, by its own policy.');

    const { status, said } = await retry('group-1', 'the image is there now');
    expect(status).toBe(200);
    const { report } = await endOf(said.rolloutId ?? '');
    expect(report).toMatchObject({
      runtimeId: 'group:prod',
      outcome: 'Succeeded',
      startedBy: { kind: 'person', reason: 'the image is there now' },
      children: [
        { runtimeId: 'eu-1', outcome: 'Succeeded' },
        { runtimeId: 'eu-2', outcome: 'Succeeded' },
      ],
    });
  });

  test('names the endpoints that stay stopped', async () => {
    const request = { runtimeId: 'shop', endpointUrl: server.url };
    const { ids, ...plan } = planOf([2]);
    await local.begin({ ...request, rolloutId: 'stopper' }, undefined, plan);
    const lease = await holdOf('stopper');
    const [first = '', second = ''] = ids;
    await local.ledger.append(lease, [
      line('roll', first, 'accepted'),
      line('stop', first, 'accepted'),
    ]);
    await local.ledger.close('stopper', FAILED, Date.now());

    const said = saysOf((await tell('stopper')).retry);
    const sentence = `${first} was stopped and stays stopped: of a stop there is no way back. To create a new one: "steproll agent runtime endpoint create shop --name NAME --version N".`;
    expect(said).toContain(sentence);
    expect(said).toContain(`It rolls what is not there yet. ${sentence} 1 endpoint: ${second}.`);
    const typed = ['rollout', 'retry', 'stopper', '--endpoint-url', server.url];
    expect((await local.type('n\n', ...typed)).stderr).toContain(sentence);
  });

  test('is offered although the version had succeeded before, and not once it has succeeded since', async () => {
    const of = (rolloutId: string) => ({ rolloutId, runtimeId: 'again', endpointUrl: server.url });
    await local.begin(of('good-1'), 'Succeeded');
    await systemClock.sleep(5);
    await local.begin(of('bad'), 'Failed');
    expect(saysOf((await tell('bad')).retry)).not.toBe('');
    await local.begin(of('good-2'), 'Succeeded');
    expect((await tell('bad')).retry).toMatchObject({ whyNot: expect.any(String) });
  });

  test('that is refused once the service is connected leaves nothing open, however often it is asked for', async () => {
    const probe = { path: '/', hosts: ['*.example.com'] };
    const { verify } = partialPolicySchema.parse({ verify: { probe } });
    const policy = policyOf({ ...QUICK, ...(verify && { verify }) });
    const request = { runtimeId: 'shop', endpointUrl: server.url, policy };
    await local.begin({ ...request, rolloutId: 'probed' }, 'Failed');
    const refuse = async () => {
      const { status, said } = await retry('probed');
      expect({ status, error: said.error }).toEqual({ status: 409, error: 'GateUnanswerable' });
      return openFiles(local.folder);
    };
    const once = await refuse();
    await refuse();
    await refuse();
    expect(await refuse()).toBe(once);
    expect(once).toBeGreaterThan(0);
  });

  test('that fails because the webhooks cannot be opened leaves nothing open, either', async () => {
    const database = new DatabaseSync(join(local.folder, 'ledger.sqlite'));
    database.exec('CREATE VIEW webhook_message AS SELECT 1 AS at');
    const webhooks = [{ url: `${server.url}/hook` }];
    const config = join(local.folder, 'webhooks.json');
    writeFileSync(config, JSON.stringify({ endpointUrl: server.url, notifications: { webhooks } }));
    const other = await startConsole(local.folder, ['--config', config]);
    await local.begin(
      { rolloutId: 'told', runtimeId: 'shop', endpointUrl: server.url, policy: policyOf(QUICK) },
      'Failed',
    );
    const refuse = async () => {
      const { status, said } = await retry('told', '', other);
      expect({ status, said }).toMatchObject({
        status: 503,
        said: { message: expect.stringMatching(/index/) },
      });
      return openFiles(local.folder);
    };
    const once = await refuse();
    await refuse();
    expect(await refuse()).toBe(once);
    database.exec('DROP VIEW webhook_message');
    database.close();
    await other.end();
  });

  test('that several people ask for at once is started once, and the others are told which it is', async () => {
    const answers = await Promise.all([retry('slow-1'), retry('slow-1'), retry('slow-1')]);
    const [started, ...others] = answers.toSorted((a, b) => a.status - b.status);
    expect(started?.status).toBe(200);
    const rolloutId = started?.said.rolloutId ?? '';
    for (const { status, said } of others) {
      expect({ status, error: said.error }).toEqual({ status: 409, error: 'LeaseHeld' });
      expect(said.message).toContain(`slow has a rollout that has not ended: ${rolloutId} to`);
    }
    const known = await local.ledger.list({ runtimeId: 'slow', limit: 10 });
    expect(known.map((one) => one.rolloutId).toSorted()).toEqual([rolloutId, 'slow-1'].toSorted());
  });
});

/** How many files below a folder this process has open, as Linux counts them. Elsewhere it cannot be told. */
function openFiles(folder: string): number {
  if (process.platform !== 'linux') return 1;
  const open = readdirSync('/proc/self/fd').map((one) => {
    // The one that lists them is gone by now.
    const path = `/proc/self/fd/${one}`;
    return existsSync(path) ? readlinkSync(path) : '';
  });
  return open.filter((path) => path.startsWith(folder)).length;
}

function saysOf(offer: ToldRollout['retry']): string {
  return offer !== null && 'says' in offer ? offer.says.join(' ') : '';
}

const FAILED = { outcome: 'Failed', cleanup: 'stopped', reason: 'X', message: 'X' } as const;

async function holdOf(rolloutId: string) {
  const held = (await local.ledger.listHeld()).find((lease) => lease.rolloutId === rolloutId);
  if (held === undefined) throw new Error(`${rolloutId} holds no lease`);
  return held;
}
