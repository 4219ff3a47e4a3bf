import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ended, startProgram } from '../cli/program-process.ts';
import { GROUP, startSoakService } from './service.ts';

const SIZES = [10, 100] as const;
const ENDPOINTS = 10;
const MAX_AT_RISK = 5;

interface Measured {
  readonly runtimes: number;
  readonly heapBytes: number;
  readonly sockets: number;
  /** Seconds of the release, and what it would take if a runtime began whenever another one ends. */
  readonly seconds: number;
  readonly ideal: number;
}

/** Releases groups of 10 and of 100 runtimes with 10 endpoints each, and says what grows with the size. */
export async function measureSizes(): Promise<readonly string[]> {
  const [small, large] = [await measure(SIZES[0]), await measure(SIZES[1])];
  return [
    'runtimes   heap after gc   open sockets   time beside what its runtimes need',
    ...[small, large].map(
      ({ runtimes, heapBytes, sockets, seconds, ideal }) =>
        `${String(runtimes).padStart(8)} ${(heapBytes / 1e6).toFixed(1).padStart(12)} MB ${String(sockets).padStart(14)} ${(seconds / ideal).toFixed(2).padStart(12)} x`,
    ),
    `   ratio ${(large.heapBytes / small.heapBytes).toFixed(2).padStart(13)} x ${(large.sockets / small.sockets).toFixed(2).padStart(13)} x`,
  ];
}

async function measure(runtimes: number): Promise<Measured> {
  const service = await startSoakService({
    ...{ runtimes, endpoints: ENDPOINTS },
    ...{ rollSeconds: 5, maxAtRisk: MAX_AT_RISK },
  });
  const { home } = service;
  const samples = join(home, 'samples.json');
  const sample = fileURLToPath(new URL('sample.ts', import.meta.url));
  const variables = { ...service.variables, SAMPLES: samples };
  const run = (args: readonly string[], more = {}) =>
    ended(
      startProgram(home, ['rollout', ...args, '-o', 'json'], 'steproll', { ...variables, ...more }),
    );
  try {
    const options = `--import ${sample}`;
    const start = ['start', '--group', GROUP, '--version', '2', '--yes'];
    const { code, stderr } = await run(start, { NODE_OPTIONS: options });
    if (code !== 0) throw new Error(`The group was not released: ${stderr}`);
    const { stdout } = await run(['list', '--group', GROUP]);
    const [group, ...children] = JSON.parse(stdout) as Listed[];
    const needed = children.reduce((sum, child) => sum + secondsOf(child), 0);
    return {
      runtimes,
      ...JSON.parse(readFileSync(samples, 'utf8')),
      seconds: secondsOf(group as Listed),
      ideal: needed / MAX_AT_RISK,
    };
  } finally {
    await service.close();
  }
}

interface Listed {
  readonly startedAt: string;
  readonly endedAt: string;
}

function secondsOf({ startedAt, endedAt }: Listed): number {
  return (Date.parse(endedAt) - Date.parse(startedAt)) / 1000;
}
