import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../../lib/simulation/scenario.ts';
import { type RequestLine, startEndpointServer } from '../../../lib/simulation/server.ts';
import { planViewSchema } from '../../../lib/telling/view/plan-view.ts';
import { createAuthority } from '../../support/certificates.ts';
import { ended } from '../program-process.ts';
import { runHere, startHere } from '../run-here.ts';

const home = mkdtempSync(join(tmpdir(), 'steproll-plan-'));
const requests: RequestLine[] = [];
let server: Awaited<ReturnType<typeof startEndpointServer>>;

beforeAll(async () => {
  const runtimes = ['shown', 'learned', 'agreed', 'grown', 'back'].map((id) => ({
    id,
    endpoints: 2,
  }));
  const scenario = parseScenario({
    runtimes: runtimes.map((runtime) => ({ ...runtime, version: 2, rollSeconds: 0.1 })),
    faults: [{ runtime: 'back', endpoint: 'endpoint-02', version: 3, kind: 'stuck' }],
  });
  const onRequest = (line: RequestLine) => void requests.push(line);
  server = await startEndpointServer({ scenario, port: 0, clock: systemClock, onRequest });
});

afterAll(async () => {
  await server.close();
  rmSync(home, { recursive: true });
});

function run(command: string, runtimeId: string, ...more: string[]) {
  const how = ['--bake', '0', '--poll', '1', '--endpoint-url', server.url];
  return ended(startHere(home, ['rollout', command, runtimeId, ...how, ...more]));
}

/** A plan as programs get it, which is what its schema says. */
function readPlan(stdout: string) {
  const plan = JSON.parse(stdout);
  expect(planViewSchema.safeParse(plan).error).toBeUndefined();
  return plan;
}

/** What was asked of a runtime, other than to be read. */
function writesTo(runtimeId: string): readonly RequestLine[] {
  const path = `/agent-runtimes/${runtimeId}/`;
  return requests.filter(({ method, url }) => method !== 'GET' && url.startsWith(path));
}

test.each([['plan'], ['start', '--yes']])(
  'C01: rollout %s to the latest version, where the service cannot list versions: exit 2, and nothing is done',
  async (command, ...more) => {
    const before = readdirSync(home);
    expect(await run(command, 'shown', '--version', 'latest', ...more)).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^VersionsUnsupported: This service cannot list .*\n$/),
    });
    expect(readdirSync(home)).toEqual(before);
    expect(writesTo('shown')).toEqual([]);
  },
);

