import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { startTable } from '../cost/open-counted-ledger.ts';
import type { FleetCost } from './fleet-process.ts';

const [SMALLEST, MIDDLE, LARGEST] = [5_000, 20_000, 50_000] as const;
const SIZES = [SMALLEST, MIDDLE, LARGEST];

/** Megabytes of V8's heap. A function of Lambda has 512 MB, of which Node.js itself takes some 100. */
const HEAP_MB = 300;

/** How what a rollout takes grows with its endpoints, on the ledger of AWS. */
export async function benchFleets(): Promise<readonly string[]> {
  const costs: FleetCost[] = [];
  for (const endpoints of SIZES) costs.push(await rollFleet(endpoints, HEAP_MB));
  const [first, last] = [costs[0] as FleetCost, costs.at(-1) as FleetCost];
  const times = LARGEST / SMALLEST;
  return [
    `Growth of one rollout: the default policy, a roll of an endpoint takes 60 s, and the heap has ${HEAP_MB} MB.`,
    '',
    row('endpoints', ...COLUMNS.map(([title]) => title)),
    ...costs.map((cost, index) =>
      row(`${SIZES[index]}`, ...COLUMNS.map(([, read]) => read(cost).toFixed(0))),
    ),
    row(
      'exponent',
      ...COLUMNS.map(([, read]) =>
        (Math.log(read(last) / read(first)) / Math.log(times)).toFixed(2),
      ),
    ),
  ];
}

const COLUMNS: readonly [string, (cost: FleetCost) => number][] = [
  ['HTTP calls', ({ httpCalls }) => httpCalls],
  ['read units', ({ readUnits }) => readUnits],
  ['write units', ({ writeUnits }) => writeUnits],
  ['CPU s', ({ cpuSeconds }) => cpuSeconds],
  ['MB', ({ megabytes }) => megabytes],
  ['payload', ({ largestPayload }) => largestPayload],
];

const PROGRAM = fileURLToPath(new URL('./fleet-process.ts', import.meta.url));

/**
 * Rolls a fleet in a process whose heap has so many megabytes.
 *
 * @throws when it does not get to its end.
 */
export async function rollFleet(endpoints: number, heapMb: number): Promise<FleetCost> {
  const table = await startTable();
  try {
    const process_ = spawn(
      process.execPath,
      [`--max-old-space-size=${heapMb}`, PROGRAM, `${table.port}`, `${endpoints}`],
      { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NODE_OPTIONS: '' } },
    );
    const [said, trouble] = await Promise.all([text(process_.stdout), text(process_.stderr)]);
    if (said === '') throw new Error(`${endpoints} endpoints in ${heapMb} MB: ${trouble}`);
    return JSON.parse(said) as FleetCost;
  } finally {
    table.end();
  }
}

function row(...cells: readonly string[]): string {
  return cells.map((cell) => cell.padStart(13)).join('');
}
