import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeServiceEnv } from '../../../lib/contract/function-env.ts';
import { DEFAULT_WIRE } from '../../../lib/contract/wire.ts';
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
  const settings = writeServiceEnv({
    endpointUrl: url,
    auth: { kind: 'none' },
    wire: DEFAULT_WIRE,
  });
  const run: Record<Measure, (file: string) => number> = {
    load: (file) => runProcess(file, {}),
    'load, cached': (file) => runProcess(file, { NODE_COMPILE_CACHE: cache }),
    answer: (file) => runProcess(file, settings, { runtimeId: 'shop' }),
  };
  return new Map(
    MEASURES.flatMap((measure) =>
      bundles
        .filter(({ name }) => measure !== 'answer' || NEEDS_SERVICE_ALONE.test(name))
        .map(({ name, file }) => [`${measure} ${name}`, () => run[measure](file)] as const),
    ),
  );
}

/** The others need a ledger to answer. */
const NEEDS_SERVICE_ALONE = /^(empty|list)/;
