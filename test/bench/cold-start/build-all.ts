import { readdir } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { buildBundle } from './build-bundle.ts';

export interface Bundle {
  readonly name: string;
  readonly file: string;
  readonly bytes: number;
}

/** What the functions are put beside. */
const VARIANTS = [
  'empty',
  'list-fetch',
  'list-axios',
  'list-got',
  'roll-fetch',
  'policy-one',
  'policy-all',
];

/** Bundles of the variants, then of every function. */
export async function buildAll(folder: string): Promise<Bundle[]> {
  const bundle = async (name: string, entry: string, http2: boolean): Promise<Bundle> => {
    const file = join(folder, name, 'index.js');
    return { name, file, bytes: await buildBundle(entry, file, http2) };
  };
  const functions = await namesOfFunctions();
  return Promise.all([
    ...VARIANTS.map((name) => bundle(name, `test/bench/cold-start/variants/${name}.ts`, true)),
    ...functions.map((name) => bundle(name, `functions/${name}.ts`, false)),
  ]);
}

/** Each file of functions/ but the one that makes handlers. */
async function namesOfFunctions(): Promise<string[]> {
  const files = await readdir('functions');
  return files
    .map((file) => parse(file).name)
    .filter((name) => name !== 'create-handler')
    .toSorted();
}
