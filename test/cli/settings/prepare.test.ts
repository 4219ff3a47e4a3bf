import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, describe, expect, test } from '@jest/globals';
import * as z from 'zod';
import { readEnvironment } from '../../../lib/adapters/machine/environment.ts';
import { wholeNumber } from '../../../lib/cli/options/fields.ts';
import { globalShape } from '../../../lib/cli/options/global-shape.ts';
import { planOptionsSchema } from '../../../lib/cli/options/rollout-options.ts';
import { prepare } from '../../../lib/cli/settings/prepare.ts';
import { confirm } from '../../../lib/cli/terminal/ask.ts';
import { runtimeIdSchema } from '../../../lib/contract/input/checks.ts';
import { captureOutput } from '../../support/capture-output.ts';
import { fakeTerminal } from '../fake-terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'steproll-prepare-'));
const CONFIG = join(folder, 'config.json');
afterAll(() => rmSync(folder, { recursive: true }));

const schema = z.strictObject({
  ...globalShape,
  id: runtimeIdSchema,
  '--version': wholeNumber,
  '--name': z.string().optional(),
});

const COMPLETE = { id: 'shop', '--version': '7', '--endpoint-url': 'https://a.example/' };

async function run(
  given: Record<string, unknown>,
  variables: Record<string, string> = {},
  terminal = fakeTerminal([]),
  mistakes: readonly string[] = [],
) {
  // An empty folder: no profiles, and a configuration that says nothing.
  writeFileSync(CONFIG, '{}');
  const environment = readEnvironment({
    STEPROLL_PROFILES_FILE: join(folder, 'profiles'),
    STEPROLL_CONFIG: CONFIG,
    ...variables,
  });
  return prepare(schema, { given, mistakes }, { terminal, environment });
}

const refusal = (...lines: readonly string[]) =>
  expect.objectContaining({
    name: 'InvalidInput',
    message: [
      `Invalid arguments, ${lines.length} ${lines.length === 1 ? 'mistake' : 'mistakes'}:`,
      ...lines.map((line) => `  ${line}`),
    ].join('\n'),
  });

