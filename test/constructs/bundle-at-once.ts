import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';

const PROGRAMS = fileURLToPath(new URL('../../node_modules/.bin', import.meta.url));

/**
 * Synthesizes with bundles, as `cdk synth` does. `npx`, which only looks for the bundler, takes as long as the bundler
 * itself, so a script stands in for it. The CDK hands its stderr on to the bundler, and a thread has none to hand on.
 */
export function bundleAtOnce<T>(synthesize: () => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'steproll-npx-'));
  writeFileSync(join(folder, 'npx'), '#!/bin/sh\nshift\nexec "$@"\n', { mode: 0o700 });
  const PATH = [folder, PROGRAMS, process.env.PATH].join(delimiter);
  const environment = jest.replaceProperty(process, 'env', { ...process.env, PATH });
  const stderr = Object.getOwnPropertyDescriptor(process, 'stderr');
  Object.defineProperty(process, 'stderr', { ...stderr, get: () => STDERR });
  try {
    return synthesize();
  } finally {
    if (stderr !== undefined) Object.defineProperty(process, 'stderr', stderr);
    environment.restore();
    rmSync(folder, { recursive: true });
  }
}

/** What the bundler complains of is shown; which bundle comes next is not. */
const STDERR = { fd: 2, write: () => true };
