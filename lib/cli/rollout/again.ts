import * as z from 'zod';
import { LOCKABLE } from '../../contract/config/locked.ts';
import { policyOfRuntime } from '../../contract/config/policies.ts';
import { parsePolicy, type RolloutInput } from '../../contract/flow/rollout-input.ts';
import { revertingPolicy } from '../../domain/planning/plan-revert.ts';
import { refuseOtherService } from '../../domain/rollout/other-service.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { type EngineOptions, isOnAws } from '../engine/open-engine.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { globalShape } from '../options/global-shape.ts';
import { policyShape } from '../options/policy-shape.ts';
import { checkWatch, refuseDetach, rolloutShape, startShape } from '../options/rollout-options.ts';
import { prepare } from '../settings/prepare.ts';
import { refuseForGroup } from './group.ts';
import { withRollout } from './named-rollout.ts';
import { startHere, startOnAws } from './start.ts';
import { unlockedPolicy } from './unlocked-policy.ts';

const shape = { ...rolloutShape, ...startShape, '--any-time': policyShape['--any-time'] };
const hereSchema = z.strictObject({ ...globalShape, ...shape }).check(refuseDetach);
const onAwsSchema = z.strictObject(shape).check(checkWatch);

export type AgainOptions = EngineOptions & { readonly '--any-time'?: boolean | undefined };

/** What one rollout that has ended leads to, and what is said of it. @throws when it leads to none. */
export type Again = (
  record: AskedRollout,
  options: AgainOptions,
  ledger: Ledger,
) => Promise<{ readonly input: RolloutInput; readonly note: string | null }>;

/** The new rollout, with everything checked that can be checked from here. Nothing is started. */
export async function prepareAgain(again: Again, invocation: Invocation) {
  const look = (options: AgainOptions & { readonly 'rollout-id': string }) =>
    withRollout(options, async ({ ledger }, rolloutId) => {
      const record = await ledger.read(rolloutId);
      return { request: record.request, ...(await again(record, options, ledger)) };
    });
  if (isOnAws(invocation)) {
    const { options } = await prepare(onAwsSchema, invocation);
    const { input, note } = await look(options);
    return { isHere: false, input, note, onConflict: input.policy?.onConflict, options } as const;
  }
  const prepared = await prepare(hereSchema, invocation);
  const { options, config } = prepared;
  const { request, input: asked, note } = await look(options);
  refuseOtherService(request, options['--endpoint-url']);
  const { runtimeId } = request;
  refuseForGroup({ ...options, 'runtime-id': runtimeId }, config);
  const { policy: overrides, ...input } = asked;
  const isRevert = input.revert !== undefined;
  const policy = isRevert
    ? revertingPolicy(parsePolicy(overrides, policyOfRuntime(config, runtimeId), LOCKABLE))
    : await unlockedPolicy(overrides, config, runtimeId, options);
  return { isHere: true, input, note, onConflict: policy.onConflict, policy, prepared } as const;
}

/** Starts it, and answers the exit code if it is watched. @param note What else to know before that. `null`: nothing. */
export function startAgain(
  ready: Awaited<ReturnType<typeof prepareAgain>>,
  note: string | null,
): Promise<number> {
  return ready.isHere
    ? startHere(ready.input, ready.policy, ready.prepared, note)
    : startOnAws(ready.input, ready.options, note);
}
