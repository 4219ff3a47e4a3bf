import { cpus } from 'node:os';
import { DEFAULT_POLICY } from '../../../lib/domain/rollout/default-policy.ts';
import { FAULT_LEVELS } from '../../../lib/rehearsal/draw-faults.ts';
import { rehearseChunk, seriesOf } from '../../../lib/rehearsal/many.ts';
import { parseScenario } from '../../../lib/simulation/scenario.ts';

const ENDPOINTS = 12;
const ROUNDS = 7;
const EACH = 200;

/** How many rehearsals a second of CPU time is enough for, in one thread. */
export async function benchRehearsals(): Promise<readonly string[]> {
  const scenario = parseScenario({
    runtimes: [{ id: 'shop', version: 1, rollSeconds: 60, endpoints: ENDPOINTS }],
  });
  const rehearsal = {
    scenario,
    runtimeId: 'shop',
    version: 2,
    policy: DEFAULT_POLICY,
    endpointUrl: 'http://127.0.0.1:8080',
    startsAt: Date.UTC(2026, 0, 1),
  };
  const lines: string[] = [];
  for (const level of FAULT_LEVELS) {
    const series = seriesOf(rehearsal, level);
    const rates: number[] = [];
    // The first round warms up.
    for (let round = 0; round <= ROUNDS; round += 1) {
      const before = process.cpuUsage();
      await rehearseChunk({ series, from: 1 + round * EACH, count: EACH });
      const { user, system } = process.cpuUsage(before);
      if (round > 0) rates.push(EACH / ((user + system) / 1e6));
    }
    const [least = 0, median = 0, most = 0] = [0, ROUNDS >> 1, ROUNDS - 1].map(
      (place) => rates.toSorted((one, other) => one - other)[place],
    );
    const spread = `${Math.round(least)} to ${Math.round(most)}`;
    lines.push(
      `${`${level} faults`.padEnd(14)}${String(Math.round(median)).padStart(6)}  (${spread})`,
    );
  }
  return [
    `Rehearsals per second of CPU time (user and system, one thread): ${ENDPOINTS} endpoints and the default`,
    `policy; the median of ${ROUNDS} rounds of ${EACH}, after one that warms up, on ${cpus()[0]?.model}`,
    '',
    ...lines,
  ];
}
