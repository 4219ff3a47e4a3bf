import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../../lib/simulation/scenario.ts';
import { startEndpointServer } from '../../../lib/simulation/server.ts';
import { closed, ended, killPrograms, saw, startProgram } from '../program-process.ts';
import { startHere } from '../run-here.ts';

const home = mkdtempSync(join(tmpdir(), 'steproll-groups-'));
const config = join(home, 'config.json');
const RUNTIMES = [
  ...['eu-1', 'eu-2', 'tenant-a', 'slow-1', 'slow-2', 'slow-3'],
  ...['tenant-b', 'eu-3'],
];
let server: Awaited<ReturnType<typeof startEndpointServer>>;

beforeAll(async () => {
  const scenario = parseScenario({
    runtimes: RUNTIMES.map((id) => ({
      id,
      endpoints: 2,
      rollSeconds: id.startsWith('slow') ? 600 : 0.1,
    })),
    faults: ['eu-1', 'tenant-b'].map((runtime) => ({
      runtime,
      endpoint: 'endpoint-01',
      version: 3,
      kind: 'fail',
    })),
  });
  server = await startEndpointServer({ scenario, port: 0, clock: systemClock });
  const polls = { pollSeconds: 1, maxPollSeconds: 1 };
  const group = (...runtimes: string[]) => ({ runtimes, policy: polls });
  const json = {
    endpointUrl: server.url,
    policies: {
      default: { ...polls, bakeSeconds: 0, onFailure: 'hold', maxUnavailable: { percent: 100 } },
    },
    runtimes: Object.fromEntries(RUNTIMES.map((id) => [id, {}])),
    groups: {
      prod: group('eu-1', 'eu-2', 'tenant-a'),
      all: group('tenant-b', 'eu-3'),
      slow: group('slow-1', 'slow-2'),
      patient: { runtimes: ['slow-3'], policy: { pollSeconds: 3600 } },
    },
  };
  writeFileSync(config, JSON.stringify(json));
});

afterAll(async () => {
  killPrograms();
  await server.close();
  rmSync(home, { recursive: true });
});

function run(...args: string[]) {
  return ended(startHere(home, args, { STEPROLL_CONFIG: config }));
}

function versionsIn(versions: object): string {
  const file = join(home, `${randomUUID()}.json`);
  writeFileSync(file, JSON.stringify(versions));
  return file;
}

async function liveVersions(runtimeId: string): Promise<number[]> {
  const query = 'endpoints[].liveVersion';
  const how = ['--all', '-o', 'json', '--query', query];
  const { stdout } = await run('agent', 'runtime', 'endpoint', 'list', runtimeId, ...how);
  return JSON.parse(stdout);
}

const idIn = (written: string) => /^Rollout (\S+)\n/.exec(written)?.[1] ?? '';

