import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sinceOf } from '../../lib/cli/report.ts';
import { createLocalLedger, type LocalLedger } from './local-ledger.ts';

const NOW = Date.UTC(2026, 10, 29, 1, 30);

test.each([
  ['8h', '2026-11-28T17:30Z'],
  ['22:00Z', '2026-11-28T22:00Z'],
  ['01:00Z', '2026-11-29T01:00Z'],
  ['01:30Z', '2026-11-29T01:30Z'],
  ['02:00+01:00', '2026-11-29T01:00Z'],
  ['23:00-05:00', '2026-11-28T04:00Z'],
  ['2026-11-27T22:00+01:00', '2026-11-27T21:00Z'],
])('--since %s at 01:30Z is %s', (text, at) => {
  expect(sinceOf(text, NOW)).toBe(Date.parse(at));
});

test.each([
  '',
  '22:00',
  '2026-11-27',
  '2026-11-30T22:00Z',
  '2026-02-30T22:00Z',
  'yesterday',
  '25:00Z',
  '-8h',
  '999999999d',
])('--since %j is none', (text) => {
  expect(sinceOf(text, NOW)).toBeNull();
});

describe('report', () => {
  let local: LocalLedger;
  beforeAll(async () => {
    local = createLocalLedger();
    await local.begin({ rolloutId: 'done', runtimeId: 'shop' }, 'Failed');
    await local.begin({ rolloutId: 'open', runtimeId: 'cart' });
  });
  afterAll(() => local.remove());

  test('tells what ended and what is under way, as text and as JSON', async () => {
    const { code, stdout, stderr } = await local.run('report', '--since', '1h');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Since .*: 1 failed, 1 under way\.\n/);
    expect(stdout).toMatch(/\nFailed:\n- .*shop to version 3 \(done\), by .*: So\./);
    const printed = await local.run('report', '--since', '1h', '-o', 'json');
    const list = await local.run('rollout', 'list', 'shop', '-o', 'json');
    expect(JSON.parse(printed.stdout)).toMatchObject({
      isWhole: true,
      ended: JSON.parse(list.stdout),
      open: [{ rolloutId: 'open', state: expect.any(String), wants: [], forecast: null }],
      holds: [],
    });
  });

  test.each([[[]], [['--since', 'monday']]])('says what --since takes: %j', async (args) => {
    const { code, stderr } = await local.run('report', ...args);
    expect(code).toBe(2);
    expect(stderr).toContain('--since: ');
    expect(stderr).toContain('a time of day, such as 22:00Z');
  });
});
