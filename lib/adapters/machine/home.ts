import { homedir } from 'node:os';
import { join } from 'node:path';

/** The home that systems give users who have none. */
const NO_HOME = '/nonexistent';

/**
 * A path in the home folder; `null` when there is none: in a container a process may have no HOME, and run under a
 * number that belongs to no user.
 */
export function inHome(...path: readonly string[]): string | null {
  try {
    const home = homedir();
    // HOME may be empty, and the path would be one in the current folder.
    return home === '' || home === NO_HOME ? null : join(home, ...path);
  } catch {
    return null;
  }
}

/** The AWS SDK looks for its files in the home folder, and fails when it cannot know where that is. */
export function nameMissingHome(): void {
  if (inHome() === null) process.env.HOME = NO_HOME;
}
