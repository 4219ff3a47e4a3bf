import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A number that belongs to no user. */
const ANY_USER = '54321';
const AS_ANY_USER = `setpriv --reuid ${ANY_USER} --regid ${ANY_USER} --clear-groups --no-new-privs`;

/**
 * How a command is started as a container starts it, as far as this machine lets us: as process 1, on a file system
 * that is read-only except for the volume, by a number that is no user. Else only the number, and last as it is.
 *
 * @param volume The folder that stays writable.
 */
export function containerCommand(volume: string): readonly string[] {
  const readOnly = 'mount --bind "$0" "$0" && mount -o remount,bind,ro / && exec "$@"';
  const rungs = [
    [
      ...['unshare', '--mount', '--pid', '--fork', '--mount-proc', 'sh', '-c', readOnly, volume],
      ...AS_ANY_USER.split(' '),
    ],
    AS_ANY_USER.split(' '),
    ['env'],
  ];
  const works = ([command = '', ...args]: readonly string[]) =>
    spawnSync(command, [...args, process.execPath, '--version']).status === 0;
  const found = rungs.find(works);
  if (found === undefined) throw new Error('Not even env works here.');
  return found;
}

/** The process that gets the signals: what `unshare` started, or the process itself. */
export function firstProcess(pid = 0): number {
  try {
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
    return Number(child) || pid;
  } catch {
    return pid;
  }
}
