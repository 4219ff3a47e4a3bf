import { countRolloutOn } from '../cost/count-rollout.ts';
import { connectCountedLedger } from '../cost/open-counted-ledger.ts';

// node fleet-process.ts <port of the table> <endpoints>
//
// Rolls so many endpoints in a process of its own, whose memory may be limited, and prints what it took.

const [port, endpoints] = process.argv.slice(2).map(Number) as [number, number];
const counted = connectCountedLedger(port);
const cost = await countRolloutOn(counted, endpoints, 60);
counted.end();
const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
const cpuSeconds = (userCPUTime + systemCPUTime) / 1e6;
process.stdout.write(JSON.stringify({ ...cost, cpuSeconds, megabytes: maxRSS / 1024 }));
