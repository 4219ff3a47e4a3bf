import * as z from 'zod';
import { readJsonFile } from '../../adapters/json-file.ts';
import { systemClock } from '../../adapters/system-clock.ts';
import { parseScenario } from '../../contract/scenario.ts';
import { startEndpointServer } from '../../service/server.ts';
import { ExitCode } from '../exit-code.ts';
import { onInterrupt } from '../interrupt.ts';
import type { Invocation } from '../invocation.ts';
import { parseOptions } from '../options/parse-options.ts';
import { portField } from '../options/port-field.ts';
import { createScreen } from '../view/screen.ts';
import { EXAMPLE_SCENARIO } from './example-scenario.ts';

const optionsSchema = z.strictObject({
  '--port': portField(8080),
  '--scenario': z.string().min(1).optional(),
  '--path-prefix': z
    .string()
    .regex(/^(\/[\w.~-]+)*$/, 'use a path such as /runtime')
    .default(''),
});

/** `steproll serve`: the embedded endpoint service, until Ctrl-C. */
export async function serve(invocation: Invocation): Promise<number> {
  const options = parseOptions(optionsSchema, invocation);
  const file = options['--scenario'];
  const scenario = parseScenario(file === undefined ? EXAMPLE_SCENARIO : readJsonFile(file));
  const log = createScreen(process.stderr);
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
      `  npm run steproll -- rollout start ${runtime.id} --version ${runtime.version + 1} --bake 0 --poll 1 --yes --endpoint-url ${server.url}`,
    );
  }
  await new Promise((resolve) => interrupt.signal.addEventListener('abort', resolve));
  interrupt.release();
  await server.close();
  return ExitCode.Done;
}
