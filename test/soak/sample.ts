import { writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

// node --import ./test/soak/sample.ts PROGRAM
//
// Looks once a second at the process that it is loaded into, and leaves the most that it saw in the file SAMPLES.

const EVERY_MS = 1_000;

const most = { heapBytes: 0, sockets: 0 };

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

function look(): void {
  collectGarbage();
  const sockets = process.getActiveResourcesInfo().filter((one) => one === 'TCPSocketWrap').length;
  most.heapBytes = Math.max(most.heapBytes, process.memoryUsage().heapUsed);
  most.sockets = Math.max(most.sockets, sockets);
}

setInterval(look, EVERY_MS).unref();
process.on('exit', () => writeFileSync(process.env.SAMPLES ?? '', JSON.stringify(most)));