describe('a command', () => {
  test('gets its options with the defaults filled in', async () => {
    expect((await run(COMPLETE)).options).toEqual({
      id: 'shop',
      '--version': 7,
      '--endpoint-url': 'https://a.example',
      '--service': 'rest',
      '--engine': 'embedded',
      '--stack': 'Steproll',
      '--config': CONFIG,
      '--output': 'table',
      '--interactive': false,
      '--debug': false,
      '--debug-answers': false,
    });
  });

  test.each([
    ['1', true],
    ['TRUE', true],
    ['yes', true],
    ['0', false],
    ['false', false],
    ['No', false],
    ['', false],
  ])('STEPROLL_DEBUG=%s is %s, and on it shows the settings', async (text, isOn) => {
    const output = await captureOutput(async () => {
      expect((await run(COMPLETE, { STEPROLL_DEBUG: text })).options['--debug']).toBe(isOn);
    });
    expect(output.includes(`\ndebug ${text}, from STEPROLL_DEBUG\n`)).toBe(isOn);
  });

  test('C01 C06: every mistake is told at once, under the name of the place it came from', async () => {
    const variables = {
      STEPROLL_OUTPUT: 'xml',
      STEPROLL_DEBUG: 'maybe',
      STEPROLL_QUERY: 'a[',
      STEPROLL_ENDPOINT_URL: 'http://me:canary@a.example/x?canary',
    };
    const given = { id: '..', '--version': '1.5' };
    const all = run(given, variables, fakeTerminal([]), ['--wavse: unknown option']);
    await expect(all).rejects.toThrow(
      refusal(
        '--wavse: unknown option',
        'STEPROLL_ENDPOINT_URL: "http://(hidden)@a.example/x?(hidden)" is not allowed; a user name or password is not allowed; a query is not allowed; http is only for this machine (localhost, 127.0.0.0/8, [::1]): use https, or name the host in allowHttp',
        'STEPROLL_OUTPUT: "xml" is not allowed; use one of "table", "json", "id"',
        'STEPROLL_QUERY: "a[" is not allowed; it is no JMESPath: Syntax error: expected Star, got: EOF',
        'STEPROLL_DEBUG: "maybe" is not allowed; use one of "1", "true", "yes", "0", "false", "no"',
        'id: ".." is not allowed; it would address another path',
        '--version: "1.5" is not allowed; use a whole number of at least 1',
      ),
    );
  });

  test('{region} without a region is one mistake, and so is a wrong region', async () => {
    const given = { ...COMPLETE, '--endpoint-url': 'https://{region}.example' };
    await expect(run(given)).rejects.toThrow(
      refusal(
        '--endpoint-url: "https://{region}.example" is not allowed; {region} stands for the region, and no region is set',
      ),
    );
    await expect(run(given, { STEPROLL_REGION: 'EU.1' })).rejects.toThrow(
      refusal(
        'STEPROLL_REGION: "EU.1" is not allowed; use lower-case letters, digits and hyphens: eu-central-1',
      ),
    );
  });

  test('C03: a mistake shows the text that was typed, and not what was made of it', async () => {
    const given = { '--waves': '0,100%', '--max-unavailable': '0', '--failure-threshold': '101%' };
    const environment = readEnvironment({ STEPROLL_CONFIG: CONFIG });
    const all = prepare(
      planOptionsSchema,
      {
        given: { ...given, 'runtime-id': 'shop', '--version': '0', '--bake': '8d' },
        mistakes: [],
      },
      { terminal: fakeTerminal([]), environment },
    );
    await expect(all).rejects.toThrow(
      refusal(
        '--endpoint-url: missing; use the base URL of the service, here or in STEPROLL_ENDPOINT_URL',
        '--waves: "0,100%" is not allowed; use a number of at least 1',
        '--max-unavailable: "0" is not allowed; use a number of at least 1',
        '--failure-threshold: "101%" is not allowed; use a number of endpoints or a percentage of at most 100%: 1, 25%',
        '--bake: "8d" is not allowed; use a number of at most 604800',
        '--version: "0" is not allowed; use a number of at least 1',
      ),
    );
  });

  test('C04 C06: an unknown key in a file hides no other mistake in it', async () => {
    const { '--endpoint-url': _, ...given } = COMPLETE;
    const profiles = join(folder, 'mistaken');
    writeFileSync(profiles, '[a]\nendpont = x\nendpoint_url = ftp://a\noutput = xml\n');
    const ofProfile = run(given, { STEPROLL_PROFILES_FILE: profiles, STEPROLL_PROFILE: 'a' });
    const name = `profile "a" in ${profiles}`;
    await expect(ofProfile).rejects.toThrow(
      refusal(
        `${name}, endpont: unknown key`,
        `${name}, endpoint_url: "ftp://a" is not allowed; it must start with https://, or with http:// for this machine`,
        `${name}, output: "xml" is not allowed; use one of "table", "json", "id"`,
      ),
    );
    const config = join(folder, 'mistaken.json');
    const ofConfig = () => run(given, { STEPROLL_CONFIG: config });
    writeFileSync(config, '{ "regoin": "x", "endpointUrl": "ftp://a" }');
    await expect(ofConfig()).rejects.toThrow(
      refusal(
        `${config}, regoin: unknown key (did you mean region?)`,
        `${config}, endpointUrl: "ftp://a" is not allowed; it must start with https://, or with http:// for this machine`,
      ),
    );
    writeFileSync(config, '{ "regoin": "x" }');
    await expect(ofConfig()).rejects.toThrow(
      /2 mistakes:\n.*unknown key .*\n {2}--endpoint-url: miss/,
    );
    writeFileSync(config, '{ "endpointUrl": 7 }');
    await expect(ofConfig()).rejects.toThrow(
      refusal(`${config}, endpointUrl: 7 is not allowed; use a string`),
    );
  });

  test('what is missing because of another mistake is not told as well', async () => {
    const { '--version': _, ...given } = COMPLETE;
    const mistakes = ['--version: the value is missing'];
    await expect(run(given, {}, fakeTerminal([]), mistakes)).rejects.toThrow(refusal(...mistakes));
    const { '--endpoint-url': __, ...withoutUrl } = COMPLETE;
    await expect(run(withoutUrl, { STEPROLL_PROFILE: 'nobody' })).rejects.toThrow(
      refusal(
        `STEPROLL_PROFILE: there is no profile "nobody" in ${join(folder, 'profiles')}; it has none`,
      ),
    );
  });
});