describe('a group of the configuration', () => {
  test('is planned with runtimes in the place of endpoints, and nothing is rolled', async () => {
    const { code, stdout } = await run('rollout', 'plan', '--group', 'prod', '--version', '2');
    expect(code).toBe(0);
    expect(stdout).toMatch(/group:prod to version 2, 3 of 3 runtimes in 2 waves/);
    expect(stdout).toContain('Wave 1: 1 (eu-1)');
    expect(stdout).toContain('1 in mid-roll or lost');
    expect(await liveVersions('eu-1')).toEqual([1, 1]);
  });

  test('is rolled by one command, also when its process was killed in between', async () => {
    const args = ['rollout', 'start', '--group', 'prod', '--version', '2', '--yes'];
    const child = startProgram(home, args, 'steproll', { STEPROLL_CONFIG: config });
    const rolloutId = idIn(await saw(child, 'eu-2: Wave 1 of'));
    child.kill('SIGKILL');
    await closed(child);
    expect(await liveVersions('tenant-a')).toEqual([1, 1]);

    const { code, stdout } = await run('rollout', 'resume', rolloutId, '-o', 'json');
    expect({ code, result: JSON.parse(stdout) }).toMatchObject({
      code: 0,
      result: { rolloutId, runtimeId: 'group:prod', version: 2, outcome: 'Succeeded' },
    });
    for (const id of ['eu-1', 'eu-2', 'tenant-a']) expect(await liveVersions(id)).toEqual([2, 2]);

    const listed = await run('rollout', 'list', '--group', 'prod', '-o', 'json');
    const [group, ...children] = JSON.parse(listed.stdout);
    expect(group).toMatchObject({ rolloutId, parent: null, outcome: 'Succeeded' });
    expect(children).toMatchObject(
      ['eu-1', 'eu-2', 'tenant-a'].map((runtimeId) => ({ runtimeId, parent: rolloutId })),
    );
  });

  test('ends with the first runtime that fails, and its story names the rollout of that one', async () => {
    const started = await run('rollout', 'start', '--group', 'prod', '--version', '3', '--yes');
    expect(started.code).toBe(1);
    expect(started.stderr).toContain('To take back what was rolled: "steproll rollout revert ');
    const story = await run('rollout', 'show', idIn(started.stderr));
    expect(story.stdout).toMatch(/\n {2}Wave +Runtimes +Rolled\n/);
    expect(story.stdout).toMatch(/\n {2}eu-1, eu-1-v\d+-[0-9a-f]{20}: Failed \(stuck\): Wave 1 of/);
    const { stdout } = await run('rollout', 'show', idIn(started.stderr), '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: 'Failed',
      children: [{ runtimeId: 'eu-1', outcome: 'Failed', reason: 'EndpointFailed' }],
    });
    expect(await liveVersions('tenant-a')).toEqual([2, 2]);
  });

  test('goes back with every runtime when it is told to, and is undone by one command', async () => {
    const policy = ['--on-failure', 'roll-back'];
    const how = ['--group', 'all', '--version', '3', '--yes', ...policy];
    const failed = await run('rollout', 'start', ...how);
    expect(failed.code).toBe(1);
    expect(failed.stdout).toContain('Rolled back: 2 of 2 on their previous versions.');
    for (const id of ['tenant-b', 'eu-3']) expect(await liveVersions(id)).toEqual([1, 1]);
    const { stdout } = await run('rollout', 'show', idIn(failed.stderr), '-o', 'json');
    const { children } = JSON.parse(stdout);
    expect(children).toMatchObject([
      { runtimeId: 'eu-3', outcome: 'Succeeded', revert: null },
      { runtimeId: 'tenant-b', outcome: 'Failed', revert: null },
      { runtimeId: 'eu-3', outcome: 'Succeeded', revert: children[0].rolloutId },
      { runtimeId: 'tenant-b', outcome: 'Succeeded', revert: children[1].rolloutId },
    ]);

    const good = await run('rollout', 'start', '--group', 'all', '--version', '2', '--yes');
    expect(good.code).toBe(0);
    for (const id of ['tenant-b', 'eu-3']) expect(await liveVersions(id)).toEqual([2, 2]);
    const undone = await run('rollout', 'revert', idIn(good.stderr), '--yes');
    expect(undone).toMatchObject({ code: 0 });
    for (const id of ['tenant-b', 'eu-3']) expect(await liveVersions(id)).toEqual([1, 1]);
  });

  test('is listed with the rollouts of its runtimes below it, on a terminal of 80 columns too', async () => {
    const atTerminal = (...args: string[]) =>
      ended(startHere(home, args, { STEPROLL_CONFIG: config }, { typed: '' }));
    const listed = await atTerminal('rollout', 'list', '--group', 'prod');
    const rows = listed.stdout.trimEnd().split('\n');
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(80);
    expect(rows.map((row) => row.replace(/\S+-\S+-?\S* +/, 'ID '))).toEqual([
      expect.stringMatching(/^id +outcome +runtime/),
      expect.stringMatching(/^ID Failed \(stuck\) +group:prod/),
      expect.stringMatching(/^ {2}ID Failed \(stuck\) +eu-1/),
      expect.stringMatching(/^ID Succeeded +group:prod/),
      ...['eu-1', 'eu-2', 'tenant-a'].map((id) =>
        expect.stringMatching(new RegExp(`^ {2}ID Succeeded +${id}`)),
      ),
    ]);
    const all = await atTerminal('rollout', 'list');
    expect(all.stdout).toMatch(/^ {2}\S+ +Failed \(stuck\) +eu-1/m);
    expect(all.stdout).not.toMatch(/Succeeded +tenant-a/);
    expect(all.stderr).toMatch(/\d rollouts of runtimes that succeeded for a group: --group/);
    const ofGroup = await run('rollout', 'list', '--group', 'prod', '-o', 'json');
    const json: { readonly rolloutId: string }[] = JSON.parse(ofGroup.stdout);
    const ids = new Set(json.map(({ rolloutId }) => rolloutId));
    const everything = await run('rollout', 'list', '-o', 'json');
    const same = JSON.parse(everything.stdout).filter((one: (typeof json)[0]) =>
      ids.has(one.rolloutId),
    );
    expect(same).toEqual(json);
  });

  test('shows and watches the rollout of one of its runtimes, by the runtime', async () => {
    const listed = await run('rollout', 'list', '--group', 'prod', '--limit', '1', '-o', 'json');
    const [{ rolloutId }, child] = JSON.parse(listed.stdout);
    const how = ['--runtime', 'eu-1', '-o', 'json', '--query', '[rolloutId, runtimeId, outcome]'];
    const expected = [child.rolloutId, 'eu-1', 'Failed'];
    const shown = await run('rollout', 'show', rolloutId, ...how);
    expect([shown.code, JSON.parse(shown.stdout)]).toEqual([0, expected]);
    const watched = await run('rollout', 'watch', rolloutId, ...how);
    expect([watched.code, JSON.parse(watched.stdout)]).toEqual([1, expected]);
    const other = await run('rollout', 'watch', rolloutId, '--runtime', 'tenant-a');
    expect(other).toMatchObject({ code: 2 });
    expect(other.stderr).toContain('--runtime: "tenant-a" is not allowed; it has rolled "eu-1"');
    const ofRuntime = await run('rollout', 'show', child.rolloutId, '--runtime', 'eu-1');
    expect(ofRuntime.stderr).toContain('leave it out: the rollout is not of a group');
  });

  test('is retried as any rollout is, with runtimes that are on the version left out', async () => {
    const how = ['--version', '3', '--poll', '1', '--yes'];
    expect(await run('rollout', 'start', 'eu-2', ...how)).toMatchObject({ code: 0 });
    const listed = await run('rollout', 'list', '--group', 'prod', '--limit', '1', '-o', 'json');
    const [{ rolloutId }] = JSON.parse(listed.stdout);
    // Its endpoint stays broken on the version until the deadline of its rollout, which nobody waits for here.
    const again = ['rollout', 'retry', rolloutId, '--yes'];
    const child = startHere(home, again, { STEPROLL_CONFIG: config });
    const over = ended(child);
    const written = await saw(child, 'Wave 1 of 2, rolling 1 runtime');
    expect(written).toContain('At the version already: 1 (eu-2)');
    child.kill('SIGINT');
    expect((await over).code).toBe(130);
  });

  test('is aborted together with the rollout that it has under way', async () => {
    const args = ['rollout', 'start', '--group', 'slow', '--version', '2', '--yes'];
    const child = startHere(home, args, { STEPROLL_CONFIG: config });
    const over = ended(child);
    const rolloutId = idIn(await saw(child, 'slow-1: Wave 1 of'));
    const refused = await run('rollout', 'abort', rolloutId, '--yes', '--on-abort', 'stop-old');
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain(
      '--on-abort: "stop-old" is not allowed; use "hold" or "roll-back", a group cannot stop',
    );
    expect(await run('rollout', 'abort', rolloutId, '--yes')).toMatchObject({ code: 0 });
    expect((await over).code).toBe(130);
    const { stdout } = await run('rollout', 'show', rolloutId, '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: 'Aborted',
      children: [{ runtimeId: 'slow-1', outcome: 'Aborted' }],
    });
  });

  test('X: is aborted with the rollout that it has under way also when it looks at it only in an hour', async () => {
    const args = ['rollout', 'start', '--group', 'patient', '--version', '2', '--yes'];
    const child = startProgram(home, args, 'steproll', { STEPROLL_CONFIG: config });
    const written = await saw(child, 'slow-3: Wave 1 of');
    const shown = await run('rollout', 'show', idIn(written), '-o', 'json');
    const [{ rolloutId: childId }] = JSON.parse(shown.stdout).children;
    expect(await run('rollout', 'abort', idIn(written), '--yes')).toMatchObject({ code: 0 });
    const watched = await run('rollout', 'watch', childId, '-o', 'json', '--query', 'outcome');
    expect(watched).toMatchObject({ code: 130, stdout: '"Aborted"\n' });
    child.kill('SIGINT');
    await closed(child);
  });

  test('ends with the rollout that it has under way when somebody presses Ctrl-C', async () => {
    const args = ['rollout', 'start', '--group', 'slow', '--version', '3', '--yes'];
    const child = startHere(home, args, { STEPROLL_CONFIG: config });
    const over = ended(child);
    const rolloutId = idIn(await saw(child, 'slow-1: Wave 1 of'));
    child.kill('SIGINT');
    expect((await over).code).toBe(130);
    const { stdout } = await run('rollout', 'show', rolloutId, '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: 'Aborted',
      children: [{ runtimeId: 'slow-1', outcome: 'Aborted' }],
    });
    expect(await liveVersions('slow-2')).toEqual([1, 1]);
  });

  test('to a version that is in quarantine for one is not planned, unless it is wanted again', async () => {
    const why = ['--until', '1h', '--reason', 'it leaks', '--yes', '-o', 'json'];
    const hold = await run('hold', 'add', 'quarantine', 'eu-2', '--version', '9', ...why);
    const { id } = JSON.parse(hold.stdout);
    const what = ['rollout', 'plan', '--group', 'prod', '--version', '9'];
    const refused = await run(...what);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(new RegExp(`Quarantined[\\s\\S]*eu-2[\\s\\S]*${id}`));

    expect((await run(...what, '--again')).code).toBe(0);
    await run('hold', 'lift', id, '--reason', 'done', '--yes');
    expect((await run(...what)).code).toBe(0);
  });

  test('takes each runtime to its own version, with the plan that somebody agreed to', async () => {
    const file = versionsIn({ 'tenant-b': 5, 'eu-3': 7 });
    const what = ['--group', 'all', '--versions', file];
    const plan = await run('rollout', 'plan', ...what);
    expect(plan).toMatchObject({ code: 0, stderr: expect.any(String) });
    expect(plan.stdout).toContain('group:all to versions of their own, 2 of 2 runtimes');
    expect(plan.stdout).toContain('Wave 1: 1 (eu-3 to 7)');
    const { stdout } = await run('rollout', 'plan', ...what, '-o', 'id');
    const agreed = ['--plan', stdout.trim(), '--yes'];
    const other = ['--group', 'all', '--versions', versionsIn({ 'tenant-b': 5, 'eu-3': 8 })];
    const refused = await run('rollout', 'start', ...other, ...agreed);
    expect(refused).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(' is not known: it is mistyped'),
    });
    const started = await run('rollout', 'start', ...what, ...agreed);
    expect(started).toMatchObject({ code: 0 });
    expect(await liveVersions('tenant-b')).toEqual([5, 5]);
    expect(await liveVersions('eu-3')).toEqual([7, 7]);
    const shown = await run('rollout', 'show', idIn(started.stderr), '-o', 'json');
    expect(JSON.parse(shown.stdout)).toMatchObject({ versions: { 'tenant-b': 5, 'eu-3': 7 } });
    const listed = await run('rollout', 'list', '--group', 'all', '--limit', '1', '-o', 'json');
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { version: 7, versions: { 'tenant-b': 5, 'eu-3': 7 } },
      { runtimeId: 'eu-3', version: 7 },
      { runtimeId: 'tenant-b', version: 5 },
    ]);
  });

  test('C: versions of runtimes that do not fit the group are refused, all of them, and nothing starts', async () => {
    const before = await run('rollout', 'list', '-o', 'json');
    const file = versionsIn({ 'tenant-b': 0, 'eu-4': 7 });
    const { code, stderr } = await run(
      'rollout',
      'start',
      '--group',
      'all',
      '--versions',
      file,
      '--yes',
    );
    expect(code).toBe(2);
    expect(stderr).toContain('--versions.tenant-b: 0 is not allowed');
    const known = versionsIn({ 'tenant-b': 2, 'eu-4': 7 });
    const more = await run('rollout', 'start', '--group', 'all', '--versions', known, '--yes');
    expect(more).toMatchObject({ code: 2 });
    expect(more.stderr).toContain('--versions: eu-3: it is in the group, and has no version');
    expect(more.stderr).toContain('--versions: eu-4: it is not in the group');
    const alone = await run('rollout', 'start', 'eu-3', '--versions', known, '--yes');
    expect(alone).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('use it with --group'),
    });
    const lost = await run('rollout', 'plan', '--group', 'all', '--versions', join(home, 'none'));
    expect(lost).toMatchObject({ code: 2, stderr: expect.stringContaining('Cannot read') });
    expect(lost.stderr).not.toContain('--version:');
    expect((await run('rollout', 'list', '-o', 'json')).stdout).toBe(before.stdout);
  });

  test('C: what cannot be asked of a group is refused at once, with everything else', async () => {
    const wrong = ['--version', '2', '--on-failure', 'stop-old', '--allow-downgrade'];
    const { code, stderr } = await run('rollout', 'start', '--group', 'prd', '--yes', ...wrong);
    expect(code).toBe(2);
    expect(stderr).toContain(
      '--group: "prd" is not allowed; use a group of the configuration: "prod", "all", "slow", "patient"',
    );
    expect(stderr).toContain('--on-failure: "stop-old" is not allowed');
    expect(stderr).toContain('--allow-downgrade: leave it out');
    const both = await run('rollout', 'plan', 'eu-1', '--group', 'prod', '--version', '2');
    expect(both).toMatchObject({ code: 2 });
  });
});
