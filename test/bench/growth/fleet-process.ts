import { countRolloutOn, type RolloutCost } from '../cost/count-rollout.ts';
import { connectCountedLedger } from '../cost/open-counted-ledger.ts';

// node fleet-process.ts <port of the table> <endpoints>
//
// Rolls so many endpoints in a process of its own, whose memory can be limited, and prints what it took.

export interface FleetCost extends RolloutCost {
  /** Of the whole process, from its start. */
  readonly cpuSeconds: number;
  /** The most memory that it ever had. */
  readonly megabytes: number;
}

const ROLL_SECONDS = 60;

const [port = 0, endpoints = 0] = process.argv.slice(2).map(Number);
const counted = connectCountedLedger(port);
const cost = await countRolloutOn(counted, endpoints, ROLL_SECONDS);
counted.end();
const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
const taken: FleetCost = {
  ...cost,
  cpuSeconds: (userCPUTime + systemCPUTime) / 1e6,
  megabytes: maxRSS / 1024,
};
process.stdout.write(JSON.stringify(taken));
