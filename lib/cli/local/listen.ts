import { join } from 'node:path';
import * as z from 'zod';
import { openSqliteLedger, type SqliteLedger } from '../../adapters/ledger/sqlite/ledger.ts';
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
import { readEnvironment } from '../../adapters/machine/environment.ts';
import { faultsOfApprovals } from '../../contract/config/approvers.ts';
import type { OpenConfig } from '../../contract/config/config.ts';
import { DEFAULT_TRIGGERS } from '../../contract/config/triggers.ts';
import type { LifecycleEvent } from '../../contract/event.ts';
import { invalidInput } from '../../contract/input/parse-input.ts';
import { groupIdOf } from '../../domain/rollout/group.ts';
import { LIFECYCLE_SOURCE } from '../../domain/trigger/release.ts';
import { createCaretaker } from '../../embedded/caretaker.ts';
import type { RolloutHost } from '../../embedded/rollout-host.ts';
import { takeTrigger } from '../../handlers/start.ts';
import { runSchedules } from '../../listener/schedules.ts';
import { startListenerServer } from '../../listener/server.ts';
import type { OpenBus } from '../../ports/event-bus.ts';
import type { StepContext } from '../../steps/io/ports.ts';
import { jsonLine, listNames, plainText } from '../../telling/text.ts';
import { openEvents } from '../engine/events.ts';
import { ExitCode } from '../invocation/exit-code.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { onInterrupt } from '../invocation/process.ts';
import { portField } from '../options/fields.ts';
import { globalShape } from '../options/global-shape.ts';
import { openHost } from '../rollout/host.ts';
import { prepare } from '../settings/prepare.ts';
import { connect } from '../settings/service.ts';
import { openPeople } from './approvers.ts';

const optionsSchema = z.strictObject({
  ...globalShape,
  '--engine': z
    .literal('embedded', { error: 'use embedded: on AWS the stack itself listens' })
    .default('embedded'),
  '--port': portField(8090),
});

/**
 * `steproll listen`: takes releases over HTTP and starts what the schedules ask for, on this machine, until Ctrl-C. Then
 * rollouts under way are left open for the next listener.
 *
 * @throws `PortUnavailable`, `ListenerRunning`, and `InvalidInput` for files of the state directory that are refused.
 */
export async function listen(invocation: Invocation): Promise<number> {
  const prepared = await prepare(optionsSchema, invocation);
  const { options, config } = prepared;
  if (Object.keys(config.runtimes).length === 0) {
    const how = '"runtimes": { "shop": {} }';
    const file = options['--config'];
    const where = file === undefined ? 'in a configuration, and that with --config' : `in ${file}`;
    throw invalidInput('configuration', [
      `runtimes: missing; name the runtimes that may be rolled ${where}: ${how}`,
    ]);
  }
  const rolled = [
    ...Object.keys(config.runtimes),
    ...Object.keys(config.groups ?? {}).map(groupIdOf),
  ];
  const unproven = new Set(rolled.flatMap((id) => faultsOfApprovals(config, id)));
  if (unproven.size > 0) throw invalidInput('configuration', [...unproven]);
  const { stateDirectory } = readEnvironment();
  const opened = openSqliteLedger(join(stateDirectory, 'ledger.sqlite'));
  const service = await connect(prepared);
  const interrupt = onInterrupt();
  const events = await openEvents(config, opened.ledger, { listen: writeEvent, log: writeLog });
  try {
    const { context, host } = await openHost({
      config,
      ports: { service, ledger: opened.ledger, events: events.bus },
      log: writeLog,
      atStop: 'leave',
    });
    await serveTriggers(options['--port'], { context, host, opened, config }, interrupt.signal);
  } finally {
    // A second signal ends the process at once.
    await events.end();
    interrupt.release();
    await service.close();
    opened.end();
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

const CARE_INTERVAL_MS = 60_000;

interface Listener {
  readonly context: StepContext & { readonly events: OpenBus };
  readonly host: RolloutHost;
  readonly opened: SqliteLedger;
  readonly config: OpenConfig;
}

async function serveTriggers(
  port: number,
  { context, host, opened, config }: Listener,
  signal: AbortSignal,
): Promise<void> {
  const { stateDirectory } = readEnvironment();
  const { service, ledger, clock } = context;
  const { isAbandoned, forget, forgetExpired } = opened;
  const { maxAgeSeconds, once, releases, schedules } = config.triggers ?? DEFAULT_TRIGGERS;
  const runtimes = Object.keys(config.runtimes);
  const groups = Object.keys(config.groups ?? {});
  const rules = { runtimes, groups, maxAgeSeconds, once };
  const log = writeLog;
  const take = async (payload: unknown) => {
    const taken = await takeTrigger(payload, {
      ...{ rules, releases, clock, ledger, endpointUrl: service.url },
      listsVersions: service.abilities.listsVersions,
      startExecution: host.start,
    });
    if (taken.message !== undefined) log(`Trigger of ${taken.runtimeId}: ${taken.message}`);
    return taken;
  };

  checkScheduleFile(stateDirectory);
  await refuseSecondListener(stateDirectory);
  const isDead = (rolloutId: string) => isAbandoned(rolloutId, clock.now());
  const people = await openPeople(config.approvers, ledger, isDead);
  const server = await startListenerServer({ port, clock, take, people, log });
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
    const named = [runtimes, groups.map(groupIdOf)].filter(({ length }) => length > 0);
    const subjects = named.map((names) => listNames(names)).join(', ');
    log(`Listening at ${server.url}, for releases of ${subjects} at the service ${service.url}`);
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
