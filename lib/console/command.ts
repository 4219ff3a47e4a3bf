import * as z from 'zod';
import { systemClock } from '../adapters/machine/clock.ts';
import { readPages } from '../adapters/pages/read-pages.ts';
import { ExitCode } from '../cli/invocation/exit-code.ts';
import type { Invocation } from '../cli/invocation/invocation.ts';
import { onInterrupt } from '../cli/invocation/process.ts';
import { portField } from '../cli/options/fields.ts';
import { ledgerShape } from '../cli/options/global-shape.ts';
import { prepare } from '../cli/settings/prepare.ts';
import { createDesk } from './desk/desk.ts';
import { keepEngine } from './desk/kept-engine.ts';
import { createRuns } from './desk/runs.ts';
import { startConsoleServer } from './server/server.ts';

const optionsSchema = z.strictObject({ ...ledgerShape, '--port': portField(8070) });

/** Milliseconds between two looks at the rollouts, while a page is open. On AWS each look costs money. */
const LOOK_MS = { embedded: 1_000, aws: 3_000 } as const;

/** What Ctrl-\ sends. To read keys would stop a console that a shell has put into the background. */
const ANOTHER_LINK = 'SIGQUIT';

/** `steproll console`: shows the rollouts in a browser, until Ctrl-C. */
export async function openConsole(invocation: Invocation): Promise<number> {
  const { options, config } = await prepare(optionsSchema, invocation);
  const engine = await keepEngine(options);
  const { '--port': _, ...given } = invocation.given;
  const runs = createRuns(given, { options, config }, engine);
  const interrupt = onInterrupt();
  const printLink = (link: string) => void process.stdout.write(`${link}\n`);
  let printNext = () => {};
  try {
    const server = await startConsoleServer({
      port: options['--port'],
      desk: createDesk(engine, {
        options,
        configured: Object.keys(config.runtimes),
        schedules: config.triggers?.schedules ?? [],
        given,
        runs,
        clock: systemClock,
      }),
      pages: await readPages(),
      lookMs: LOOK_MS[options['--engine']],
      clock: systemClock,
      printLink,
    });
    printNext = () => printLink(server.link());
    printNext();
    process.stderr.write(
      `The console of ${engine.place}, until Ctrl-C. The link works once, and whoever opens it may do what you may do. For another one press Ctrl-\\ here, or the button at ${server.url}/.\n`,
    );
    process.on(ANOTHER_LINK, printNext);
    await new Promise((resolve) => interrupt.signal.addEventListener('abort', resolve));
    await server.close();
  } finally {
    process.off(ANOTHER_LINK, printNext);
    await runs.end();
    interrupt.release();
    engine.end();
  }
  return ExitCode.Done;
}
