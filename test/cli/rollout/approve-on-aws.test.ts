import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { startClock } from '../../../lib/domain/clock.ts';
import { waveEventIdOf } from '../../../lib/domain/rollout/event.ts';
import { beginWave } from '../../../lib/domain/wave/progress.ts';
import { documentedPolicy } from '../../docs/documented-policy.ts';
import { planOf, policyOf, recordOf, waitFor } from '../../domain/examples.ts';
import { beginWith } from '../../support/begin-with.ts';
import { type FakeAws, startFakeAws } from '../../support/fake-aws.ts';
import { runHere } from '../run-here.ts';

const home = mkdtempSync(join(tmpdir(), 'steproll-approve-'));
const CONFIG = join(home, 'config.json');
let aws: FakeAws;
let rolloutId = '';
let count = 0;

beforeAll(async () => {
  writeFileSync(CONFIG, '{}');
  aws = await startFakeAws();
});
afterAll(async () => {
  await aws.close();
  rmSync(home, { recursive: true });
});

/** A rollout whose first wave waits for two people. */
beforeEach(async () => {
  count += 1;
  rolloutId = `rollout-${count}`;
  const approval = { timeoutSeconds: 3600, onTimeout: 'reject', count: 2 } as const;
  const verify = { probe: null, alarms: [], metrics: [], approval };
  const { ids: _, ...plan } = planOf([1, 2]);
  const runtimeId = `shop-${count}`;
  const request = { ...recordOf().request, rolloutId, runtimeId, policy: policyOf({ verify }) };
  const { ledger } = aws;
  const lease = await ledger.open(request, Date.now(), Date.now() + 60_000, beginWith(plan));
  const asks = { before: null, wait: waitFor('approval') };
  const progress = { ...beginWave(plan, 0, startClock(Date.now())), bakedMs: 300_000 };
  await ledger.saveProgress(lease, progress, asks);
  await ledger.recordEvent(lease, {
    ...{ kind: 'approval-wanted', rolloutId, runtimeId, desiredVersion: 3, at: 0, message: '' },
    eventId: waveEventIdOf(rolloutId, 'approval-wanted', 'forward', 1),
    ...{ direction: 'forward', wave: 1, waves: 2, endpoints: 1 },
  });
});

function runAs(name: string, ...args: string[]) {
  const own = { STEPROLL_STATE_DIR: home, STEPROLL_CONFIG: CONFIG };
  return runHere(args, { ...aws.variables, ...own, AWS_ACCESS_KEY_ID: name });
}

test('an answer is of the user id that AWS knows, and one person counts once', async () => {
  for (const name of ['ann', 'ann', 'bob']) {
    expect(await runAs(name, 'rollout', 'approve', rolloutId)).toMatchObject({ code: 0 });
  }
  expect(await runAs('cy', 'rollout', 'approve', rolloutId)).toMatchObject({ code: 1 });

  const { signals } = await aws.ledger.read(rolloutId);
  expect(signals.map(({ key }) => key)).toEqual(['AROA:ann', 'AROA:ann', 'AROA:bob']);
});

test('how many have approved, and who, is said to whoever looks', async () => {
  const first = await runAs('ann', 'rollout', 'approve', rolloutId);
  expect(first.stdout).toContain('Approved wave 1. One person more has to approve it.');

  const ann = 'arn:aws:sts::123456789012:assumed-role/Ops/ann';
  const shown = await runAs('bob', 'rollout', 'show', rolloutId);
  const text = shown.stdout.replaceAll(/\s+/g, ' ');
  expect(text).toContain(`Wave 1 has 1 of 2 approvals, by ${ann}, and waits for yours`);
  const json = await runAs('bob', 'rollout', 'show', rolloutId, '-o', 'json');
  expect(JSON.parse(json.stdout).approval).toMatchObject({ needed: 2, approvedBy: [ann] });
});

test('the rights of docs/permissions.md are enough to approve and to reject, and all that is written', async () => {
  const policy = documentedPolicy('permissions.md', 'Who may approve');
  const before = aws.asked.length;
  await runAs('ann', 'rollout', 'approve', rolloutId);
  await runAs('bob', 'rollout', 'reject', rolloutId);

  const asked = aws.asked.slice(before).filter(({ by }) => by === 'ann' || by === 'bob');
  const beyond = asked.filter((one) => !READS.includes(one.action) && !policy.allows(one));
  expect(beyond).toEqual([]);
  expect(asked.map(({ action }) => action)).toContain('ConditionCheckItem');
});

test.each([
  ["another's answer", 'UpdateItem', 'yes#AROA:bob'],
  ['one of many', 'UpdateItem', 'yes#AROA:ann2'],
  ['the rollout itself', 'UpdateItem', 'rollout#rollout-1'],
  ['a hold', 'UpdateItem', 'holds'],
  ['what it may write, away', 'DeleteItem', 'answers#rollout-1'],
])('they let nobody write %s', (_, action, pk) => {
  const policy = documentedPolicy('permissions.md', 'Who may approve');
  expect(policy.allows({ action, by: 'ann', input: { Key: { pk: { S: pk } } } })).toBe(false);
});

test.each([
  ['a lease or an end that waits', 'yes#AROA:ann', 'openAs'],
  ['a rollout of a runtime', 'yes#AROA:ann', 'runtimeId'],
  ['a rollout in the history', 'yes#AROA:ann', 'listedIn'],
  ['a request', 'answers#rollout-1', 'request'],
  ["an answer that is nobody's", 'answers#rollout-1', 'signals'],
  ['the time of its own removal', 'answers#rollout-1', 'expiresAt'],
])('they let nobody write what would look like %s', (_, pk, attribute) => {
  const { allows } = documentedPolicy('permissions.md', 'Who may approve');
  const may = (name: string) =>
    [
      { UpdateExpression: 'SET #a = :a', ExpressionAttributeNames: { '#a': name } },
      { UpdateExpression: `SET ${name} = :a` },
    ].map((write) =>
      allows({
        action: 'UpdateItem',
        by: 'ann',
        input: { Key: { pk: { S: pk }, sk: { S: 'x' } }, ...write },
      }),
    );
  expect(may(pk.startsWith('yes') ? 'signals' : 'rolloutId')).toEqual([true, true]);
  expect(may(attribute)).toEqual([false, false]);
});

test('those of who may hold are enough to hold and to lift, and all that is written', async () => {
  const policy = documentedPolicy('permissions.md', 'Who may hold');
  const before = aws.asked.length;
  const why = ['--reason', 'a try', '--yes'];
  const added = await runAs('ann', 'hold', 'add', 'freeze', 'nobody', '--until', '1h', ...why);
  expect(added).toMatchObject({ code: 0 });
  const [hold] = await aws.ledger.listHolds();
  expect(await runAs('ann', 'hold', 'lift', hold?.id ?? '', ...why)).toMatchObject({ code: 0 });

  const asked = aws.asked.slice(before).filter(({ by }) => by === 'ann');
  const writes = asked.filter(({ action }) => !READS.includes(action));
  expect(writes).toHaveLength(2);
  expect(writes.filter((one) => !policy.allows(one))).toEqual([]);
});

test('where AWS does not say who asks, nothing is approved', async () => {
  const { code, stderr } = await runAs('nameless', 'rollout', 'approve', rolloutId);

  expect({ code, stderr }).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('AwsUnavail'),
  });
  expect((await aws.ledger.read(rolloutId)).signals).toEqual([]);
});

const READS = ['GetItem', 'Query', 'BatchGetItem'];
