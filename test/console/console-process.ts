import { ended, saw } from '../cli/program-process.ts';
import { startHere } from '../cli/run-here.ts';
import { takeSession } from './take-session.ts';

export interface ConsoleProcess {
  readonly origin: string;
  /** What every request needs. */
  readonly token: string;
  /** The link that gave it. */
  readonly link: string;
  /** Does something to it that makes it print a link, and answers the link. */
  printed(press: (signal: (name: NodeJS.Signals) => void) => unknown): Promise<string>;
  /** Ends it as Ctrl-C does. */
  end(): Promise<void>;
}

/** Starts a console on any free port, and waits for its link. */
export async function startConsole(
  folder: string,
  options: readonly string[] = [],
  variables: Parameters<typeof startHere>[2] = {},
): Promise<ConsoleProcess> {
  const child = startHere(folder, ['console', '--port', '0', ...options], variables);
  const link = (await saw(child, '#code=')).trim();
  return {
    ...(await takeSession(link)),
    link,
    async printed(press) {
      const seen = saw(child, '#code=');
      await press((name) => child.kill(name));
      return (await seen).trim();
    },
    async end() {
      const end = ended(child);
      child.kill('SIGINT');
      await end;
    },
  };
}
