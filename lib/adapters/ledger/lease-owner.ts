import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Who holds leases in a ledger that processes of one machine share. */
export interface LeaseOwner {
  /** No other process that is alive has it. */
  readonly name: string;
  /** Whether the process of this name is certainly no more. In doubt it is not. */
  isGone(name: string): boolean;
}

/** Tells the ledgers of one process apart from those of another one with its process id. */
const instance = randomUUID();

/**
 * This process, by the place where its process id means something, the id, and a name of its own. Of the
 * processes of another place nothing is certain: another machine, another boot, another container.
 */
export function thisProcess(): LeaseOwner {
  const place = thisPlace();
  return {
    name: `${place} ${process.pid} ${instance}`,
    isGone(name) {
      const [, where, pid, other] = /^(.*) (\d+) (\S+)$/.exec(name) ?? [];
      if (place === null || where !== place || pid === undefined) return false;
      // An id like ours is ours by now: whoever had it before is gone.
      return Number(pid) === process.pid ? other !== instance : !isAlive(Number(pid));
    },
  };
}

/** `null` where it cannot be told. */
function thisPlace(): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${hostname()} ${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // Elsewhere than on Linux there are no containers that share a host name and a file.
    return process.platform === 'linux' ? null : hostname();
  }
}

function isAlive(pid: number): boolean {
  try {
    // Signal 0 asks only.
    process.kill(pid, 0);
  } catch (error) {
    // A process of somebody else answers EPERM.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return !isZombie(pid);
}

/** It has ended, and only waits for its parent to ask how. */
function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // `1234 (name) Z …`, and the name may hold anything.
    return /^\) [ZX] /.test(stat.slice(stat.lastIndexOf(')')));
  } catch {
    return false;
  }
}
