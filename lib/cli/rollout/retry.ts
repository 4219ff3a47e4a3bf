import type { PolicyOverrides } from '../../contract/flow/rollout-input.ts';
import { commandOf } from '../../domain/command.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import type { AskedRequest } from '../../domain/rollout/request.ts';
import { readChildren } from '../../steps/group/children.ts';
import { toInput } from '../../steps/opening/asked-request.ts';
import { asArguments } from '../../telling/words/errors.ts';
import { describeStopped } from '../../telling/words/retry.ts';
import { type EngineOptions, engineArguments, watchCommand } from '../engine/open-engine.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { overridesOf } from '../options/policy-shape.ts';
import { type Again, prepareAgain, startAgain } from './again.ts';
import { askedByHand } from './start.ts';

/** `steproll rollout retry`: the version of a rollout that failed, once more, with the same policy. */
export async function rolloutRetry(invocation: Invocation): Promise<number> {
  const ready = await prepareAgain(retry, askedByHand(invocation));
  if (ready.note !== null) process.stderr.write(`${ready.note}\n`);
  return startAgain(ready, null);
}

/**
 * The same request, made today: without what was agreed to, and without who made it. All of its policy stays as it was,
 * except when rollouts may start: a freeze that was declared since then holds here, too.
 */
export const retry: Again = async (record, options, ledger) => {
  refuseRetry(record, options);
  const { plan, again, takeOver, unpin, parent, group, startedBy, ...input } = toInput(
    record.request,
  );
  const { windows, freezes, outsideWindow, windowsBind, locked, ...same } =
    record.request.policy ?? {};
  const now = overridesOf({ '--any-time': options['--any-time'] });
  const waves = record.request.policy?.waves.map(({ windows, ...wave }) => {
    return { ...wave, ...(windows !== undefined && now.windows === undefined && { windows }) };
  });
  return {
    input: { ...input, policy: { ...(same as PolicyOverrides), ...(waves && { waves }), ...now } },
    note: describeStopped(record, await readChildren(record, ledger)),
  };
};

function refuseRetry({ request, outcome }: AskedRollout, engine: EngineOptions): void {
  const { rolloutId } = request;
  const name = `Rollout ${JSON.stringify(rolloutId)}`;
  if (outcome === null) {
    const follow = `follow it with "${watchCommand(rolloutId, engine)}"`;
    const advice =
      engine['--engine'] === 'aws'
        ? follow
        : `${follow}; if its process died on this machine, "${commandOf(['rollout', 'resume', rolloutId])}" goes on with it`;
    throw new SteprollError(ErrorName.NothingToRetry, `${name} is under way: ${advice}.`);
  }
  if (request.policy === null) {
    const advice = 'start it again with the options that you want';
    throw new SteprollError(
      ErrorName.NothingToRetry,
      `${name} was refused before its policy was known, so a retry would roll by another one: ${advice}.`,
    );
  }
  if (outcome.outcome === 'Succeeded') {
    const again = commandOf(['rollout', ...toAskAgain(request)], engineArguments(engine));
    const advice = `"${again}" rolls what is not there`;
    throw new SteprollError(ErrorName.NothingToRetry, `${name} has succeeded; ${advice}.`);
  }
}

/** The command that asks for the same, after `rollout`. */
function toAskAgain({
  runtimeId,
  desiredVersion,
  versions,
  revert,
}: AskedRequest): readonly string[] {
  if (revert !== undefined) return ['revert', revert];
  const version =
    versions === undefined ? ['--version', `${desiredVersion}`] : ['--versions', 'FILE'];
  return ['start', ...asArguments(runtimeId), ...version];
}
