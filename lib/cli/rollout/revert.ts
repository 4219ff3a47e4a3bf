import * as z from 'zod';
import { policyOfRuntime } from '../../contract/config/policies.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { revertingPolicy, versionsBefore } from '../../domain/planning/plan-revert.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import { type AskedRequest, refuseOtherService } from '../../domain/rollout/request.ts';
import {
  type EngineOptions,
  engineArguments,
  isOnAws,
  withHistory,
} from '../engine/open-engine.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { ALWAYS } from '../options/fields.ts';
import { globalShape } from '../options/global-shape.ts';
import { checkWatch, refuseDetach, rolloutShape, startShape } from '../options/rollout-options.ts';
import { prepare } from '../settings/prepare.ts';
import { watchedOrLeft, withSomebodyToAsk } from '../terminal/ask.ts';
import { refuseForGroup } from './group.ts';
import { describeNewer } from './newer.ts';
import { startHere, startOnAws } from './start.ts';

const revertShape = { ...rolloutShape, ...startShape };
const hereSchema = z
  .strictObject({ ...globalShape, ...revertShape })
  .superRefine(refuseDetach, ALWAYS);
const onAwsSchema = z.strictObject(revertShape).superRefine(checkWatch, ALWAYS);

/** `steproll rollout revert`: a rollout that takes back to their versions what one that has ended has rolled. */
export async function rolloutRevert(invocation: Invocation): Promise<number> {
  const asking = withSomebodyToAsk(invocation);
  if (isOnAws(invocation)) {
    const { input, options, newer } = await prepareRevertOnAws(watchedOrLeft(asking));
    return startOnAws(input, options, newer);
  }
  const { input, policy, prepared, newer } = await prepareRevertHere(asking);
  return startHere(input, policy, prepared, newer);
}

/** A revert of a rollout on AWS, with everything checked that can be checked from here. Nothing is started. */
export async function prepareRevertOnAws(invocation: Invocation) {
  const { options } = await prepare(onAwsSchema, invocation);
  const { request, newer } = await readReverted(options);
  const { runtimeId, endpointUrl, rolloutId } = request;
  const ofService = endpointUrl === undefined ? {} : { endpointUrl };
  const input = { schemaVersion: 1, runtimeId, ...ofService, revert: rolloutId } as const;
  return { input, options, newer };
}

/** The same for a rollout that runs in this process. */
export async function prepareRevertHere(invocation: Invocation) {
  const prepared = await prepare(hereSchema, invocation);
  const { options, config } = prepared;
  const { request, newer } = await readReverted(options);
  refuseOtherService(request, options['--endpoint-url']);
  const { runtimeId, rolloutId } = request;
  refuseForGroup({ ...options, 'runtime-id': runtimeId }, config);
  const policy = revertingPolicy(policyOfRuntime(config, runtimeId));
  const input = { schemaVersion: 1, runtimeId, revert: rolloutId } as const;
  return { input, policy, prepared, newer };
}

type Options = EngineOptions & { readonly 'rollout-id': string };

/** The request of the rollout to undo, and what is said of newer ones. */
function readReverted(
  options: Options,
): Promise<{ readonly request: AskedRequest; readonly newer: string | null }> {
  return withHistory(options, async ({ ledger }) => {
    const record = await ledger.read(options['rollout-id']);
    refuseRevert(record, options);
    return { request: record.request, newer: await describeNewer(record, ledger) };
  });
}

function refuseRevert(record: AskedRollout, engine: EngineOptions): void {
  const { rolloutId } = record.request;
  const name = `Rollout ${JSON.stringify(rolloutId)}`;
  if (record.outcome === null) {
    const abort = `steproll rollout abort ${rolloutId} --on-abort roll-back`;
    throw new SteprollError(
      ErrorName.NothingToRevert,
      `${name} is under way: "${abort}${engineArguments(engine)}" ends it and takes back what it has rolled.`,
    );
  }
  if (versionsBefore(record).length === 0) {
    throw new SteprollError(
      ErrorName.NothingToRevert,
      `${name} has rolled nothing whose version before is known, so there is nothing to go back to.`,
    );
  }
}
