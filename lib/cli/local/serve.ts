import * as z from 'zod';
import { systemClock } from '../../adapters/machine/clock.ts';
import { parseScenario } from '../../simulation/scenario.ts';
import { startEndpointServer } from '../../simulation/server.ts';
import { ExitCode } from '../invocation/exit-code.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { onInterrupt } from '../invocation/process.ts';
import { parseOptions, portField } from '../options/fields.ts';
import { createScreen } from '../terminal/screen.ts';
import { readScenario } from './read-scenario.ts';

const optionsSchema = z.strictObject({
  '--port': portField(8080),
  '--scenario': z.string().min(1).optional(),
  '--path-prefix': z
    .string()
    .regex(/^(\/[\w.~-]+)*$/, 'use a path such as /runtime')
    .default(''),
});

/** `steproll serve`: runs the embedded endpoint service until Ctrl-C. */
export async function serve(invocation: Invocation): Promise<number> {
  const options = parseOptions(optionsSchema, invocation);
  const file = options['--scenario'];
  const scenario = file === undefined ? parseScenario(EXAMPLE_SCENARIO) : readScenario(file);
  const log = await createScreen(process.stderr);
  const server = await startEndpointServer({
    scenario,
    port: options['--port'],
    pathPrefix: options['--path-prefix'],
    clock: systemClock,
    onRequest: ({ method, url, status }) => log.line(`${status} ${method} ${url}`),
  });
  const interrupt = onInterrupt();
  process.stdout.write(`${server.url}\n`);
  const [runtime] = scenario.runtimes;
  if (runtime !== undefined) {
    log.line('Serving until Ctrl-C. In another terminal, try:');
    log.line(
      `  steproll rollout start ${runtime.id} --version ${runtime.version + 1} --bake 0 --poll 1 --yes --endpoint-url ${server.url}`,
    );
  }
  await new Promise((resolve) => interrupt.signal.addEventListener('abort', resolve));
  interrupt.release();
  await server.close();
  return ExitCode.Done;
}

/** A fleet to try things out on: in version 3, one endpoint never goes live. */
export const EXAMPLE_SCENARIO = {
  runtimes: [{ id: 'shop', version: 1, replicas: 3, rollSeconds: 2, endpoints: 12 }],
  faults: [{ endpoint: 'endpoint-03', version: 3, kind: 'stuck' }],
};
