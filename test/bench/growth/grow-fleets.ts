import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { startTable } from '../cost/open-counted-ledger.ts';
import type { FleetCost } from './fleet-process.ts';
import type { Growth, Measured } from './growth.ts';

const SIZES = [5_000, 20_000, 50_000];

/** Megabytes of V8's heap. A function of Lambda has 512 MB, of which Node.js itself takes some 100. */
const HEAP_MB = 300;

/** What one rollout takes on the ledger of AWS, by the endpoints of its fleet. */
export async function growFleets(): Promise<readonly Growth[]> {
  const measured: Measured[] = [];
  for (const size of SIZES) {
    const cost = await rollFleet(size, HEAP_MB);
    const { httpCalls: calls, readUnits, writeUnits, cpuSeconds: cpu, megabytes } = cost;
    const note = `${readUnits} read units, ${writeUnits} write units, largest payload ${cost.largestPayload} B`;
    measured.push({ size, calls, units: readUnits + writeUnits, cpu, megabytes, note });
  }
  const title = `One rollout with the default policy, by endpoints, with a heap of ${HEAP_MB} MB`;
  return [{ title, measured }];
}

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
