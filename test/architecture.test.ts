import { describe, expect, test } from '@jest/globals';
import { folderCycles, importCycles, layerViolations } from './support/layers.ts';
import { parseSource, readSources, resolveImport } from './support/source-files.ts';

const FILES = readSources(['lib', 'functions', 'bin']);

describe('the source', () => {
  test('keeps to its layers', () => {
    expect(FILES.length).toBeGreaterThan(90);
    expect(FILES.flatMap(layerViolations)).toEqual([]);
  });

  test('has no two files that import each other, by whatever way round', () => {
    expect(importCycles(FILES)).toEqual([]);
  });

  test('has no two folders that import each other, by whatever way round', () => {
    expect(folderCycles(FILES)).toEqual([]);
  });

  test('imports only files that are there', () => {
    const paths = new Set(FILES.map(({ path }) => path));
    const missing = FILES.flatMap((file) =>
      file.imports
        .map((name) => resolveImport(file, name))
        .filter((path) => /\.tsx?$/.test(path ?? '') && !path?.endsWith('.d.ts'))
        .filter((path) => path !== null && !paths.has(path))
        .map((path) => `${file.path} imports ${path}`),
    );

    expect(missing).toEqual([]);
  });
});

describe('the command line', () => {
  test('loads only Commander before it knows what it is asked', () => {
    expect([...packagesOf(fileWith('createProgram'))]).toEqual(['commander']);
  });

  test('loads no client, ledger or engine before the arguments are checked', () => {
    const heavy = ['undici', 'node:sqlite', 'log-update', '@aws-sdk/'];
    const found = [...packagesOf(fileWith('rolloutStart'))];

    expect(found).toContain('zod');
    expect(found.filter((name) => heavy.some((start) => name.startsWith(start)))).toEqual([]);
  });
});

test('a service with a URL is opened without the AWS SDK', () => {
  const opened = ['openEndpointService', 'createEndpointClient', 'openAuth'];
  const found = opened.flatMap((name) => [...packagesOf(fileWith(name))]);

  expect(found).toContain('undici/lib/dispatcher/pool.js');
  expect(found.filter((name) => name.startsWith('@aws-sdk/'))).toEqual([]);
});

/** The path of the file that exports a function, wherever it is. */
function fileWith(name: string): string {
  const [file, ...others] = FILES.filter(({ code }) =>
    new RegExp(`^export (?:async )?function ${name}\\(`, 'm').test(code),
  );
  if (file === undefined || others.length > 0) throw new Error(`Not one file exports ${name}.`);
  return file.path;
}

/** The packages that are loaded together with a file. */
function packagesOf(path: string, seen = new Set<string>()): Set<string> {
  const packages = new Set<string>();
  const file = FILES.find((one) => one.path === path);
  if (file === undefined || seen.has(path)) return packages;
  seen.add(path);
  for (const name of file.loads) {
    const next = resolveImport(file, name);
    if (next !== null) for (const one of packagesOf(next, seen)) packages.add(one);
    else if (!name.startsWith('node:') || name === 'node:sqlite') packages.add(name);
  }
  return packages;
}

