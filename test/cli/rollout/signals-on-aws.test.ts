import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { acceptedAt } from '../../../lib/domain/rollout/opening.ts';
import { recordOf } from '../../domain/examples.ts';
import { type FakeAws, startFakeAws } from '../../support/fake-aws.ts';
import { runHere } from '../run-here.ts';

const home = mkdtempSync(join(tmpdir(), 'steproll-signals-'));
const CONFIG = join(home, 'config.json');
const ANN = 'arn:aws:sts::123456789012:assumed-role/Ops/ann';
let aws: FakeAws;

beforeAll(async () => {
  writeFileSync(CONFIG, '{}');
  aws = await startFakeAws();
});

afterAll(async () => {
  await aws.close();
  rmSync(home, { recursive: true });
});

function runAsAnn(...args: string[]) {
  const own = { STEPROLL_STATE_DIR: home, STEPROLL_CONFIG: CONFIG };
  return runHere(args, { ...aws.variables, ...own, AWS_ACCESS_KEY_ID: 'ann' });
}

test('an abort of a rollout under way has the ARN of whoever calls', async () => {
  const request = { ...recordOf().request, rolloutId: 'under-way', runtimeId: 'under-way' };
  await aws.ledger.open(request, Date.now(), Date.now() + 60_000);

  expect(await runAsAnn('rollout', 'abort', 'under-way', '--yes')).toMatchObject({ code: 0 });

  const { signals } = await aws.ledger.read('under-way');
  expect(signals).toEqual([expect.objectContaining({ kind: 'abort', by: ANN })]);
});

test('so has the end of one that has not begun', async () => {
  const { policy: _, ...asked } = recordOf().request;
  const request = { ...asked, policy: null, rolloutId: 'waiting', runtimeId: 'waiting' };
  await aws.ledger.enlist(request, acceptedAt(Date.now()), Date.now());

  expect(await runAsAnn('rollout', 'abort', 'waiting', '--yes')).toMatchObject({ code: 0 });

  const { outcome } = await aws.ledger.read('waiting');
  expect(outcome?.message).toContain(`by ${ANN}`);
});

test('and so has a start', async () => {
  const start = ['rollout', 'start', 'shop', '--version', '7', '--yes', '--detach'];
  expect(await runAsAnn(...start)).toMatchObject({ code: 0 });
  const { startedBy } = JSON.parse(String(aws.calls.at(-1)?.input.input));
  expect(startedBy).toMatchObject({ kind: 'person', name: ANN });
});
