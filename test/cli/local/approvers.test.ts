import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openPeople } from '../../../lib/cli/local/approvers.ts';
import { startClock } from '../../../lib/domain/clock.ts';
import { waveEventIdOf } from '../../../lib/domain/rollout/event.ts';
import { beginWave } from '../../../lib/domain/wave/progress.ts';
import { type ListenerServer, startListenerServer } from '../../../lib/listener/server.ts';
import { planOf, policyOf, waitFor } from '../../domain/examples.ts';
import { send } from '../../simulation/send.ts';
import { createLocalLedger, type LocalLedger } from '../local-ledger.ts';

const TOKENS = { ann: 'a'.repeat(32), bob: 'b'.repeat(32) };
let local: LocalLedger;
let server: ListenerServer;

const fileOf = (name: string) => join(local.folder, `${name}.token`);
const approversOf = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { file: fileOf(name) }]));

/** A rollout whose first wave waits for two people, and the listener of its machine. */
beforeEach(async () => {
  local = createLocalLedger();
  for (const [name, token] of Object.entries(TOKENS)) writeFileSync(fileOf(name), `${token}\n`);
  const approval = { timeoutSeconds: 3600, onTimeout: 'reject', count: 2 } as const;
  const verify = { probe: null, alarms: [], metrics: [], approval };
  const { ids: _, ...plan } = planOf([1, 2]);
  const of = { rolloutId: 'rollout-1', runtimeId: 'shop' };
  await local.begin({ ...of, policy: policyOf({ verify }) }, undefined, plan);
  const lease = { ...of, epoch: 1 };
  const asks = { before: null, wait: waitFor('approval') };
  await local.ledger.saveProgress(lease, beginWave(plan, 0, startClock(0)), asks);
  await local.ledger.recordEvent(lease, {
    ...{ kind: 'approval-wanted', ...of, desiredVersion: 3, at: 0, message: 'It waits.' },
    eventId: waveEventIdOf('rollout-1', 'approval-wanted', 'forward', 1),
    ...{ direction: 'forward', wave: 1, waves: 2, endpoints: 1 },
  });
  server = await startListenerServer({
    port: 0,
    clock: { now: () => 0 },
    take: async () => ({ rolloutId: 'release-1', result: 'started' }),
    people: await openPeople(approversOf(['ann', 'bob']), local.ledger, async () => false),
    log: () => {},
  });
});
afterEach(async () => {
  await server.close();
  local.remove();
});

async function post(path: string, token: string, said: object) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const { status, text } = await send(server.url, {
    ...{ method: 'POST', path, headers },
    body: JSON.stringify(said),
  });
  return { status, ...JSON.parse(text) };
}

describe('people with a token of their own', () => {
  test('answer by name, and each counts once', async () => {
    const path = '/rollouts/rollout-1/approve';
    const first = await post(path, TOKENS.ann, { wave: 1, reason: 'fine' });
    expect(first).toMatchObject({ status: 200, rolloutId: 'rollout-1', by: 'ann' });
    await post(path, TOKENS.ann, { wave: 1 });
    expect(await post(path, TOKENS.bob, { wave: 1 })).toMatchObject({ status: 200, by: 'bob' });
    expect(await post(path, TOKENS.bob, { wave: 1 })).toMatchObject({
      ...{ status: 409, error: 'ApprovalNotWanted' },
    });

    const { signals } = await local.ledger.read('rollout-1');
    expect(signals.map(({ key, by }) => [key, by])).toEqual([
      ['ann', 'ann'],
      ['ann', 'ann'],
      ['bob', 'bob'],
    ]);
  });

  test('reject as well, and say nothing else', async () => {
    const said = { wave: 1, onFailure: 'hold', reason: 'no' };
    expect(await post('/rollouts/rollout-1/reject', TOKENS.bob, said)).toMatchObject({
      ...{ status: 200, by: 'bob' },
    });
    expect(await post('/rollouts/rollout-1/abort', TOKENS.bob, {})).toMatchObject({ status: 404 });
    expect(await post('/events', TOKENS.bob, {})).toMatchObject({ status: 401 });
  });

  test.each([
    ['another token', '/rollouts/rollout-1/approve', 'c'.repeat(32), { wave: 1 }, 401],
    ['an unknown rollout', '/rollouts/rollout-9/approve', TOKENS.ann, { wave: 1 }, 404],
    ['another wave', '/rollouts/rollout-1/approve', TOKENS.ann, { wave: 2 }, 409],
    ['no wave', '/rollouts/rollout-1/approve', TOKENS.ann, {}, 400],
  ])('are refused with %s', async (_, path, token, said, status) => {
    expect(await post(path, token, said)).toMatchObject({ status });
    expect((await local.ledger.read('rollout-1')).signals).toEqual([]);
  });

  test.each([
    ['short', 'a token of 20 or more characters'],
    [TOKENS.ann, 'another token than ann has'],
  ])('have no token that proves too little: %s', async (token, why) => {
    writeFileSync(fileOf('bob'), token);
    const opened = openPeople(approversOf(['ann', 'bob']), local.ledger, async () => false);
    await expect(opened).rejects.toMatchObject({
      name: 'InvalidInput',
      message: expect.stringMatching(new RegExp(`approvers.bob: use ${why}`)),
    });
    await expect(opened).rejects.not.toMatchObject({ message: expect.stringContaining(token) });
  });
});

