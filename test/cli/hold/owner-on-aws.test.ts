import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type FakeAws, NAMELESS, startFakeAws } from '../../support/fake-aws.ts';
import { runHere } from '../run-here.ts';

const home = mkdtempSync(join(tmpdir(), 'steproll-owner-'));
const CONFIG = join(home, 'config.json');
let aws: FakeAws;

beforeAll(async () => {
  // The stack tells others, so the webhooks of this machine are not called.
  const webhooks = [{ url: 'https://hooks.example.com' }];
  writeFileSync(CONFIG, JSON.stringify({ notifications: { webhooks } }));
  aws = await startFakeAws();
});

afterAll(async () => {
  await aws.close();
  rmSync(home, { recursive: true });
});

/** Runs a command with the credentials of this session of the role Ops. */
function runAs(session: string, ...args: string[]) {
  const own = { STEPROLL_STATE_DIR: home, STEPROLL_CONFIG: CONFIG };
  return runHere(args, { ...aws.variables, ...own, AWS_ACCESS_KEY_ID: session });
}

const WHY = ['--reason', 'patching', '--yes'];

async function addAs(session: string) {
  const args = ['hold', 'add', 'freeze', '--until', '1h', ...WHY, '-o', 'json'];
  const { code, stdout, stderr } = await runAs(session, ...args);
  return { code, stderr, hold: JSON.parse(stdout) };
}

describe('the owner of a hold on AWS', () => {
  test('is the ARN of whoever calls, who may lift it, and others only with --force', async () => {
    const { code, stderr, hold } = await addAs('ann');
    const arn = 'arn:aws:sts::123456789012:assumed-role/Ops/ann';
    expect({ code, stderr, by: hold.by }).toEqual({ code: 0, stderr: '', by: arn });

    const refused = await runAs('bob', 'hold', 'lift', hold.id, ...WHY);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(arn) });
    expect((await runAs('ann', 'hold', 'lift', hold.id, ...WHY)).code).toBe(0);

    const { hold: next } = await addAs('ann');
    const forced = await runAs('bob', 'hold', 'lift', next.id, '--force', ...WHY, '-o', 'json');
    expect(JSON.parse(forced.stdout)).toMatchObject([
      { lifted: { by: 'arn:aws:sts::123456789012:assumed-role/Ops/bob' } },
    ]);
  });

  test('is the user of this machine where AWS does not say who calls: the line is stopped all the same', async () => {
    const { code, hold } = await addAs(NAMELESS);
    expect({ code, by: hold.by }).toEqual({ code: 0, by: userInfo().username });
    expect(await aws.ledger.listHolds()).toContainEqual(expect.objectContaining({ id: hold.id }));
    expect((await runAs(NAMELESS, 'hold', 'lift', hold.id, ...WHY)).code).toBe(0);
  });

  test('tells nobody itself: the stack does', async () => {
    const before = aws.calls.length;
    const { hold } = await addAs('ann');
    expect(aws.calls.slice(before)).toEqual([]);
    const stored = (await aws.ledger.listHolds()).find(({ id }) => id === hold.id);
    expect(stored).not.toHaveProperty('told');
  });
});
