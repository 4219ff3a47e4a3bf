import { mkdirSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { bundleFunction } from '../lib/constructs/resources/bundle-function.ts';

/**
 * Bundles `steproll/cdk` for the package, as CommonJS like every library for the CDK, with the functions that it
 * deploys. So an app needs no bundler, and its tests run in plain jest.
 */
const [, , FOLDER = 'dist/cdk'] = process.argv;

await build({
  entryPoints: ['lib/cdk.ts'],
  outfile: `${FOLDER}/cdk.cjs`,
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  // The app's own CDK, and nothing else, is loaded from elsewhere.
  external: ['aws-cdk-lib', 'constructs', 'esbuild'],
  define: { 'import.meta.url': 'moduleUrl', ARE_BUNDLED: 'true' },
  banner: { js: "const moduleUrl = require('node:url').pathToFileURL(__filename).href;" },
  minifySyntax: true,
  logLevel: 'warning',
});

const CALL_THE_SERVICE = [
  ...['open-rollout', 'roll', 'look', 'turn-around', 'stop'],
  ...['list', 'create'],
];
const CALL_NONE = ['close-rollout', 'start', 'janitor', 'sweep'];

const bundles = [
  ...CALL_NONE.map((entry) => ({ entry, kind: 'none' as const })),
  ...CALL_THE_SERVICE.map((entry) => ({ entry, kind: 'rest' as const })),
  ...CALL_THE_SERVICE.map((entry) => ({ entry, kind: 'agentcore' as const })),
];
for (const { entry, kind } of bundles) {
  const folder = `${FOLDER}/functions/${kind}/${entry}`;
  mkdirSync(folder, { recursive: true });
  bundleFunction(entry, kind, folder);
}
// The declarations beside it are CommonJS, too.
writeFileSync(`${FOLDER}/package.json`, '{ "type": "commonjs" }\n');