test('config check reads each token, says what is wrong with it, and never shows it: exit 2', async () => {
  writeFileSync(fileOf('bob'), 'canary-short');
  writeFileSync(fileOf('cid'), TOKENS.ann);
  const config = join(local.folder, 'people.json');
  const approvers = { ...approversOf(['ann', 'bob', 'cid']), dan: { environment: 'DAN_TOKEN' } };
  const said = { endpointUrl: 'http://127.0.0.1:1', runtimes: {}, approvers };
  writeFileSync(config, JSON.stringify(said));
  const { code, stdout, stderr } = await local.run('config', 'check', config, '-o', 'json');
  expect(stdout + stderr).not.toMatch(new RegExp(`canary|${TOKENS.ann}`));
  const own = JSON.parse(stdout).checks.filter(({ check }: never) => check === 'approver');
  expect([
    code,
    own.map(({ of, result, message }: never) => `${result} ${of}: ${message}`),
  ]).toEqual([
    2,
    [
      'ok ann: The token can be read.',
      'fault bob: approvers.bob: use a token of 20 or more characters.',
      'fault cid: approvers.cid: use another token than ann has.',
      expect.stringMatching(/^fault dan: .*DAN_TOKEN/),
    ],
  ]);
});

/** Two people are needed, and one has a token. */
function writeCounting(): string {
  const config = join(local.folder, 'count.json');
  const verify = { approval: { timeoutSeconds: 60, notTheStarter: true } };
  const runtimes = { shop: {} };
  const said = { endpointUrl: 'http://127.0.0.1:1', policies: { default: { verify } }, runtimes };
  writeFileSync(config, JSON.stringify({ ...said, approvers: approversOf(['ann']) }));
  return config;
}

describe('without a token', () => {
  test('nobody approves where people are counted, and anybody rejects', async () => {
    const approved = await local.run('rollout', 'approve', 'rollout-1');
    expect(approved).toMatchObject({ code: 2, stdout: '' });
    expect(approved.stderr).toContain('nothing proves who you are');

    expect(await local.run('rollout', 'reject', 'rollout-1')).toMatchObject({ code: 0 });
  });

  test.each([
    ['plan', ['rollout', 'plan', 'shop', '--version', '2']],
    ['start', ['rollout', 'start', 'shop', '--version', '2', '--yes']],
    ['listen', ['listen', '--port', '0']],
  ])('%s says that as many as may be needed have none', async (_, command) => {
    const config = writeCounting();

    const { code, stderr } = await local.run(...command, '--config', config);

    expect(code).toBe(2);
    expect(stderr).toContain('verify.approval: of shop: 2 people may have to approve');
  });

  test('config check finds it, unless rollouts run on AWS', async () => {
    const checked = async (...more: string[]) => {
      const { stdout } = await local.run('config', 'check', writeCounting(), '-o', 'json', ...more);
      const checks: { check: string; result: string }[] = JSON.parse(stdout).checks;
      return checks.filter(({ check }) => check === 'approval').map(({ result }) => result);
    };
    expect(await checked()).toEqual(['fault']);
    expect(await checked('--engine', 'aws')).toEqual([]);
  });
});
