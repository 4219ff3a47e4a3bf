import * as z from 'zod';
import { policyOfRuntime } from '../../contract/config/policies.ts';
import {
  type PolicyOverrides,
  parsePolicy,
  type RolloutInput,
} from '../../contract/flow/rollout-input.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import { type AskedRequest, refuseOtherService } from '../../domain/rollout/request.ts';
import { readChildren } from '../../steps/group/children.ts';
import { toInput } from '../../steps/opening/asked-request.ts';
import {
  type EngineOptions,
  engineArguments,
  isOnAws,
  watchCommand,
  withHistory,
} from '../engine/open-engine.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { ALWAYS } from '../options/fields.ts';
import { globalShape } from '../options/global-shape.ts';
import { overridesOf, policyShape } from '../options/policy-shape.ts';
import { checkWatch, refuseDetach, rolloutShape, startShape } from '../options/rollout-options.ts';
import { prepare } from '../settings/prepare.ts';
import { watchedOrLeft, withSomebodyToAsk } from '../terminal/ask.ts';
import { asArgument } from '../words/errors.ts';
import { describeStopped } from '../words/retry.ts';
import { refuseForGroup } from './group.ts';
import { startHere, startOnAws } from './start.ts';

const retryShape = {
  ...rolloutShape,
  ...startShape,
  '--any-time': policyShape['--any-time'],
};
const hereSchema = z
  .strictObject({ ...globalShape, ...retryShape })
  .superRefine(refuseDetach, ALWAYS);
const onAwsSchema = z.strictObject(retryShape).superRefine(checkWatch, ALWAYS);

/** `steproll rollout retry`: the version of a rollout that failed, once more, with the same policy. */
export async function rolloutRetry(invocation: Invocation): Promise<number> {
  const asking = withSomebodyToAsk(invocation);
  if (isOnAws(invocation)) {
    const { input, options, stopped } = await prepareRetryOnAws(watchedOrLeft(asking));
    tell(stopped);
    return startOnAws(input, options);
  }
  const { input, policy, prepared, stopped } = await prepareRetryHere(asking);
  tell(stopped);
  return startHere(input, policy, prepared);
}

function tell(sentence: string | null): void {
  if (sentence !== null) process.stderr.write(`${sentence}\n`);
}

/** A retry of a rollout on AWS, with everything checked that can be checked from here. Nothing is started. */
export async function prepareRetryOnAws(invocation: Invocation) {
  const { options } = await prepare(onAwsSchema, invocation);
  const { request, stopped } = await readFailed(options);
  const input = { ...inputOf(request), policy: sameAgain(request, options) };
  return { input, options, stopped };
}

/** The same for a rollout that runs in this process. */
export async function prepareRetryHere(invocation: Invocation) {
  const prepared = await prepare(hereSchema, invocation);
  const { options, config } = prepared;
  const { request, stopped } = await readFailed(options);
  refuseOtherService(request, options['--endpoint-url']);
  refuseForGroup({ ...options, 'runtime-id': request.runtimeId }, config);
  const configured = policyOfRuntime(config, request.runtimeId);
  const policy = parsePolicy(sameAgain(request, options), configured);
  return { input: inputOf(request), policy, prepared, stopped };
}

type Options = EngineOptions & {
  readonly 'rollout-id': string;
  readonly '--any-time'?: boolean | undefined;
};

/** All stays as it was, except when rollouts may start: a freeze that was declared since then holds here, too. */
function sameAgain({ policy }: AskedRequest, options: Options): PolicyOverrides {
  const { windows, freezes, outsideWindow, ...same } = policy ?? {};
  const now = overridesOf({ '--any-time': options['--any-time'] });
  return { ...(same as PolicyOverrides), ...now };
}

/** The request of a rollout that can be retried, and what is said of the endpoints that it has stopped. */
function readFailed(options: Options) {
  return withHistory(options, async ({ ledger }) => {
    const record = await ledger.read(options['rollout-id']);
    refuseRetry(record, options);
    const stopped = describeStopped(record, await readChildren(record, ledger));
    return { request: record.request, stopped };
  });
}

function refuseRetry({ request, outcome }: AskedRollout, engine: EngineOptions): void {
  const { rolloutId } = request;
  const name = `Rollout ${JSON.stringify(rolloutId)}`;
  if (outcome === null) {
    const follow = `follow it with "${watchCommand(rolloutId, engine)}"`;
    const advice =
      engine['--engine'] === 'aws'
        ? follow
        : `${follow}; if its process died on this machine, "steproll rollout resume ${rolloutId}" goes on with it`;
    throw new SteprollError(ErrorName.NothingToRetry, `${name} is under way: ${advice}.`);
  }
  if (outcome.outcome === 'Succeeded') {
    const again = `steproll rollout ${toAskAgain(request)}${engineArguments(engine)}`;
    const advice = `"${again}" rolls what is not there`;
    throw new SteprollError(ErrorName.NothingToRetry, `${name} has succeeded; ${advice}.`);
  }
}

/** The command that asks for the same, without `steproll rollout`. */
function toAskAgain({ runtimeId, desiredVersion, versions, revert }: AskedRequest): string {
  if (revert !== undefined) return `revert ${revert}`;
  const version = versions === undefined ? `--version ${desiredVersion}` : '--versions FILE';
  return `start ${asArgument(runtimeId)} ${version}`;
}

/** The same request, made today: without what was agreed to, and without who made it. */
function inputOf(request: AskedRequest): RolloutInput {
  const { plan, again, takeOver, parent, group, startedBy, ...input } = toInput(request);
  return input;
}
