import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig } from '../../../lib/contract/config/config.ts';
import { writeStepEnv } from '../../support/step-env.ts';
import { interleave } from '../interleave.ts';
import { startServer } from '../sweep/start-server.ts';
import { type Bundle, buildAll } from './build-all.ts';
import { MEASURES, type Measure, render } from './render.ts';
import { runProcess } from './run-process.ts';

const ROUNDS = 15;
const ENDPOINTS = 10;

/** How much it takes to start a function, beside one that does nothing and beside other HTTP clients. */
export async function benchColdStart(): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'steproll-cold-start-'));
  const server = await startServer(ENDPOINTS, ENDPOINTS);
  try {
    const bundles = await buildAll(folder);
    const runs = runsOf(bundles, server.url, join(folder, 'cache'));
    const times = await interleave(
      [...runs.keys()],
      { rounds: ROUNDS, warmUpRounds: 1 },
      async (key) => runs.get(key)?.() ?? Number.NaN,
    );
    return render(bundles, times, ROUNDS);
  } finally {
    server.stop();
    await rm(folder, { recursive: true });
  }
}

/** What is run once a round, by measure and name. */
function runsOf(bundles: readonly Bundle[], url: string, cache: string): Map<string, () => number> {
  const config = parseConfig({ endpointUrl: url });
  const settings = writeStepEnv(config);
  const run: Record<Measure, (bundle: Bundle) => number> = {
    load: ({ file }) => runProcess(file, {}),
    'load, cached': ({ file }) => runProcess(file, { NODE_COMPILE_CACHE: cache }),
    answer: ({ file, name }) => runProcess(file, settings, EVENTS[name]),
  };
  return new Map(
    MEASURES.flatMap((measure) =>
      bundles
        .filter(({ name }) => measure !== 'answer' || name in EVENTS)
        .map((bundle) => [`${measure} ${bundle.name}`, () => run[measure](bundle)] as const),
    ),
  );
}

const LIST = { runtimeId: 'shop' };
/** As a pipeline asks: the list is read, and the endpoint is not there. */
const ROLL = { ...LIST, version: 2, endpointIds: ['gone'] };

/** What is answered by the service alone, by name. Others need a ledger, or change what is served. */
const EVENTS: Readonly<Record<string, object>> = {
  empty: LIST,
  'list-fetch': LIST,
  'list-axios': LIST,
  'list-got': LIST,
  'roll-fetch': ROLL,
  'policy-one': LIST,
  'policy-all': LIST,
  list: LIST,
  roll: ROLL,
};
