import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../../lib/simulation/scenario.ts';
import { startEndpointServer } from '../../../lib/simulation/server.ts';
import { ended } from '../program-process.ts';
import { startHere } from '../run-here.ts';

// JSON that people write, as editors and shells of theirs leave it.

const home = mkdtempSync(join(tmpdir(), 'steproll-written-'));
const file = join(home, 'written.json');
let service: Awaited<ReturnType<typeof startEndpointServer>>;

beforeAll(async () => {
  service = await startEndpointServer({
    scenario: parseScenario({ runtimes: [{ id: 'shop', endpoints: 2 }] }),
    port: 0,
    clock: systemClock,
  });
});
afterAll(async () => {
  await service.close();
  rmSync(home, { recursive: true });
});

function run(written: string | Buffer, ...args: readonly string[]) {
  writeFileSync(file, written);
  return ended(startHere(home, args));
}

describe('a key that an object has twice is a mistake with both places', () => {
  const TWICE = `{
  "policies": { "default": { "onFailure": "hold" } },
  "runtimes": {
    "shop": { "policy": "default", "attributes": { "tier": "free" } },
    "sh\\u006fp": {}
  },
  "policies": {},
  "wrong": [{ "a": 1 }, { "a": 1, "b": "{\\"a\\":,", "a": 2 }]
}`;
  const MISTAKES = [
    'runtimes.shop: given twice, at 4:5 and at 5:5; keep one of them',
    'policies: given twice, at 2:3 and at 7:3; keep one of them',
    'wrong[1].a: given twice, at 8:27 and at 8:52; keep one of them',
    'wrong: unknown key',
  ];

  test.each([
    [['config', 'check', file], `Invalid arguments, 4 mistakes:`, `  ${file}, `],
    [['rollout', 'plan', 'shop', '--version', '2', '--config', file], '4 mistakes', `  ${file}, `],
    [
      [
        'rehearse',
        'shop',
        '--version',
        '2',
        '--scenario',
        join(home, 'fleet.json'),
        '--against',
        file,
      ],
      `--against: Invalid ${file}, 4 mistakes:`,
      '  ',
    ],
  ])('of a configuration, with every other mistake: %j', async (args, heading, indent) => {
    writeFileSync(join(home, 'fleet.json'), '{ "runtimes": [{ "id": "shop", "endpoints": 2 }] }');
    const { code, stderr } = await run(TWICE, ...args, ...(args[0] === 'rehearse' ? [] : urlOf()));
    expect(code).toBe(2);
    expect(stderr).toContain(heading);
    for (const mistake of MISTAKES) expect(stderr).toContain(`${indent}${mistake}\n`);
  });

  test('of a scenario', async () => {
    const written = '{ "runtimes": [{ "id": "shop", "endpoints": 2, "id": "cart" }], "fault": [] }';
    const { code, stderr } = await run(written, 'serve', '--scenario', file);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `--scenario: Invalid scenario ${file}, 2 mistakes:
  runtimes[0].id: given twice, at 1:18 and at 1:48; keep one of them
  fault: unknown key (did you mean faults?)
`,
    });
  });

  test('of the versions of a group', async () => {
    const args = ['rollout', 'plan', '--group', 'prod', '--versions', file, ...urlOf()];
    const { code, stderr } = await run('{ "eu": 2, "us": "x", "eu": 3 }', ...args);
    expect(code).toBe(2);
    expect(stderr).toContain(
      `--versions: ${file}, eu: given twice, at 1:3 and at 1:23; keep one of them\n`,
    );
    expect(stderr).toContain('--versions.us: "x" is not allowed');
  });
});

describe('a file is read', () => {
  const config = () => JSON.stringify({ endpointUrl: service.url, runtimes: { shop: {} } });

  test.each([
    ['UTF-8 with a byte order mark', (text: string) => Buffer.from(`\ufeff${text}`)],
    ['UTF-16 as PowerShell writes it', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    [
      'UTF-16, the other way round',
      (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
    ],
  ])('in %s', async (_, encode) => {
    const { code, stderr } = await run(encode(config()), 'config', 'check', file);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('so is a profiles file', async () => {
    const profiles = join(home, 'steproll-profiles');
    writeFileSync(profiles, Buffer.from(`\ufeff[default]\nendpoint_url = ${service.url}\n`));
    const args = ['agent', 'runtime', 'endpoint', 'list', 'shop', '-o', 'json'];
    const { code } = await ended(startHere(home, args, { STEPROLL_PROFILES_FILE: profiles }));
    expect(code).toBe(0);
  });

  test('and what is no text is called so', async () => {
    const { code, stderr } = await run(Buffer.from([0x7b, 0xff, 0x7d]), 'config', 'check', file);
    expect(code).toBe(2);
    expect(stderr).toContain(
      `--config: Cannot read ${file}: The encoded data was not valid for encoding utf-8`,
    );
  });

  test.each([
    ['[]', 'an empty list is not allowed; use an object'],
    ['[{}]', 'a list of 1 is not allowed; use an object'],
    ['null', 'null is not allowed; use an object'],
  ])('a configuration that is %s is told what it should be', async (written, verdict) => {
    const { code, stderr } = await run(written, 'config', 'check', file);
    expect(code).toBe(2);
    expect(stderr).toContain(`  ${file}: ${verdict}\n`);
  });
});

describe('the path of a secret', () => {
  const written = () =>
    JSON.stringify({
      endpointUrl: service.url,
      auth: { kind: 'bearer', secret: { file: 'token' } },
      runtimes: { shop: {} },
    });

  test('starts at the folder of the configuration, wherever the command runs', async () => {
    writeFileSync(join(home, 'token'), '\ufefftoken\r\n');
    writeFileSync(file, written());
    const { code, stderr } = await ended(
      startHere(home, ['config', 'check', file], {}, { cwd: tmpdir() }),
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  test('is told in full, with the reason, when nothing can be read there', async () => {
    rmSync(join(home, 'token'), { force: true });
    const { stdout } = await run(written(), 'config', 'check', file, '-o', 'json');
    expect(stdout).toContain(`the secret file ${join(home, 'token')} cannot be read: ENOENT`);
  });
});

test('--poll 0 and an option with two values are mistakes, and nothing is sent', async () => {
  const args = ['rollout', 'plan', 'shop', '--version', '2', '--version', '3', '--poll', '0'];
  const { code, stderr } = await run('', ...args, ...urlOf(), ...urlOf());
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `Invalid arguments, 2 mistakes:
  --version: given twice, "2" and "3"; give it once
  --poll: "0" is not allowed; use a number of at least 1
`,
  });
});

test('a mistake is told once: a name that is empty, and several words that are', async () => {
  const empty = ['--config=', '--profile=', '--select', ',,'];
  const { code, stderr } = await run(
    '',
    ...['rollout', 'plan', 'shop', '--version', '2', ...empty, ...urlOf()],
  );
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: `Invalid arguments, 3 mistakes:
  --profile: "" is not allowed; use at least 1 character
  --config: "" is not allowed; use at least 1 character
  --select: ",," is not allowed; use at least 1 character
`,
  });
});

function urlOf(): string[] {
  return ['--endpoint-url', service.url];
}
