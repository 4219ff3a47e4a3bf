import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { startClock } from '../../../lib/domain/clock.ts';
import { beginWave } from '../../../lib/domain/wave/progress.ts';
import { planOf, waitFor } from '../../domain/examples.ts';
import { createLocalLedger, type LocalLedger } from '../local-ledger.ts';

let local: LocalLedger;

beforeEach(async () => {
  local = createLocalLedger();
  for (const name of ['shop', 'docs']) {
    const of = { rolloutId: `${name}-1`, runtimeId: name };
    const { ids: _, ...plan } = planOf([1, 2]);
    await local.begin(of, undefined, plan);
    const lease = { ...of, epoch: 1 };
    const now = Date.now();
    const change = { before: null, wait: waitFor('roll', { lookAt: now + 5_000 }) };
    await local.ledger.saveProgress(lease, beginWave(plan, 0, startClock(now)), change);
  }
});
afterEach(() => local.remove());

const HOUR = ['--until', '1h', '--reason', 'patching', '--yes'];
const standing = async () => (await local.ledger.listHolds()).filter(({ lifted }) => !lifted);

describe('hold add', () => {
  test.each([
    { args: ['freeze'], scope: {} },
    { args: ['pause', 'shop'], scope: { runtimeId: 'shop' } },
    { args: ['freeze', 'group:prod'], scope: { runtimeId: 'group:prod' } },
  ])('holds $scope', async ({ args, scope }) => {
    const before = Date.now();
    const { code: exitCode, stdout } = await local.run('hold', 'add', ...args, ...HOUR);

    expect(exitCode).toBe(0);
    const [hold, ...others] = await standing();
    expect(others).toEqual([]);
    expect(hold).toMatchObject({ kind: args[0], scope, reason: 'patching' });
    expect(hold?.by).not.toBe('');
    expect(hold?.until).toBeGreaterThanOrEqual(before + 3_600_000);
    expect(hold?.until).toBeLessThan(Date.now() + 3_600_001);
    expect(stdout).toContain(`steproll hold lift ${hold?.id}`);
  });

  test('freezes one runtime for as long as 90 days', async () => {
    const { code } = await local.run(
      ...['hold', 'add', 'freeze', 'shop', '--until', '90d', '--reason', 'season', '--yes'],
    );
    expect(code).toBe(0);
    const [hold] = await standing();
    await local.run('hold', 'lift', hold?.id ?? '', '--reason', 'done', '--yes');
    expect(Number(hold?.until) - Number(hold?.at)).toBe(90 * 24 * 3_600_000);
  });

  test('unlocks for at most 4 hours, and says what that does', async () => {
    const why = ['--reason', 'security fix', '--yes'];
    const long = await local.run('hold', 'add', 'unlock', 'shop', '--until', '5h', ...why);
    expect(long).toMatchObject({ code: 2, stderr: expect.stringContaining('at most 4 hours') });
    expect(await standing()).toEqual([]);

    const { code, stdout } = await local.run(
      'hold',
      'add',
      'unlock',
      'shop',
      '--until',
      '4h',
      ...why,
    );
    expect(code).toBe(0);
    expect(stdout).toContain('--any-time');
    const [unlock] = await standing();
    expect(unlock).toMatchObject({ kind: 'unlock', scope: { runtimeId: 'shop' } });
    const lifted = await local.run('hold', 'lift', unlock?.id ?? '', '--reason', 'done', '--yes');
    expect(lifted.code).toBe(0);
    expect(await standing()).toEqual([]);
  });

  test('says of each rollout under way in its scope by when it hears a pause', async () => {
    const { stdout } = await local.run('hold', 'add', 'pause', 'shop', ...HOUR, '-o', 'json');

    const said = JSON.parse(stdout);
    expect(said).toMatchObject({
      kind: 'pause',
      scope: 'runtime shop',
      affected: [{ rolloutId: 'shop-1', runtimeId: 'shop', understands: true }],
    });
    const heardBy = Date.parse(said.affected[0].heardBy);
    expect(heardBy - Date.parse(said.at)).toBeLessThanOrEqual(2_000);
  });

  test('names a rollout that cannot hear it, and the way to end that one', async () => {
    local.understandOnly('shop-1', ['abort']);
    const { stdout } = await local.run('hold', 'add', 'pause', ...HOUR);

    expect(stdout).toMatch(/^shop-1 .*steproll rollout abort shop-1$/m);
    expect(stdout).toMatch(/^docs-1 .*hears that by/m);
  });

  test.each([
    ['without a reason', ['freeze', '--until', '1h', '--yes'], '--reason'],
    ['without an end', ['freeze', '--reason', 'x', '--yes'], '--until'],
    ['for more than 7 days', ['freeze', '--until', '8d', '--reason', 'x', '--yes'], '--until'],
    [
      'of a group for more than 7 days',
      ['freeze', 'group:prod', '--until', '8d', '--reason', 'x', '--yes'],
      '--until: use at most 7 days, or 90 for a freeze of one runtime',
    ],
    [
      'as a pause for more than 7 days',
      ['pause', 'shop', '--until', '8d', '--reason', 'x', '--yes'],
      '--until: use at most 7 days',
    ],
    [
      'of a runtime for more than 90 days',
      ['freeze', 'shop', '--until', '91d', '--reason', 'x', '--yes'],
      '--until',
    ],
    [
      'until a time that is over',
      ['freeze', '--until', '2020-01-01T00:00Z', '--reason', 'x', '--yes'],
      '--until',
    ],
    [
      'until a time without a zone',
      ['freeze', '--until', '2030-01-01T00:00', '--reason', 'x', '--yes'],
      '--until',
    ],
    ['of a kind that is none', ['stop', ...HOUR], 'kind'],
    ['when there is nobody to ask', ['freeze', '--until', '1h', '--reason', 'x'], '--yes'],
  ])('is refused %s', async (_, args, named) => {
    const { code: exitCode, stderr } = await local.run('hold', 'add', ...args);

    expect(exitCode).toBe(2);
    expect(stderr).toContain(named);
    expect(await standing()).toEqual([]);
  });

  test('takes a time with its zone', async () => {
    const until = new Date(Date.now() + 7_200_000).toISOString();
    await local.run('hold', 'add', 'freeze', '--until', until, '--reason', 'x', '--yes');

    expect((await standing())[0]?.until).toBeCloseTo(Date.parse(until), -2);
  });

  test('asks at a terminal, and adds nothing after a no', async () => {
    const { stderr } = await local.type(
      'n\n',
      'hold',
      'add',
      'freeze',
      '--until',
      '1h',
      '--reason',
      'x',
    );

    expect(stderr).toContain('freeze of everything');
    expect(await standing()).toEqual([]);
  });
});

