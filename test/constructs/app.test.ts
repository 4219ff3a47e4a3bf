import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';

const folder = mkdtempSync(join(tmpdir(), 'steproll-app-'));
const configFile = join(folder, 'prod.config.json');
const assembly = join(folder, 'cdk.out');
const SERVICE = { endpointUrl: 'https://endpoints.example.com/runtime' };

afterAll(() => rmSync(folder, { recursive: true }));

test('C06: an unsafe configuration is refused with a sentence for each mistake, and nothing is written', () => {
  const { status, stdout, stderr } = synthesize({
    endpointUrl: 'http://endpoints.example.com',
    polcy: {},
  });

  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr.trim().split('\n')).toEqual([
    'Invalid configuration, 2 mistakes:',
    expect.stringMatching(/^ {2}endpointUrl: .*use https$/),
    '  polcy: unknown key',
  ]);
  expect(readdirSync(assembly)).toEqual([]);
});

test('so is a secret that functions could not read', () => {
  const { status, stderr } = synthesize({
    endpointUrl: 'https://endpoints.example.com',
    auth: { kind: 'bearer', secret: { file: 'token.txt' } },
  });

  expect(status).toBe(2);
  expect(stderr).toMatch(/^[^\n]*auth\.secret: .*use "awsSecret", not "file"\n$/);
  expect(readdirSync(assembly)).toEqual([]);
});

test('so is a service that the app may not send its credentials to', () => {
  const endpointUrl = 'https://evil.example/runtime';
  const allowed = { 'steproll:allowedOrigins': ['https://endpoints.example.com'] };
  const { status, stderr } = synthesize({ endpointUrl }, allowed);

  expect(status).toBe(2);
  expect(stderr).toContain(
    `endpointUrl: "${endpointUrl}" is not allowed; the context "steproll:allowedOrigins" has https://endpoints.example.com\n`,
  );
  expect(readdirSync(assembly)).toEqual([]);
});

test('a file that somebody names has a name, or it would be deployed over the stack of another', () => {
  const { status, stderr } = synthesize({ ...SERVICE, name: undefined });

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
  writeFileSync(configFile, JSON.stringify({ name: 'prod', ...config }));
  return spawnSync(process.execPath, ['bin/app.ts'], {
    encoding: 'utf8',
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      CDK_OUTDIR: assembly,
      CDK_CONTEXT_JSON: JSON.stringify({
        ...context,
        config: configFile,
        'aws:cdk:bundling-stacks': [],
      }),
    },
  });
}
