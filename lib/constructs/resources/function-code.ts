import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Stack } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { type BundledFor, bundleFunction } from './bundle-function.ts';

/** A constant that the build of the package fills in: its functions are bundled already. */
declare const ARE_BUNDLED: true | undefined;

/**
 * The code of a function: in the published package a bundle beside this file, and in the repository one that is made
 * now.
 *
 * @param entry Name of the file in functions/, without its ending.
 */
export function functionCode(scope: Construct, entry: string, serviceKind: BundledFor): Code {
  if (typeof ARE_BUNDLED === 'boolean') {
    return Code.fromAsset(
      fileURLToPath(new URL(`functions/${serviceKind}/${entry}`, import.meta.url)),
    );
  }
  // Without bundling there is no code, only something that can be deployed in its place.
  if (!Stack.of(scope).bundlingRequired) {
    return Code.fromAsset(fileURLToPath(new URL('../../../functions', import.meta.url)));
  }
  return Code.fromAsset(bundledNow(entry, serviceKind));
}

const made = new Map<string, string>();

function removeAll(): void {
  for (const folder of made.values()) rmSync(folder, { recursive: true, force: true });
}

/** Each bundle is made once in a process, and goes with it. */
function bundledNow(entry: string, serviceKind: BundledFor): string {
  const key = `${serviceKind}/${entry}`;
  const folder = made.get(key) ?? mkdtempSync(join(tmpdir(), 'steproll-bundle-'));
  if (made.has(key)) return folder;
  // A second listener with the same function would be called as well.
  if (made.size === 0) process.once('exit', removeAll);
  made.set(key, folder);
  bundleFunction(entry, serviceKind, folder);
  return folder;
}
