import * as z from 'zod';
import { systemClock } from '../../adapters/system-clock.ts';
import type { WatchLine } from '../../contract/watch-line.ts';
import { withEngine } from '../engine/with-engine.ts';
import type { Invocation } from '../invocation.ts';
import { rolloutShape } from '../options/signal-options.ts';
import { prepare } from '../settings/prepare.ts';
import { jsonLine } from '../view/json-text.ts';
import { createJsonView } from '../view/json-view.ts';
import { toResult } from './print-outcome.ts';
import { watchRollout } from './watch-rollout.ts';

const optionsSchema = z.strictObject(rolloutShape);

/** `steproll rollout watch`: follows a rollout that runs elsewhere, and ends as it does. */
export async function rolloutWatch(invocation: Invocation): Promise<number> {
  const { options } = await prepare(optionsSchema, invocation);
  const rolloutId = options['rollout-id'];
  const isStream = options['--output'] === 'json' && options['--query'] === undefined;
  const writeLine = (line: WatchLine) => void process.stdout.write(`${jsonLine(line)}\n`);
  return withEngine(options, ({ ledger, describeWaiting }) =>
    watchRollout({
      rolloutId,
      ledger,
      how: options,
      describeWaiting: () => describeWaiting(rolloutId),
      ...(isStream && {
        view: createJsonView(writeLine, systemClock),
        print: (ended) => writeLine({ kind: 'result', ...toResult(ended) }),
      }),
    }),
  );
}
