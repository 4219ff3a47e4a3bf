import { join } from 'node:path';
import * as z from 'zod';
import { openSqliteLedger } from '../../adapters/ledger/sqlite/ledger.ts';
import {
  refuseSecondListener,
  removeListenerFile,
  writeListenerFile,
} from '../../adapters/listener/listener-file.ts';
import {
  checkScheduleFile,
  readScheduleFile,
  writeScheduleFile,
} from '../../adapters/listener/schedule-file.ts';
import { systemClock } from '../../adapters/machine/clock.ts';
import { readEnvironment } from '../../adapters/machine/environment.ts';
import type { OpenConfig } from '../../contract/config/config.ts';
import { policyOfRuntime } from '../../contract/config/policies.ts';
import { DEFAULT_TRIGGERS, type Triggers } from '../../contract/config/triggers.ts';
import type { LifecycleEvent } from '../../contract/output/event.ts';
import { invalidInput } from '../../contract/parsing/parse-input.ts';
import { groupIdOf } from '../../domain/rollout/group.ts';
import { LIFECYCLE_SOURCE } from '../../domain/trigger/release.ts';
import { createCaretaker } from '../../embedded/caretaker.ts';
import { createRolloutHost } from '../../embedded/rollout-host.ts';
import { runSchedules } from '../../listener/schedules.ts';
import { startListenerServer } from '../../listener/server.ts';
import { takeTrigger } from '../../operations/start.ts';
import type { Clock } from '../../ports/clock.ts';
import type { OpenBus } from '../../ports/event-bus.ts';
import type { Groups, StepContext } from '../../steps/frame/ports.ts';
import { openEvents } from '../engine/events.ts';
import { ExitCode } from '../invocation/exit-code.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { onInterrupt } from '../invocation/process.ts';
import { portField } from '../options/fields.ts';
import { globalShape } from '../options/global-shape.ts';
import { planningOf } from '../rollout/group.ts';
import { prepare } from '../settings/prepare.ts';
import { connect, openGatesOf } from '../settings/service.ts';
import { jsonLine } from '../terminal/print-result.ts';
import { listNames, plainText } from '../terminal/text.ts';

const optionsSchema = z.strictObject({
  ...globalShape,
  '--engine': z
    .literal('embedded', { error: 'use embedded: on AWS the stack itself listens' })
    .default('embedded'),
  '--port': portField(8090),
});

/** `steproll listen`: starts rollouts from releases and schedules, on this machine, until Ctrl-C. */
export async function listen(invocation: Invocation): Promise<number> {
  const prepared = await prepare(optionsSchema, invocation);
  const { options, config } = prepared;
  const runtimes = Object.keys(config.runtimes);
  if (runtimes.length === 0) {
    const how = '"runtimes": { "shop": { "policy": {} } }';
    const file = options['--config'];
    const where = file === undefined ? 'in a configuration, and that with --config' : `in ${file}`;
    throw invalidInput('configuration', [
      `runtimes: missing; name the runtimes that may be rolled ${where}: ${how}`,
    ]);
  }
  const { stateDirectory } = readEnvironment();
  const { ledger, isAbandoned, forget, forgetExpired, end } = openSqliteLedger(
    join(stateDirectory, 'ledger.sqlite'),
  );
  const service = await connect(prepared);
  const interrupt = onInterrupt();
  const events = await openEvents(config, ledger, { listen: writeEvent, log: writeLog });
  try {
    await runListener({
      port: options['--port'],
      config,
      triggers: config.triggers ?? DEFAULT_TRIGGERS,
      stateDirectory,
      context: {
        service,
        ledger,
        clock: systemClock,
        gates: await openGatesOf(prepared),
        events: events.bus,
        policyOf: (runtimeId) => policyOfRuntime(config, runtimeId),
      },
      clock: systemClock,
      isAbandoned,
      forget,
      forgetExpired,
      log: writeLog,
      signal: interrupt.signal,
    });
  } finally {
    // A second signal ends the process at once.
    await events.end();
    interrupt.release();
    await service.close();
    end();
  }
  // Service managers end a process with SIGTERM, and then nothing is wrong.
  return interrupt.by() === 'SIGTERM' ? ExitCode.Done : ExitCode.Interrupted;
}