describe('rollout plan', () => {
  test('says that a version in quarantine is refused, and with --again that it begins', async () => {
    const how = ['quarantine', 'agreed', '--version', '9', '--until', '1h', '--reason', 'it leaks'];
    const hold = await ended(startHere(home, ['hold', 'add', ...how, '--yes', '-o', 'json']));
    const { id } = JSON.parse(hold.stdout);
    const what = ['--version', '9', '-o', 'json'];
    const { begin } = readPlan((await run('plan', 'agreed', ...what)).stdout);
    expect(begin).toMatchObject({ at: null, message: expect.stringContaining(id) });
    const again = JSON.parse((await run('plan', 'agreed', ...what, '--again')).stdout);
    expect(again.begin.at).not.toBeNull();
    await ended(startHere(home, ['hold', 'lift', id, '--reason', 'x', '--yes']));
  });

  test('shows what would be done; -o id is the fingerprint alone; nothing is changed', async () => {
    const before = readdirSync(home);
    const shown = await run('plan', 'shown', '--version', '3', '--exclude', 'endpoint-02');
    expect(shown).toEqual({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(
        /^Plan [0-9a-f]{16}: shown to version 3, 1 of 2 endpoints in 1 wave\n(?: {2}.+\n)+$/,
      ),
    });
    expect(shown.stdout).toContain('  Not selected: 1 (endpoint-02)\n');

    const id = await run('plan', 'shown', '--version', '3', '-o', 'id');
    expect(id).toEqual({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^[0-9a-f]{16}\n$/),
    });
    const json = await run('plan', 'shown', '--version', '3', '-o', 'json');
    expect(readPlan(json.stdout)).toMatchObject({
      id: id.stdout.trim(),
      fingerprint: id.stdout.trim(),
      runtimeId: 'shown',
      desiredVersion: 3,
      policy: { bakeSeconds: 0, pollSeconds: 1 },
      plan: { direction: 'forward', endpoints: [{ name: 'endpoint-01' }, { name: 'endpoint-02' }] },
    });
    expect(writesTo('shown')).toEqual([]);
    expect(readdirSync(home)).toEqual(before);
  });

  test('a bake that is said beside a preset is that of every wave; without it none of its bakes is lost', async () => {
    const plan = ['rollout', 'plan', 'shown', '--version', '3', '--endpoint-url', server.url];
    const bakesOf = async (...more: string[]) => {
      const { stdout } = await ended(startHere(home, [...plan, '--preset', 'careful', ...more]));
      return stdout.match(/bake [^\n]*/g);
    };
    expect(await bakesOf('--bake', '10s')).toEqual(['bake 10 s', 'bake 10 s', 'bake is kept']);
    expect(await bakesOf()).toEqual(['bake 12 h', 'bake 2 h', 'bake is kept']);
  });

  test('says what the rollout will take: unknown at first, then as in the past', async () => {
    const before = await run('plan', 'learned', '--version', '3');
    expect(before.stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /nobody knows when it ends 0 s of bakes, and the time of 2 rolls .* Nobody knows how long a roll takes: there is no past/,
    );
    const unknown = readPlan((await run('plan', 'learned', '--version', '3', '-o', 'json')).stdout);
    expect(unknown.estimate).toMatchObject({ seconds: null, roundSeconds: null, learnedFrom: 0 });
    expect(unknown.begin.endsAt).toBeNull();
    await run('start', 'learned', '--version', '3', '--yes');
    const { stdout } = await run('plan', 'learned', '--version', '4', '-o', 'json');
    const { estimate } = readPlan(stdout);
    expect(estimate).toMatchObject({ bakeSeconds: 0, rounds: 2, learnedFrom: 1, rolls: 2 });
    expect(estimate.roundSeconds).toBeLessThan(30);
    expect(estimate.transitions).toBeGreaterThan(estimate.lambdaCalls);
  });

  test('a version that is taken from another endpoint: there is nothing to do where it is live', async () => {
    expect(await run('plan', 'shown', '--version-from', 'endpoint-01')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Plan: nothing to do for version 2\n'),
    });
  });

  test('says whom the words of its policy mean, also in JSON', async () => {
    const config = join(home, 'protect.json');
    writeFileSync(config, JSON.stringify({ policies: { default: { protect: ['Endpoint-01'] } } }));
    const how = ['--version', '3', '--exclude', 'endpoint-02', '--config', config];
    const { stdout } = await run('plan', 'shown', ...how);
    expect(stdout).toContain(
      '  Named in the policy:\n    protect[0]: "Endpoint-01" matches no endpoint; perhaps "endpoint-01" is meant',
    );
    const { matches } = readPlan((await run('plan', 'shown', ...how, '-o', 'json')).stdout);
    expect(matches).toMatchObject([
      { place: 'selection.exclude[0]', word: 'endpoint-02', endpoints: [{ label: 'endpoint-02' }] },
      { place: 'protect[0]', endpoints: [], meant: { text: 'endpoint-01', differsIn: ['case'] } },
    ]);
  });

  test.each([
    ['an endpoint that is not there', ['--version-from', 'staging'], 'no such endpoint'],
    ['a downgrade', ['--version', '1'], '--allow-downgrade'],
    ['a step too far', ['--version', '9007199254740991'], '--max-version-step'],
    [
      'a step that is too far for once',
      ['--version', '6', '--max-version-step', '3'],
      'Version 6 is a step of 4: version 2 is the highest one that is live in the runtime',
    ],
    ['nobody selected', ['--version', '3', '--select', 'web-*'], '2 not selected'],
  ])('%s: exit 1, and the reason', async (_, args, reason) => {
    expect(await run('plan', 'shown', ...args)).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(reason),
    });
  });
});

