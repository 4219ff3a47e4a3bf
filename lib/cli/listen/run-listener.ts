import { removeListenerFile, writeListenerFile } from '../../adapters/listener/listener-file.ts';
import { refuseSecondListener } from '../../adapters/listener/refuse-second-listener.ts';
import { readScheduleFile, writeScheduleFile } from '../../adapters/listener/schedule-file.ts';
import type { Triggers } from '../../contract/triggers.ts';
import { createCaretaker } from '../../embedded/look-after-ledger.ts';
import { createRolloutHost } from '../../embedded/rollout-host.ts';
import { runSchedules } from '../../listener/run-schedules.ts';
import { startListenerServer } from '../../listener/server.ts';
import type { Clock } from '../../ports/clock.ts';
import type { StepContext } from '../../steps/handle.ts';
import { takeTrigger } from '../../steps/take-trigger.ts';

export interface ListenerOptions {
  /** 0: any that is free. */
  readonly port: number;
  /** Ids of the runtimes that triggers may roll. */
  readonly runtimes: readonly string[];
  readonly triggers: Triggers;
  /** Where the address goes that releases are handed to. */
  readonly stateDirectory: string;
  readonly context: StepContext;
  readonly clock: Clock;
  /** Told in a line what happens. */
  readonly log: (line: string) => void;
  /** Ends it, after the steps that are under way. */
  readonly signal: AbortSignal;
}

const CARE_INTERVAL_MS = 60_000;

/**
 * Takes releases over HTTP and starts what the schedules ask for, in this process, until the signal aborts.
 * Rollouts that are under way then are left open for the next one.
 *
 * @throws `PortUnavailable`, `ListenerRunning`.
 */
export async function runListener(options: ListenerOptions): Promise<void> {
  const { port, runtimes, triggers, stateDirectory, context, clock, log, signal } = options;
  const { maxAgeSeconds, releases, schedules } = triggers;
  const host = createRolloutHost({ context, log });
  const rules = { runtimes, maxAgeSeconds };
  const take = (payload: unknown) =>
    takeTrigger(payload, { rules, releases, clock, startExecution: host.start });

  await refuseSecondListener(stateDirectory);
  const server = await startListenerServer({ port, clock, take, log });
  const careFor = createCaretaker({ context, host, rules, schedules, log });
  let care = Promise.resolve();
  const timer = setInterval(() => {
    care = care.then(careFor);
  }, CARE_INTERVAL_MS);
  try {
    writeListenerFile(stateDirectory, server);
    log(
      `Listening at ${server.url}, for releases of ${runtimes.join(', ')} at the service ${context.service.url}`,
    );
    await careFor();
    const memory = {
      read: () => readScheduleFile(stateDirectory),
      write: (seen: ReturnType<typeof readScheduleFile>) => writeScheduleFile(stateDirectory, seen),
    };
    await runSchedules({ schedules, clock, take, memory, log }, signal);
  } finally {
    clearInterval(timer);
    log('Ending after the steps that are under way; Ctrl-C ends it at once');
    removeListenerFile(stateDirectory, server);
    await server.close();
    await care;
    await host.stop();
  }
}