describe('hold list', () => {
  test('names the hold, its owner, its end and its reason, and no hold that was lifted', async () => {
    await local.run('hold', 'add', 'freeze', ...HOUR);
    await local.run('hold', 'add', 'pause', 'shop', ...HOUR);
    const [freeze, pause] = await standing();
    await local.run('hold', 'lift', pause?.id ?? '', '--reason', 'done', '--yes');

    const { stdout } = await local.run('hold', 'list');
    for (const word of [freeze?.id, freeze?.by, 'everything', 'patching'])
      expect(stdout).toContain(word);
    expect(stdout).not.toContain(pause?.id);
    const json = JSON.parse((await local.run('hold', 'list', '-o', 'json')).stdout);
    expect(json).toHaveLength(2);
    const ids = await local.run('hold', 'list', '-o', 'id');
    expect(ids.stdout).toBe(`${freeze?.id}\n`);
    expect(json).toContainEqual(
      expect.objectContaining({
        id: pause?.id,
        lifted: expect.objectContaining({ reason: 'done' }),
      }),
    );
  });
});

describe('hold lift', () => {
  const byAnn = { kind: 'freeze', scope: {}, by: 'ann', reason: 'patching' };
  const addAnns = () => {
    const at = Date.now();
    return local.ledger.addHold({ ...byAnn, id: 'anns', at, until: at + 3_600_000 }, at);
  };

  test('of somebody else is refused and names the owner, unless it is forced', async () => {
    await addAnns();
    const refused = await local.run('hold', 'lift', 'anns', '--reason', 'x', '--yes');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('ann');
    expect(await standing()).toHaveLength(1);

    const forced = await local.run('hold', 'lift', 'anns', '--reason', 'x', '--yes', '--force');
    expect(forced.code).toBe(0);
    expect(await standing()).toEqual([]);
    expect((await local.ledger.listHolds())[0]?.lifted).toMatchObject({ reason: 'x' });
  });

  test('of a hold that is not there ends with 1', async () => {
    const { code: exitCode, stderr } = await local.run(
      'hold',
      'lift',
      'none',
      '--reason',
      'x',
      '--yes',
    );
    expect(exitCode).toBe(1);
    expect(stderr).toContain('NotHeld');
  });
});

