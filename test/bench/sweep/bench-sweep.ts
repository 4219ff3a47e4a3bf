import { countInterleaved } from '../count-interleaved.ts';
import { medianRatio, type Rounds } from '../interleave.ts';
import { PAGE_SIZE, type Variant } from './read-pages.ts';
import { type BenchServer, startServer } from './start-server.ts';
import { sweepAxios } from './sweep-axios.ts';
import { sweepFetch } from './sweep-fetch.ts';
import { sweepGot } from './sweep-got.ts';
import { sweepSteproll } from './sweep-steproll.ts';
import { sweepUndici } from './sweep-undici.ts';

const ENDPOINTS = 10_000;
/** The second one is the client's default. */
const CONCURRENCIES = [1, 8];
const ROUNDS = 30;

interface Tool {
  readonly name: string;
  readonly does: string;
  readonly start: (url: string, concurrency: number) => Variant;
}

const RAW = 'undici';
const TOOLS: readonly Tool[] = [
  { name: RAW, does: 'Pool.request and JSON.parse, nothing else', start: sweepUndici },
  {
    name: 'steproll',
    does: 'this client: rows checked, deadlines, retries, pages that make one list',
    start: sweepSteproll,
  },
  { name: 'fetch', does: "Node's own fetch and response.json()", start: sweepFetch },
  { name: 'axios', does: 'axios with a keep-alive agent, no checks', start: sweepAxios },
  { name: 'got', does: 'got with a keep-alive agent, no checks', start: sweepGot },
];

/** The CPU time that it takes to read a whole list, beside other HTTP clients. */
export async function benchSweep(): Promise<readonly string[]> {
  const server = await startServer(ENDPOINTS, PAGE_SIZE);
  try {
    const results: Results[] = [];
    for (const concurrency of CONCURRENCIES) {
      results.push(await race(server, concurrency));
    }
    return render(results);
  } finally {
    server.stop();
  }
}

interface Results {
  readonly times: Rounds;
  /** HTTP requests of one sweep. */
  readonly requests: Readonly<Record<string, number>>;
}

async function race(server: BenchServer, concurrency: number): Promise<Results> {
  const variants = TOOLS.map(({ name, start }) => [name, start(server.url, concurrency)] as const);
  const requests: Record<string, number> = {};
  for (const [name, variant] of variants) {
    await server.countRequests();
    await sweepAll(name, variant);
    requests[name] = await server.countRequests();
  }
  const times = await countInterleaved(
    Object.fromEntries(variants.map(([name, variant]) => [name, () => sweepAll(name, variant)])),
    ROUNDS,
  );
  await Promise.all(variants.map(([, variant]) => variant.close()));
  return { times, requests };
}

/** A tool that reads only a part of the list would win. */
async function sweepAll(name: string, variant: Variant): Promise<void> {
  const count = await variant.sweep();
  if (count !== ENDPOINTS) {
    throw new Error(`${name} read ${count} endpoints of ${ENDPOINTS}`);
  }
}

function render(results: readonly Results[]): string[] {
  const rows = TOOLS.map(({ name, does }) => {
    const ratios = results.map(({ times }) => medianRatio(times, name, RAW).toFixed(2));
    return row([name, ...ratios, String(results[0]?.requests[name]), does]);
  });
  return [
    `A whole list of ${ENDPOINTS} endpoints, ${PAGE_SIZE} a page: CPU time as a ratio to ${RAW}'s in the`,
    `same round, the median of ${ROUNDS} rounds, by the pages that are read at a time.`,
    '',
    row([
      '',
      ...CONCURRENCIES.map((count) => `${count} page${count === 1 ? '' : 's'}`),
      'requests',
    ]),
    ...rows,
  ];
}

function row([name = '', ...cells]: readonly string[]): string {
  const [first = '', second = '', requests = '', note = ''] = cells;
  const numbers = [first, second, requests].map((cell) => cell.padStart(9)).join('');
  return `${name.padEnd(8)}${numbers}  ${note}`.trimEnd();
}