/** Writes a line for programs, in the form of the event bus on AWS. */
function writeEvent({ detailType, detail }: LifecycleEvent): void {
  const event = { source: LIFECYCLE_SOURCE, 'detail-type': detailType, detail };
  process.stdout.write(`${jsonLine(event)}\n`);
}

/** Writes a line for people. A list of mistakes has several lines. */
function writeLog(text: string): void {
  const line = plainText(text.replaceAll(/\s*\n\s*/g, ' '));
  process.stderr.write(`${new Date().toISOString()} ${line}\n`);
}

interface ListenerOptions {
  /** The port. 0: any free one. */
  readonly port: number;
  /** Has the runtimes and the groups that triggers may roll. */
  readonly config: OpenConfig;
  readonly triggers: Triggers;
  /** The folder for the file with the address to which releases are sent. */
  readonly stateDirectory: string;
  readonly context: StepContext & { readonly events: OpenBus };
  readonly clock: Clock;
  /** Whether an open rollout seems to have no process any more. */
  readonly isAbandoned: (rolloutId: string, now: number) => Promise<boolean>;
  /** Removes rollouts that ended before a time from the ledger. */
  readonly forget: (before: number) => Promise<void>;
  /** Removes what has a time of its own, and that time is over. */
  readonly forgetExpired: (now: number) => Promise<void>;
  /** Gets a line about everything that happens. */
  readonly log: (line: string) => void;
  /** Ends the listener, after the current steps. */
  readonly signal: AbortSignal;
}

const CARE_INTERVAL_MS = 60_000;

/**
 * Takes releases over HTTP and starts what the schedules ask for, in this process, until the signal aborts. Then
 * rollouts under way are left open for the next listener.
 *
 * @throws `PortUnavailable`, `ListenerRunning`, and `InvalidInput` for files of the state directory that are refused.
 */
async function runListener(options: ListenerOptions): Promise<void> {
  const { port, config, triggers, stateDirectory, clock, log, signal } = options;
  const { isAbandoned, forget, forgetExpired } = options;
  const { maxAgeSeconds, once, releases, schedules } = triggers;
  // The host of a group runs the rollouts of its runtimes, too.
  const groups: Groups = {
    planning: planningOf(config),
    startChild: async (...child) => void (await host.start(...child)),
  };
  const context = { ...options.context, groups };
  const host = createRolloutHost({ context, log });
  const runtimes = Object.keys(config.runtimes);
  const { listsVersions } = context.service.abilities;
  const rules = { runtimes, groups: Object.keys(config.groups ?? {}), maxAgeSeconds, once };
  const take = async (payload: unknown) => {
    const taken = await takeTrigger(payload, {
      ...{ rules, releases, clock, listsVersions },
      ...{ ledger: context.ledger, endpointUrl: context.service.url },
      startExecution: host.start,
    });
    if (taken.message !== undefined) log(`Trigger of ${taken.runtimeId}: ${taken.message}`);
    return taken;
  };

  checkScheduleFile(stateDirectory);
  await refuseSecondListener(stateDirectory);
  const server = await startListenerServer({ port, clock, take, log });
  const { historyDays: days } = config;
  const careFor = createCaretaker({
    ...{ context, host, rules, schedules, log, isAbandoned, forgetExpired },
    ...(days !== undefined && { history: { days, forget } }),
  });
  let care = Promise.resolve();
  const timer = setInterval(() => {
    care = care.then(careFor);
  }, CARE_INTERVAL_MS);
  try {
    writeListenerFile(stateDirectory, server);
    const named = [runtimes, rules.groups.map(groupIdOf)].filter(({ length }) => length > 0);
    const subjects = named.map((names) => listNames(names));
    log(
      `Listening at ${server.url}, for releases of ${subjects.join(', ')} at the service ${context.service.url}`,
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
    await server.close();
    await care;
    await host.stop();
    // This may throw, if somebody has put something else in the place of the file.
    removeListenerFile(stateDirectory, server);
  }
}
