import * as z from 'zod';
import type { PolicyOverrides, RolloutInput } from '../../contract/rollout-input.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import type { RolloutRecord, RolloutRequest } from '../../domain/rollout.ts';
import { withSomebodyToAsk } from '../ask/somebody-to-ask.ts';
import { type EngineOptions, withEngine } from '../engine/with-engine.ts';
import type { Invocation } from '../invocation.ts';
import { globalShape } from '../options/global-options.ts';
import { isOnAws } from '../options/is-on-aws.ts';
import { checkWatch, refuseDetach, startShape } from '../options/rollout-options.ts';
import { rolloutShape } from '../options/signal-options.ts';
import { prepare } from '../settings/prepare.ts';
import { startHere } from './start-here.ts';
import { startOnAws } from './start-on-aws.ts';

const ALWAYS = { when: () => true };

const hereSchema = z
  .strictObject({ ...globalShape, ...rolloutShape, ...startShape })
  .superRefine(refuseDetach, ALWAYS);
const onAwsSchema = z
  .strictObject({ ...rolloutShape, ...startShape })
  .superRefine(checkWatch, ALWAYS);

/**
 * `steproll rollout retry`: a new rollout to the version of one that failed, done in the same way. What
 * is on the version already is left alone.
 */
export async function rolloutRetry(invocation: Invocation): Promise<number> {
  const asking = withSomebodyToAsk(invocation);
  if (isOnAws(invocation)) {
    const { options } = await prepare(onAwsSchema, asking);
    const { policy, ...request } = await readRequest(options);
    // A whole policy is one that says everything otherwise.
    return startOnAws({ ...inputOf(request), policy: policy as PolicyOverrides }, options);
  }
  const prepared = await prepare(hereSchema, asking);
  const { policy, ...request } = await readRequest(prepared.options);
  return startHere(inputOf(request), policy, prepared);
}

type Options = EngineOptions & { readonly 'rollout-id': string };

function readRequest(options: Options): Promise<RolloutRequest> {
  return withEngine(options, async ({ ledger }) => {
    const record = await ledger.read(options['rollout-id']);
    refuseRetry(record);
    return record.request;
  });
}

function refuseRetry({ request, outcome }: RolloutRecord): void {
  const { rolloutId, runtimeId, desiredVersion } = request;
  const name = `Rollout ${JSON.stringify(rolloutId)}`;
  if (outcome === null) {
    const advice = `follow it with "steproll rollout watch ${rolloutId}"; if its process died on this machine, "steproll rollout resume ${rolloutId}" goes on with it`;
    throw new SteprollError(ErrorName.NothingToRetry, `${name} is under way: ${advice}.`);
  }
  if (outcome.outcome === 'Succeeded') {
    const advice = `"steproll rollout start ${runtimeId} --version ${desiredVersion}" rolls what is not on the version`;
    throw new SteprollError(ErrorName.NothingToRetry, `${name} has succeeded; ${advice}.`);
  }
}

function inputOf({
  runtimeId,
  desiredVersion: version,
}: Pick<RolloutRequest, 'runtimeId' | 'desiredVersion'>): RolloutInput {
  return { schemaVersion: 1, runtimeId, version };
}
