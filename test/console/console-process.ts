import { ended, saw } from '../cli/program-process.ts';
import { startHere } from '../cli/run-here.ts';

export interface ConsoleProcess {
  readonly origin: string;
  /** What every request needs, as the link has it. */
  readonly token: string;
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
  const [origin = '', token = ''] = (await saw(child, '#token=')).trim().split('/#token=');
  return {
    origin,
    token,
    async end() {
      const end = ended(child);
      child.kill('SIGINT');
      await end;
    },
  };
}