describe('rollout pause and unpause', () => {
  test('hold one rollout, and let it go on', async () => {
    await local.run('rollout', 'pause', 'shop-1', ...HOUR);
    expect((await standing())[0]).toMatchObject({
      kind: 'pause',
      scope: { runtimeId: 'shop', rolloutId: 'shop-1' },
    });

    const { code: exitCode } = await local.run(
      'rollout',
      'unpause',
      'shop-1',
      '--reason',
      'x',
      '--yes',
    );
    expect(exitCode).toBe(0);
    expect(await standing()).toEqual([]);
  });

  test('unpause names what still holds the rollout', async () => {
    await local.run('hold', 'add', 'pause', ...HOUR);
    const [wide] = await standing();
    const alone = await local.run('rollout', 'unpause', 'shop-1', '--reason', 'x', '--yes');
    expect(alone.code).toBe(1);
    expect(alone.stderr).toContain(wide?.id);

    await local.run('rollout', 'pause', 'shop-1', ...HOUR);
    const { code: exitCode, stderr } = await local.run(
      'rollout',
      'unpause',
      'shop-1',
      '--reason',
      'x',
      '--yes',
    );
    expect(exitCode).toBe(0);
    expect(stderr).toContain(wide?.id);
  });

  test.each([
    ['that is not there', 'none', 2],
    ['that has ended', 'over', 1],
  ])('pause of a rollout %s is refused', async (_, id, expected) => {
    await local.begin({ rolloutId: 'over', runtimeId: 'other' }, 'Succeeded');
    const { code: exitCode } = await local.run('rollout', 'pause', id, ...HOUR);
    expect(exitCode).toBe(expected);
    expect(await standing()).toEqual([]);
  });
});

describe('a quarantine', () => {
  test('is of a version of a runtime', async () => {
    const args = ['hold', 'add', 'quarantine', 'shop', '--version', '8', ...HOUR];
    const { code } = await local.run(...args);

    expect(code).toBe(0);
    expect(await standing()).toMatchObject([
      { kind: 'quarantine', scope: { runtimeId: 'shop', version: 8 } },
    ]);
    expect((await local.run('hold', 'list')).stdout).toContain('version 8 of runtime shop');
  });

  test.each([
    ['without a version', ['quarantine', 'shop'], '--version'],
    ['of what is no quarantine', ['pause', 'shop', '--under-way', 'go-back'], '--under-way'],
    ['without a runtime', ['quarantine', '--version', '8'], 'scope'],
    ['of a group', ['quarantine', 'group:prod', '--version', '8'], 'scope'],
  ])('%s is refused', async (_, args, named) => {
    const { code, stderr } = await local.run('hold', 'add', ...args, ...HOUR);

    expect(code).toBe(2);
    expect(stderr).toContain(named);
    expect(await standing()).toEqual([]);
  });

  test('that nobody has added is lifted by anybody, and one of a person only with --force', async () => {
    const of = { kind: 'quarantine', at: Date.now(), until: Date.now() + 3_600_000 };
    const scope = { runtimeId: 'shop', version: 8 };
    const own = { id: 'after-1', ...of, scope, by: 'steproll', reason: 'bad', after: 'shop-0' };
    await local.ledger.addHold(own, Date.now());
    await local.ledger.addHold({ id: 'ann-1', ...of, scope, by: 'ann', reason: 'x' }, Date.now());

    const lift = (id: string) => local.run('hold', 'lift', id, '--reason', 'done', '--yes');
    expect((await lift('after-1')).code).toBe(0);
    expect((await lift('ann-1')).code).not.toBe(0);
    expect((await standing()).map(({ id }) => id)).toEqual(['ann-1']);
  });

  test('says that it sends back what is under way, where that is asked for', async () => {
    const args = ['hold', 'add', 'quarantine', 'shop', '--version', '8', '--under-way', 'go-back'];
    const { stdout } = await local.run(...args, ...HOUR, '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({ underWay: 'go-back' });
    expect(await standing()).toMatchObject([{ underWay: 'go-back' }]);
  });

  test('no other hold takes a version', async () => {
    const { code } = await local.run('hold', 'add', 'pause', 'shop', '--version', '8', ...HOUR);
    expect(code).toBe(2);
  });
});

test('the page of a rollout says which pause holds it, and no other one does', async () => {
  await local.run('hold', 'add', 'pause', 'shop', ...HOUR);
  const [hold] = await standing();
  const show = async (rolloutId: string) => (await local.run('rollout', 'show', rolloutId)).stdout;
  const shown = { shop: await show('shop-1'), docs: await show('docs-1') };
  expect(shown.shop).toContain(`hold lift ${hold?.id}`);
  expect(shown.docs).not.toContain('hold lift');
});

test('the list says of a paused rollout which hold that is, and the command that lifts it', async () => {
  await local.run('hold', 'add', 'pause', 'shop', ...HOUR);
  const [hold] = await standing();

  const { stderr } = await local.run('rollout', 'list');

  expect(stderr).toContain(`shop-1: Held by the pause ${hold?.id} of runtime shop until`);
  expect(stderr).toContain(`steproll hold lift ${hold?.id} --reason WHY\n`);
  expect(stderr).not.toContain('docs-1');
});