describe('-i', () => {
  test('asks for what is required and missing, until the answer is right', async () => {
    const terminal = fakeTerminal(['https://{region}.example\r', 'shop\r', 'seven\r', '7\r']);
    const given = { '--interactive': true, '--region': 'eu-1' };
    const { options } = await run(given, {}, terminal);
    expect(options).toMatchObject({
      id: 'shop',
      '--version': 7,
      '--endpoint-url': 'https://eu-1.example',
    });
    expect(terminal.shown()).toContain('--version: "seven" is not allowed; use a whole number');
    expect(terminal.shown()).not.toContain('--name');
  });

  test('asks for the region of AgentCore and for no URL, which is what the SDK resolves', async () => {
    const terminal = fakeTerminal(['EU\r', 'eu-central-1\r', 'shop\r', '7\r']);
    const given = { '--interactive': true, '--service': 'agentcore' };
    const { options } = await run(given, {}, terminal);
    expect(options).toMatchObject({
      '--region': 'eu-central-1',
      '--endpoint-url': expect.stringMatching(/^http/),
    });
    expect(terminal.shown()).toContain('--region: "EU" is not allowed; use lower-case letters');
    expect(terminal.shown()).not.toContain('--endpoint-url');
  });

  test('asks for the version of a rollout, unless it is taken from another endpoint', async () => {
    const environment = readEnvironment({ STEPROLL_PROFILES_FILE: join(folder, 'profiles') });
    const ask = async (answers: readonly string[], more: object = {}) => {
      const terminal = fakeTerminal(answers);
      const given = { '--interactive': true, '--endpoint-url': 'https://a.example', ...more };
      const surroundings = { terminal, environment };
      const invocation = { given, mistakes: [] };
      return (await prepare(planOptionsSchema, invocation, surroundings)).options;
    };
    expect(await ask(['shop\r', '0\r', '7\r'])).toMatchObject({
      'runtime-id': 'shop',
      '--version': 7,
    });
    const from = await ask(['shop\r'], { '--version-from': 'staging' });
    expect(from).toMatchObject({ 'runtime-id': 'shop', '--version-from': 'staging' });
    expect(from).not.toHaveProperty('--version');
  });

  test('asks nothing when nothing is missing', async () => {
    const terminal = fakeTerminal([]);
    await run(COMPLETE, { STEPROLL_INTERACTIVE: '1' }, terminal);
    expect(terminal.shown()).toBe('');
  });

  test('asks nothing when something is wrong: that is told first', async () => {
    const terminal = fakeTerminal([]);
    const given = { '--interactive': true, '--output': 'xml' };
    await expect(run(given, {}, terminal)).rejects.toThrow(/--output: "xml"/);
    expect(terminal.shown()).toBe('');
  });

  test('without a terminal is a mistake where something is missing, and only there', async () => {
    const terminal = { ...fakeTerminal([]), input: new PassThrough() } as never;
    const { id, ...withoutId } = COMPLETE;
    await expect(run({ ...withoutId, '--interactive': true }, {}, terminal)).rejects.toThrow(
      refusal('--interactive: it needs a terminal', 'id: missing; use the id of a runtime'),
    );
    const { options } = await run(COMPLETE, { STEPROLL_INTERACTIVE: '1' }, terminal);
    expect(options).toMatchObject({ id, '--interactive': true });
  });

  test('takes answers that are pasted all at once', async () => {
    const terminal = fakeTerminal(['https://a.example\rshop\rseven\r7\r']);
    const { options } = await run({ '--interactive': true }, {}, terminal);
    expect(options).toMatchObject({ id: 'shop', '--version': 7 });
    expect(terminal.shown()).toContain('id: shop\n');
  });

  test.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('%s at a question ends the command', async (_, key) => {
    const given = { ...COMPLETE, id: undefined, '--interactive': true };
    await expect(run(given, {}, fakeTerminal([key]))).rejects.toThrow(
      expect.objectContaining({ name: 'Interrupted', message: 'Nothing was changed.' }),
    );
  });
});

describe('a question for yes or no', () => {
  test.each([
    ['y', true],
    ['YES', true],
    ['', false],
    ['n', false],
    ['yeah', false],
  ])('%j is %s', async (answer, isYes) => {
    expect(await confirm('Start?', fakeTerminal([`${answer}\r`]))).toBe(isYes);
  });

  test.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('%s is neither', async (_, key) => {
    await expect(confirm('Start?', fakeTerminal([key]))).rejects.toThrow(
      expect.objectContaining({ name: 'Interrupted' }),
    );
  });
});
