import { userInfo } from 'node:os';

/** The person at this machine, as the operating system calls them; `''` where it has no name for them. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container a process may run as a number that has no entry.
    return '';
  }
}
