import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { LeaseOwner } from '../../../ledger/lease.ts';

/** Keeps this process apart from an earlier process that had the same process id. */
const instance = randomUUID();

/**
 * The name of this process consists of three parts: the place where its process id is valid, the process id, and an
 * id of its own. Nothing is certain about processes of another place, such as another machine, boot or container.
 */
export function thisProcess(): LeaseOwner {
  const place = thisPlace();
  return {
    name: `${place} ${process.pid} ${instance}`,
    isGone(name) {
      const [, where, pid, other] = /^(.*) (\d+) (\S+)$/.exec(name) ?? [];
      if (place === null || where !== place || pid === undefined) return false;
      // This process has that process id now, so any other process that had it before is gone.
      return Number(pid) === process.pid ? other !== instance : !isAlive(Number(pid));
    },
  };
}

/** `null` when the place is not known. */
function thisPlace(): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${hostname()} ${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // Only on Linux are there containers that share a host name and a file.
    return process.platform === 'linux' ? null : hostname();
  }
}

function isAlive(pid: number): boolean {
  try {
    // Signal 0 only asks whether the process exists.
    process.kill(pid, 0);
  } catch (error) {
    // The process of another user answers EPERM.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  return !isZombie(pid);
}

/** The process has ended, and only waits for its parent to ask for its result. */
function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The format is `1234 (name) Z …`, and the name may contain any characters.
    return /^\) [ZX] /.test(stat.slice(stat.lastIndexOf(')')));
  } catch {
    return false;
  }
}
