import { join } from 'node:path';
import * as z from 'zod';
import { readEnvironment } from '../../adapters/environment.ts';
import { createLocalBus } from '../../adapters/events/local-bus.ts';
import { openGates } from '../../adapters/gates/open-gates.ts';
import { openSqliteLedger } from '../../adapters/ledger/sqlite-ledger.ts';
import { systemClock } from '../../adapters/system-clock.ts';
import type { LifecycleEvent } from '../../contract/lifecycle-event.ts';
import { invalidInput } from '../../contract/parse-input.ts';
import { policyOfRuntime } from '../../contract/policies.ts';
import { DEFAULT_TRIGGERS } from '../../contract/triggers.ts';
import { LIFECYCLE_SOURCE } from '../../domain/trigger/event-names.ts';
import { ExitCode } from '../exit-code.ts';
import { onInterrupt } from '../interrupt.ts';
import type { Invocation } from '../invocation.ts';
import { globalShape } from '../options/global-options.ts';
import { portField } from '../options/port-field.ts';
import { connect } from '../settings/connect.ts';
import { prepare } from '../settings/prepare.ts';
import { jsonLine } from '../view/json-text.ts';
import { plainText } from '../view/plain-text.ts';
import { runListener } from './run-listener.ts';

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
  const { ledger, end } = openSqliteLedger(join(stateDirectory, 'ledger.sqlite'));
  const service = connect(prepared);
  const interrupt = onInterrupt();
  try {
    await runListener({
      port: options['--port'],
      runtimes,
      triggers: config.triggers ?? DEFAULT_TRIGGERS,
      stateDirectory,
      context: {
        service,
        ledger,
        clock: systemClock,
        gates: openGates(),
        events: createLocalBus(writeEvent),
        policyOf: (runtimeId) => policyOfRuntime(config, runtimeId),
      },
      clock: systemClock,
      log: writeLog,
      signal: interrupt.signal,
    });
  } finally {
    interrupt.release();
    await service.close();
    end();
  }
  // Whoever runs services ends them with SIGTERM, and nothing is wrong then.
  return interrupt.by() === 'SIGTERM' ? ExitCode.Done : ExitCode.Interrupted;
}

/** A line for programs, in the form that the event bus on AWS has. */
function writeEvent({ detailType, detail }: LifecycleEvent): void {
  const event = { source: LIFECYCLE_SOURCE, 'detail-type': detailType, detail };
  process.stdout.write(`${jsonLine(event)}\n`);
}

/** A line for people; a list of mistakes has several of its own. */
function writeLog(text: string): void {
  const line = plainText(text.replaceAll(/\s*\n\s*/g, ' '));
  process.stderr.write(`${new Date().toISOString()} ${line}\n`);
}