describe('the layers', () => {
  test.each([
    ['lib/domain/x.ts', "import * as z from 'zod';"],
    ['lib/domain/wave/x.ts', "import { waveProgress } from '../rollout/stored.ts';"],
    ['lib/domain/x.ts', "import type { Clock } from '../ports/clock.ts';"],
    ['lib/domain/x.ts', "import { randomUUID } from 'node:crypto';"],
    ['lib/contract/x.ts', "import type { Ledger } from '../ports/ledger.ts';"],
    ['lib/ports/x.ts', "export type { Position } from '../contract/flow/position.ts';"],
    ['lib/workflow/x.ts', "import { POSITION_VERSION } from '../contract/flow/position.ts';"],
    ['lib/gates/x.ts', "import { policySchema } from '../contract/config/policy.ts';"],
    ['lib/gates/x.ts', "import { createAlarmReader } from '../adapters/gates/alarm.ts';"],
    ['lib/domain/x.ts', "import type { GatePorts } from '../gates/gates.ts';"],
    ['lib/steps/x.ts', "import { createSqlite } from '../adapters/ledger/sqlite/ledger.ts';"],
    ['lib/steps/x.ts', "import { placeholderOf } from '../workflow/functions.ts';"],
    ['lib/steps/x.ts', "import * as z from 'zod';"],
    ['lib/steps/x.ts', "import { rollEndpoints } from '../handlers/endpoints.ts';"],
    ['lib/adapters/x.ts', "import { writeEach } from '../steps/io/write-each.ts';"],
    ['lib/adapters/http/x.ts', "import { runRollout } from '../../embedded/run-workflow.ts';"],
    ['lib/domain/x.ts', "import { decideStop } from './containment/decide-stop.ts';"],
    ['lib/domain/wave/x.ts', "import { planRollout } from '../planning/plan-rollout.ts';"],
    ['lib/domain/new-part/x.ts', "import type { Endpoint } from '../endpoint/endpoint.ts';"],
    ['lib/simulation/x.ts', "import { systemClock } from '../adapters/machine/clock.ts';"],
    ['lib/simulation/x.ts', "import { createServer } from 'node:net';"],
    ['lib/embedded/x.ts', "import { readFileSync } from 'node:fs';"],
    ['lib/embedded/x.ts', "import { showRollout } from '../cli/rollout/run.ts';"],
    ['lib/cli/x.ts', "import { readFile } from 'node:fs/promises';"],
    ['lib/cli/x.ts', "import { request } from 'undici';"],
    ['lib/cli/x.ts', "const { request } = await import('undici');"],
    ['lib/cli/x.ts', 'const region = process.env.AWS_REGION;'],
    ['lib/cli/x.ts', "const region = process['env'].AWS_REGION;"],
    ['lib/cli/x.ts', "import { env } from 'node:process';"],
    ['lib/cli/x.ts', "import { App } from 'aws-cdk-lib';"],
    ['lib/constructs/x.ts', "import { rollBatch } from '../steps/roll-batch.ts';"],
    ['lib/constructs/x.ts', "import { readFileSync } from 'node:fs';"],
    ['lib/constructs/x.ts', "import { DynamoDBClient } from '@aws-sdk/client-dynamodb';"],
    ['bin/steproll.ts', "import { App } from 'aws-cdk-lib/core';"],
    ['functions/x.ts', "import { runRollout } from '../lib/embedded/run-workflow.ts';"],
    ['functions/x.ts', "import { DynamoDBClient } from '@aws-sdk/client-dynamodb';"],
    ['lib/utils.ts', ''],
  ])('refuse %s with: %s', (path, text) => {
    expect(layerViolations(parseSource(path, text))).toHaveLength(1);
  });

  test.each([
    ['lib/steps/x.ts', "import type { Ledger } from '../ports/ledger.ts';"],
    ['lib/domain/rollout/stored.ts', "import * as z from 'zod';"],
    ['lib/domain/wave/x.ts', "import type { waveProgress } from '../rollout/stored.ts';"],
    ['lib/gates/x.ts', "import { words } from '../contract/input/checks.ts';"],
    [
      'lib/adapters/x.ts',
      "import { readFileSync } from 'node:fs';\nconst home = process.env.HOME;",
    ],
    ['lib/loopback/refusal.ts', "import { STATUS_CODES } from 'node:http';"],
    ['lib/cli/x.ts', "process.stdout.write('x'); // not process.env"],
    ['lib/cli/x.ts', "const url = 'http://127.0.0.1'; /* import 'undici' */"],
    ['bin/app.ts', "import { App } from 'aws-cdk-lib/core';"],
  ])('allow %s with: %s', (path, text) => {
    expect(layerViolations(parseSource(path, text))).toEqual([]);
  });

  test('find a ring of folders, in which no two files import each other', () => {
    const files = [
      parseSource('lib/steps/a/x.ts', "import { y } from '../b/y.ts';"),
      parseSource('lib/steps/b/z.ts', "import { w } from '../a/w.ts';"),
      parseSource('lib/steps/door.ts', "import { x } from './a/x.ts';"),
    ];

    expect(folderCycles(files)).toEqual([['lib/steps/a', 'lib/steps/b', 'lib/steps/a']]);
  });

  test('find a ring of imports, that of a file with itself included', () => {
    const files = [
      parseSource('lib/a.ts', "import { b } from './b.ts';"),
      parseSource('lib/b.ts', "import type {\n  C,\n} from './deep/c.ts';"),
      parseSource('lib/deep/c.ts', "export { a } from '../a.ts';"),
      parseSource('lib/d.ts', "import './d.ts';"),
      parseSource('lib/e.ts', "import { a } from './a.ts';"),
    ];

    expect(importCycles(files)).toEqual([
      ['lib/a.ts', 'lib/b.ts', 'lib/deep/c.ts', 'lib/a.ts'],
      ['lib/d.ts', 'lib/d.ts'],
    ]);
  });
});