describe('rollout start', () => {
  test('asks with the service, and with what the configuration that is named has weakened', async () => {
    const config = join(home, 'weak.json');
    const statuses = { failed: ['NEVER'], stopped: [] };
    writeFileSync(config, JSON.stringify({ policies: { default: { minServing: 0, statuses } } }));
    const start = ['rollout', 'start', 'shown', '--version', '3', '--config', config];
    const variables = { STEPROLL_STATE_DIR: home, STEPROLL_PROFILES_FILE: join(home, 'profiles') };
    const how = [...start, '--endpoint-url', server.url];
    const { code, stderr } = await runHere(how, variables, 'n\n');
    expect(code).toBe(1);
    for (const part of [
      `  Service: ${server.url}, from the command line\n`,
      'minServing: 0 instead of ',
      'statuses.failed: ["NEVER"] instead of',
      'statuses.stopped: [] instead of ',
      'Nothing checks whether version 3 works: it counts as good when it is live',
      `If the version is bad, what was rolled goes back to the versions before. Start this rollout at ${server.url}? [y/N]`,
    ]) {
      expect(stderr).toContain(part);
    }
    expect(writesTo('shown')).toEqual([]);
  });

  test('asks with windows, gates and the time when it would really begin and end', async () => {
    const config = join(home, 'frozen.json');
    const verify = { approval: { timeoutSeconds: 3600 } };
    const freezes = [{ from: '2020-01-01T00:00', to: '2999-01-01T00:00', reason: 'a long sale' }];
    const ask = async (policy: object) => {
      writeFileSync(
        config,
        JSON.stringify({ endpointUrl: server.url, policies: { default: policy } }),
      );
      const start = ['rollout', 'start', 'shown', '--version', '3', '--config', config];
      const variables = {
        STEPROLL_STATE_DIR: home,
        STEPROLL_PROFILES_FILE: join(home, 'profiles'),
      };
      const { stderr } = await runHere(start, variables, 'n\n');
      // On a terminal, long lines are wrapped.
      return stderr.replaceAll(/\s+/g, ' ');
    };
    const open = await ask({ verify, windows: [{ from: '00:00', to: '24:00' }] });
    expect(open).toContain(` Service: ${server.url}, from ${config}, endpointUrl `);
    expect(open).toContain(' Windows: every day 00:00 to 24:00 UTC ');
    expect(open).toContain(' A person must approve, except after the last wave; after 1 h');
    expect(open).toContain(' Begins at once; nobody knows when it ends ');
    const frozen = await ask({ freezes });
    expect(frozen).toContain(' Freeze: 2020-01-01T00:00 to 2999-01-01T00:00 UTC (a long sale) ');
    expect(frozen).toMatch(/ A start now: OutsideWindow: Frozen from 2020-01-01T00:00 to/);
  });

  test('says when each wave can begin where windows bind rolls, and what nobody knows of them', async () => {
    const config = join(home, 'bound.json');
    const at = (hours: number) =>
      `${new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 13)}:00`;
    // It is open now, and has closed when the first bake is over.
    const windows = [{ from: at(0), to: at(2) }];
    const policy = { windowsBind: 'rolls', windows };
    writeFileSync(
      config,
      JSON.stringify({ endpointUrl: server.url, policies: { default: policy } }),
    );
    const what = ['--version', '3', '--bake', '6h', '--config', config];
    const plan = ['rollout', 'plan', 'shown', ...what];
    const { code, stdout } = await ended(startHere(home, plan));
    const text = stdout.replaceAll(/\s+/g, ' ');
    expect(code).toBe(0);
    expect(text).toContain(' Windows and freezes hold back every roll forward ');
    expect(text).toMatch(/ Wave 2 can begin not before .* The runtime is taken for at least /);
    expect(text).toContain(' Wave 1: its longest window lasts 2 h; nobody knows whether a roll ');
    const told = readPlan((await ended(startHere(home, [...plan, '-o', 'json']))).stdout);
    const [first, second] = told.begin.waves.map((wave: { at: string }) => Date.parse(wave.at));
    expect(second - first).toBeGreaterThan(20 * 3_600_000);
    expect(told.windows).toMatchObject({
      faults: [],
      doubts: [/^Wave 1/, /^Wave 2/].map(expect.stringMatching),
    });
  });

  test('says that a gate is red that only the private authority of the configuration lets it ask', async () => {
    const authority = createAuthority();
    const gate = createServer(authority.issue('prometheus', ['127.0.0.1']), (_, answer) => {
      const data = { resultType: 'scalar', result: [1, '7'] };
      answer.setHeader('content-type', 'application/json');
      answer.end(JSON.stringify({ status: 'success', data }));
    }).listen(0, '127.0.0.1');
    await once(gate, 'listening');
    const url = `https://127.0.0.1:${(gate.address() as AddressInfo).port}`;
    writeFileSync(join(home, 'ca.pem'), authority.cert);
    const config = join(home, 'private.json');
    const prometheus = [{ name: 'errors', url, query: 'sum(errors)', above: 5 }];
    const tls = { ca: { file: 'ca.pem' } };
    writeFileSync(
      config,
      JSON.stringify({ tls, policies: { default: { verify: { prometheus } } } }),
    );
    const what = ['--version', '3', '--config', config];
    const { begin } = readPlan((await run('plan', 'shown', ...what, '-o', 'json')).stdout);
    expect(begin).toMatchObject({ at: null, message: expect.stringMatching(/^GateRed: .*errors/) });
    const started = await run('start', 'shown', ...what, '--yes');
    expect(started).toMatchObject({ code: 1, stdout: expect.stringContaining('errors') });
    gate.closeAllConnections();
    gate.close();
  });

  test('says which gates have no answer now, such as those with too few requests', async () => {
    const gate = createPlainServer(async (asked, answer) => {
      for await (const _ of asked);
      const data = { resultType: 'scalar', result: [1, '7'] };
      answer.setHeader('content-type', 'application/json');
      answer.end(JSON.stringify({ status: 'success', data }));
    }).listen(0, '127.0.0.1');
    await once(gate, 'listening');
    const url = `http://127.0.0.1:${(gate.address() as AddressInfo).port}`;
    const config = join(home, 'few.json');
    const atLeast = { query: 'sum(requests)', count: 20 };
    const prometheus = [{ name: 'errors', url, query: 'sum(errors)', above: 5, atLeast }];
    writeFileSync(config, JSON.stringify({ policies: { default: { verify: { prometheus } } } }));
    const what = ['--version', '3', '--config', config];
    const said = await run('plan', 'shown', ...what);
    expect(said.stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /Gates without an answer now, .*: .*errors.* 7 of at least 20/,
    );
    const { unsaid, begin } = JSON.parse(
      (await run('plan', 'shown', ...what, '-o', 'json')).stdout,
    );
    expect(unsaid).toMatchObject([
      { verdict: 'unknown', detail: expect.stringMatching(/7 of .* 20/) },
    ]);
    expect(begin.at).not.toBeNull();
    gate.closeAllConnections();
    gate.close();
  });

  test('with nobody to ask and no --yes: exit 2 before anything is sent', async () => {
    const before = requests.length;
    expect(await run('start', 'shown', '--version', '3')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'Invalid arguments, 1 mistake:\n  --yes: missing; without a terminal there is nobody to ask\n',
    });
    expect(requests).toHaveLength(before);
  });

  test('--plan runs the plan that was shown while the fleet is the same: exit 0', async () => {
    const { stdout } = await run('plan', 'agreed', '--version', '3', '-o', 'id');
    const how = ['--version', '3', '--yes', '--plan', stdout.trim(), '-o', 'json'];
    const { code, ...output } = await run('start', 'agreed', ...how);
    const { rolloutId, ...result } = JSON.parse(output.stdout);
    expect({ code, result }).toMatchObject({ code: 0, result: { outcome: 'Succeeded' } });
    expect(output.stderr).toMatch(new RegExp(`^Rollout ${rolloutId}\n[^]*Plan ${stdout.trim()}: `));
  });

  test('--plan refuses any other fleet: exit 1, and nothing is rolled', async () => {
    const { stdout } = await run('plan', 'grown', '--version', '3', '-o', 'id');
    const create = ['agent', 'runtime', 'endpoint', 'create', 'grown', '--name', 'endpoint-03'];
    await ended(startHere(home, [...create, '--endpoint-url', server.url]));
    const refused = await run('start', 'grown', '--version', '3', '--yes', '--plan', stdout.trim());
    expect(refused).toMatchObject({
      code: 1,
      stdout: expect.stringContaining(' is not known: it is mistyped'),
      stderr: expect.stringContaining('"steproll rollout plan grown --version'),
    });
    expect(writesTo('grown').map(({ method }) => method)).toEqual(['POST']);
  });

  test('--plan refuses the plan of another version, and does not blame the fleet: exit 1', async () => {
    const { stdout } = await run('plan', 'shown', '--version', '3', '-o', 'id');
    expect(
      await run('start', 'shown', '--version', '4', '--yes', '--plan', stdout.trim()),
    ).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('is not known: it is mistyped, for another version, or '),
    });
    expect(writesTo('shown')).toEqual([]);
  });

  test('--plan that is no fingerprint: exit 2 before anything is sent or recorded', async () => {
    const before = requests.length;
    expect(await run('start', 'shown', '--version', '3', '--yes', '--plan', 'zzz')).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('--plan: "zzz" is not allowed; use the fingerprint'),
    });
    expect(requests).toHaveLength(before);
  });

  test('a runtime without endpoints of that name: the hint has the runtime', async () => {
    const how = ['--version', '3', '--yes', '--select', 'nobody'];
    expect((await run('start', 'shown', ...how)).stderr).toContain('endpoint list shown --all"');
  });

  test('--on-failure roll-back takes a stuck fleet back: exit 1, all on the version before', async () => {
    const how = ['--version', '3', '--yes', '--on-failure', 'roll-back', '-o', 'json'];
    const { code, stdout, stderr } = await run('start', 'back', ...how, '--progress-deadline', '5');
    expect({ code, result: JSON.parse(stdout) }).toMatchObject({
      code: 1,
      result: { outcome: 'Failed', reason: 'Stalled', cleanup: 'rolledBack', version: 3 },
    });
    expect(stderr).toMatch(/Failed\. .*endpoint-0[12] .*What was rolled goes back now\./);
    expect(stderr).toMatch(/Rollback: .*endpoint-02.* rolls? back to version 2/);
    const list = ['agent', 'runtime', 'endpoint', 'list', 'back', '--endpoint-url', server.url];
    const query = ['--query', 'endpoints[].[liveVersion, targetVersion]', '-o', 'json'];
    const listed = await ended(startHere(home, [...list, ...query]));
    expect(JSON.parse(listed.stdout)).toEqual([
      [2, 2],
      [2, 2],
    ]);
  });
});
