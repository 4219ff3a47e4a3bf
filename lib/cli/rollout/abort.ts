import { systemClock } from '../../adapters/machine/clock.ts';
import { containmentOf } from '../../domain/containment/failure-policies.ts';
import { describeSessionsBack } from '../../domain/endpoint/sessions.ts';
import { ErrorName, errorNameOf } from '../../domain/errors.ts';
import type { FailurePolicy } from '../../domain/rollout/policy.ts';
import { type Signal, wasOpened } from '../../domain/rollout/record.ts';
import { ABORT } from '../../domain/signals/abort.ts';
import { withdrawn } from '../../domain/signals/signals.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { tellChildren } from '../../steps/group/children.ts';
import { storyOf } from '../../telling/story/story.ts';
import { plainText } from '../../telling/text.ts';
import { linesOf, listQuiet } from '../../telling/words/phase.ts';
import type { Engine } from '../engine/engine.ts';
import { type EngineOptions, engineArguments } from '../engine/open-engine.ts';
import { ownerHere } from '../engine/who-is-here.ts';
import { ExitCode } from '../invocation/exit-code.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { signalSchema } from '../options/rollout-options.ts';
import { prepare } from '../settings/prepare.ts';
import { confirm, withSomebodyToAsk } from '../terminal/ask.ts';
import { printTold } from '../terminal/print-result.ts';
import { withRollout } from './named-rollout.ts';
import { refuseBeyondGroup, reportSignal, sendSignal } from './signal.ts';

/** `steproll rollout abort`: ends a rollout at its next step. */
export async function rolloutAbort(invocation: Invocation): Promise<number> {
  const { options } = await prepare(signalSchema, withSomebodyToAsk(invocation));
  const { '--reason': reason, '--on-abort': chosen } = options;
  return withRollout(options, async (engine, rolloutId) => {
    const { onFailure, plan } = await policyOfAbort(rolloutId, chosen, engine.ledger);
    if (!options['--yes']) {
      const { consequence } = containmentOf(onFailure, plan);
      // Nobody has chosen that, and a bad version would stay.
      const otherwise =
        chosen === undefined ? '; --on-abort roll-back takes back what it rolled' : '';
      const sessions = onFailure === 'roll-back' ? describeSessionsBack(plan?.sessions) : '';
      if (
        !(await confirm(`Abort rollout ${rolloutId}? Then ${consequence}${otherwise}.${sessions}`))
      ) {
        process.stderr.write('Not aborted.\n');
        return ExitCode.Failed;
      }
    }
    const signal = await sendAbort(rolloutId, { onFailure, reason }, engine);
    if (signal === null) {
      printTold({ rolloutId, signal: ABORT.kind }, [NEVER_BEGUN], options);
      return ExitCode.Done;
    }
    await reportSignal(rolloutId, signal, engine, options);
    // The abort was accepted, even if nothing can be read now.
    for (const line of await findQuiet(rolloutId, options, engine).catch(() => [])) {
      process.stderr.write(`${plainText(line)}\n`);
    }
    return ExitCode.Done;
  });
}

/** What an abort does with what was rolled. The abort is sent even if nothing can be read now. @throws `InvalidInput` */
export async function policyOfAbort(
  rolloutId: string,
  onFailure: FailurePolicy = ABORT.command.policy.otherwise,
  ledger: Pick<Ledger, 'read'>,
) {
  const record = await ledger.read(rolloutId).catch(() => null);
  refuseBeyondGroup(record?.request.runtimeId ?? '', ABORT.command.policy.option, onFailure);
  return { onFailure, plan: record?.plan ?? null };
}

/** A rollout whose process is dead follows no abort until somebody resumes it. */
async function findQuiet(
  rolloutId: string,
  options: EngineOptions,
  engine: Engine,
): Promise<string[]> {
  const record = await engine.ledger.read(rolloutId);
  const isAbandoned = await engine.isAbandoned(rolloutId);
  const story = storyOf(record, systemClock.now(), isAbandoned);
  return linesOf(listQuiet(story, engineArguments(options)));
}

/** What is said of a rollout that was ended before it began. */
export const NEVER_BEGUN = 'Ended. It had not begun: nothing was rolled.';

/**
 * Asks a rollout to end, and with a group its runtimes' rollouts under way. A rollout that has not begun is ended at
 * once. Answers the signal; `null` when the rollout will never begin.
 *
 * @throws `RolloutNotFound`, `RolloutClosed`, `NotUnderstood`, `LedgerUnavailable`, `AwsUnavailable`.
 */
export async function sendAbort(
  rolloutId: string,
  said: Pick<Signal, 'onFailure' | 'reason'>,
  engine: Pick<Engine, 'ledger' | 'endWaiting' | 'caller'>,
): Promise<Signal | null> {
  const { ledger } = engine;
  const send = async () => {
    const signal = await sendSignal(rolloutId, { kind: ABORT.kind, wave: null, ...said }, engine);
    // No child is started from now on. The group knows of the abort, even if its children cannot be told now.
    const tell = async () =>
      tellChildren(signal, await ledger.read(rolloutId), { ledger, clock: systemClock });
    await tell().catch(() => undefined);
    return signal;
  };
  try {
    return (await withdraw(rolloutId, said.reason, engine)) ? null : await send();
  } catch (error) {
    if (errorNameOf(error) !== ErrorName.RolloutNotFound) throw error;
  }
  const why = `Aborted by ${await ownerHere(engine)}${said.reason === '' ? '' : `: ${said.reason}`}`;
  if (await engine.endWaiting(rolloutId, why)) return null;
  // The rollout may have begun in between.
  return send();
}

/** Closes a rollout that has not begun, at once, whatever it waits for. Answers whether it did. */
async function withdraw(
  rolloutId: string,
  reason: string,
  { ledger, endWaiting, caller }: Pick<Engine, 'ledger' | 'endWaiting' | 'caller'>,
): Promise<boolean> {
  const known = await ledger.read(rolloutId);
  // If the rollout has ended, sending the signal fails and says so.
  if (known.outcome !== null || wasOpened(known)) return false;
  const by = await ownerHere({ ...(caller && { caller }) });
  const outcome = { ...withdrawn({ by, reason }), cleanup: 'none' } as const;
  const stored = await ledger.withdraw(rolloutId, outcome, systemClock.now());
  if (stored === null) return false;
  // Otherwise its execution on AWS would sleep for nothing, and end only when it wakes up.
  await endWaiting(rolloutId, stored.message).catch(() => false);
  return true;
}
