import { DEFAULT_POLICY } from '../../../lib/domain/rollout/default-policy.ts';
import { rehearseChunk, seriesOf } from '../../../lib/rehearsal/many.ts';
import { parseScenario } from '../../../lib/simulation/scenario.ts';
import type { Growth, Measured } from './growth.ts';

const SIZES = [100, 300, 1_000, 3_000];
/** As many endpoints are rehearsed at each size, and at least so many rehearsals: seeds draw different faults. */
const ENDPOINTS = 6_000;
const LEAST_RUNS = 5;

/** The CPU time of a rehearsal, by the endpoints of its fleet. */
export async function growRehearsals(): Promise<readonly Growth[]> {
  await rehearse(100, 20);
  const measured: Measured[] = [];
  for (const size of SIZES) {
    const runs = Math.max(LEAST_RUNS, ENDPOINTS / size);
    measured.push({ size, cpu: await rehearse(size, runs), note: `${runs} runs` });
  }
  return [{ title: 'A rehearsal with few faults, by endpoints', measured }];
}

/** Answers the CPU seconds of one rehearsal. */
async function rehearse(endpoints: number, runs: number): Promise<number> {
  const scenario = parseScenario({
    runtimes: [{ id: 'shop', version: 1, rollSeconds: 60, endpoints }],
  });
  const rehearsal = {
    scenario,
    runtimeId: 'shop',
    version: 2,
    policy: DEFAULT_POLICY,
    endpointUrl: 'http://127.0.0.1:8080',
    startsAt: Date.UTC(2026, 0, 1),
  };
  const before = process.cpuUsage();
  await rehearseChunk({ series: seriesOf(rehearsal, 'few'), from: 1, count: runs });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6 / runs;
}
