import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProcess } from '../cold-start/run-process.ts';
import { interleave, medianRatio } from '../interleave.ts';

const ROUNDS = 5;

const ROLLOUTS = `
  const { App, Stack } = require('aws-cdk-lib');
  const { EndpointRollouts } = require('./cdk.cjs');
  const app = new App({ outdir: __dirname + '/rollouts.out' });
  new EndpointRollouts(new Stack(app, 'Rollouts'), 'Rollouts', {
    endpointUrl: 'https://endpoints.example.com/runtime',
    runtimes: { shop: {} },
  });
  app.synth();
`;

/** What there is to do in any app: the library is loaded, an asset is copied, and a template is written. */
const ONE_FUNCTION = `
  const { App, Stack } = require('aws-cdk-lib');
  const { Code, Function, Runtime } = require('aws-cdk-lib/aws-lambda');
  const app = new App({ outdir: __dirname + '/function.out' });
  new Function(new Stack(app, 'Function'), 'Function', {
    runtime: Runtime.NODEJS_24_X,
    handler: 'index.handler',
    code: Code.fromAsset(__dirname + '/function'),
  });
  app.synth();
`;

/** How much it takes to synthesize an app with steproll's package, beside an app with one function. */
export async function benchSynth(): Promise<readonly string[]> {
  // The apps find the CDK from here.
  const caches = join(import.meta.dirname, '../../../node_modules/.cache');
  mkdirSync(caches, { recursive: true });
  const folder = mkdtempSync(join(caches, 'steproll-synth-'));
  try {
    execFileSync(process.execPath, ['.toolchain/bundle-cdk.mts', folder]);
    cpSync(join(folder, 'functions/rest/list'), join(folder, 'function'), { recursive: true });
    const apps = { rollouts: ROLLOUTS, function: ONE_FUNCTION };
    const fileOf = (name: string) => join(folder, `${name}.cjs`);
    for (const [name, text] of Object.entries(apps)) writeFileSync(fileOf(name), text);
    const measured = await interleave(
      Object.keys(apps),
      { rounds: ROUNDS, warmUpRounds: 1 },
      async (name) => {
        rmSync(join(folder, `${name}.out`), { recursive: true, force: true });
        return runProcess(fileOf(name), {});
      },
    );
    const ratio = medianRatio(measured, 'rollouts', 'function');
    const times = Object.entries(measured).map(([name, values]) => {
      const median = values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;
      return `${name.padEnd(10)}${Math.round(median).toLocaleString('en').padStart(8)} ms`;
    });
    return [
      `Synthesis: CPU time of a process, the median of ${ROUNDS} rounds. An app with steproll, and one with one function:`,
      '',
      ...times,
      `${'ratio'.padEnd(10)}${ratio.toFixed(2).padStart(8)} x`,
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
