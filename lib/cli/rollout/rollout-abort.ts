import * as z from 'zod';
import { FAILURE_POLICIES, type FailurePolicy } from '../../domain/policy.ts';
import { confirm } from '../ask/confirm.ts';
import { withSomebodyToAsk } from '../ask/somebody-to-ask.ts';
import type { Engine } from '../engine/engine.ts';
import { withEngine } from '../engine/with-engine.ts';
import { ExitCode } from '../exit-code.ts';
import type { Invocation } from '../invocation.ts';
import { isForPeople } from '../options/is-for-people.ts';
import { signalShape } from '../options/signal-options.ts';
import { prepare } from '../settings/prepare.ts';
import { printResult } from '../view/print-result.ts';
import { reportSignal } from './say.ts';
import { sayAbort } from './say-abort.ts';

const optionsSchema = z.strictObject({
  ...signalShape,
  '--on-abort': z.enum(FAILURE_POLICIES).default('hold'),
  '--yes': z.boolean().default(false),
});
type Options = z.output<typeof optionsSchema>;

const WHAT_FOLLOWS: Readonly<Record<FailurePolicy, string>> = {
  hold: 'every endpoint stays as it is',
  'roll-back': 'what it rolled goes back to the versions before',
  'stop-old': 'the endpoints that it rolled and that are not live on the version are stopped',
};

/** What is not sent any more, from the moment on that the ledger has the abort. */
const WHAT_HALTS: Readonly<Record<FailurePolicy, string>> = {
  hold: 'Nothing more is rolled, rolled back or stopped but what is on its way already',
  'roll-back': 'Nothing more is rolled or stopped but what is on its way already',
  'stop-old': 'Nothing more is rolled or rolled back but what is on its way already',
};

/** `steproll rollout abort`: ends a rollout at its next step. */
export async function rolloutAbort(invocation: Invocation): Promise<number> {
  const { options } = await prepare(optionsSchema, withSomebodyToAsk(invocation));
  const rolloutId = options['rollout-id'];
  const { '--on-abort': onFailure } = options;
  return withEngine(options, async (engine) => {
    if (!options['--yes']) {
      const question = `Abort rollout ${rolloutId}? Then ${WHAT_FOLLOWS[onFailure]}.`;
      if (!(await confirm(question))) {
        process.stderr.write('Not aborted.\n');
        return ExitCode.Failed;
      }
    }
    await abort(rolloutId, options, engine);
    return ExitCode.Done;
  });
}

async function abort(rolloutId: string, options: Options, engine: Engine): Promise<void> {
  const { '--on-abort': onFailure, '--reason': reason } = options;
  const signal = await sayAbort(rolloutId, { onFailure, reason }, engine);
  if (signal === null) {
    reportEnded(rolloutId, options);
    return;
  }
  const sentence = `Asked to abort. ${WHAT_HALTS[onFailure]}, and ${WHAT_FOLLOWS[onFailure]}.`;
  reportSignal(rolloutId, signal, sentence, options);
}

function reportEnded(rolloutId: string, options: Options): void {
  if (!isForPeople(options)) printResult({ rolloutId, signal: 'abort' }, options);
  else process.stdout.write('Ended. It had not begun: nothing was rolled.\n');
}
