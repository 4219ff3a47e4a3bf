import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { ended } from '../cli/program-process.ts';
import { ProcessHere } from '../support/process-here.ts';

const folder = mkdtempSync(join(tmpdir(), 'steproll-app-'));
const configFile = join(folder, 'prod.config.json');
const assembly = join(folder, 'cdk.out');
const SERVICE = { endpointUrl: 'https://endpoints.example.com/runtime' };

afterAll(() => rmSync(folder, { recursive: true }));

test('C06: an unsafe configuration is refused with a sentence for each mistake, and nothing is written', () => {
  const { status, stdout, stderr } = synthesize({
    endpointUrl: 'http://endpoints.example.com',
    polices: {},
  });

  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr.trim().split('\n')).toEqual([
    'Invalid configuration, 2 mistakes:',
    expect.stringMatching(/^ {2}endpointUrl: .*use https/),
    '  polices: unknown key (did you mean policies?)',
  ]);
  expect(readdirSync(assembly)).toEqual([]);
});

test('so is one that has a key twice', async () => {
  const written = `{ "name": "prod", "endpointUrl": "https://a.example", "endpointUrl": "https://b.example" }`;
  const { status, stderr } = await synthesizeHere(written);

  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: `Invalid configuration, 1 mistake:
  endpointUrl: given twice, at 1:19 and at 1:55; keep one of them
`,
  });
  expect(readdirSync(assembly)).toEqual([]);
});

test('so are secrets that functions could not read, all at once', async () => {
  const { status, stderr } = await synthesizeHere({
    endpointUrl: 'https://endpoints.example.com',
    auth: { kind: 'bearer', secret: { file: 'token.txt' } },
    tls: { ca: { environment: 'AUTHORITY' } },
  });

  expect(status).toBe(2);
  expect(stderr).toMatch(/auth\.secret: .*use "awsSecret", not "file"/);
  expect(stderr).toMatch(/tls\.ca: .*use "awsSecret", not "environment"/);
  expect(readdirSync(assembly)).toEqual([]);
});

test('so is a service that the app may not send its credentials to', async () => {
  const endpointUrl = 'https://evil.example/runtime';
  const allowed = { 'steproll:allowedOrigins': ['https://endpoints.example.com'] };
  const { status, stderr } = await synthesizeHere({ endpointUrl }, allowed);

  expect(status).toBe(2);
  expect(stderr).toContain(
    `endpointUrl: "${endpointUrl}" is not allowed; the context "steproll:allowedOrigins" has https://endpoints.example.com\n`,
  );
  expect(readdirSync(assembly)).toEqual([]);
});

test('a file that somebody names has a name, or it would be deployed over the stack of another', async () => {
  const { status, stderr } = await synthesizeHere({ ...SERVICE, name: undefined });

  expect(status).toBe(2);
  expect(stderr).toContain(`Invalid configuration ${configFile}, 1 mistake:\n  name: missing; `);
  expect(readdirSync(assembly)).toEqual([]);
});

test('a configuration with nothing wrong in it is synthesized', () => {
  const allowed = { 'steproll:allowedOrigins': ['https://endpoints.example.com'] };

  expect(synthesize(SERVICE, allowed)).toMatchObject({ status: 0, stderr: '' });
  expect(readdirSync(assembly)).toContain('Steproll-prod.template.json');
});

/** As the CDK's command line calls the app. */
function synthesize(config: object, context: object = {}) {
  return spawnSync(process.execPath, ['bin/app.ts'], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '', ...environmentOf(config, context) },
  });
}

/** The same in this process, where the CDK need not be loaded again. */
async function synthesizeHere(config: object | string, context: object = {}) {
  const app = new URL('../../bin/app.ts', import.meta.url);
  app.search = randomUUID();
  const env = environmentOf(config, context);
  const { code, stderr } = await ended(
    new ProcessHere(() => import(app.href).then(() => 0), { cwd: process.cwd(), env }),
  );
  return { status: code, stderr };
}

/** @param config A text is written as it is. */
function environmentOf(config: object | string, context: object) {
  const written = typeof config === 'string' ? config : JSON.stringify({ name: 'prod', ...config });
  writeFileSync(configFile, written);
  return {
    CDK_OUTDIR: assembly,
    // Another test validates the templates by the rules of the CDK, which takes seconds.
    CDK_VALIDATION: 'false',
    CDK_CONTEXT_JSON: JSON.stringify({
      ...context,
      config: configFile,
      'aws:cdk:bundling-stacks': [],
    }),
  };
}
