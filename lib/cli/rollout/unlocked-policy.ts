import { systemClock } from '../../adapters/machine/clock.ts';
import { type LockedField, UNLOCKABLE } from '../../contract/config/locked.ts';
import { type Policies, policyOfRuntime } from '../../contract/config/policies.ts';
import {
  asksForTime,
  type PolicyOverrides,
  parsePolicy,
} from '../../contract/flow/rollout-input.ts';
import { whatUnlocks } from '../../domain/holds/what-holds.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import { type EngineOptions, hasHistory, withEngine } from '../engine/open-engine.ts';

/**
 * The policy of a rollout on this machine, with what somebody has unlocked there.
 *
 * @throws `InvalidInput` when the parts do not fit together, `PolicyLocked`, `LedgerUnavailable`.
 */
export async function unlockedPolicy(
  overrides: PolicyOverrides | undefined,
  config: Policies,
  runtimeId: string,
  options: EngineOptions,
): Promise<RolloutPolicy> {
  const configured = policyOfRuntime(config, runtimeId);
  return parsePolicy(
    overrides,
    configured,
    await unlockedHere(overrides, configured, runtimeId, options),
  );
}

async function unlockedHere(
  overrides: PolicyOverrides | undefined,
  { locked = [] }: RolloutPolicy,
  runtimeId: string,
  options: EngineOptions,
): Promise<readonly LockedField[]> {
  const mayHelp = asksForTime(overrides) && UNLOCKABLE.some((field) => locked.includes(field));
  if (!mayHelp || !hasHistory(options)) return [];
  const holds = await withEngine({ ...options, '--debug': false }, ({ ledger }) =>
    ledger.listHolds(),
  );
  return whatUnlocks({ runtimeId }, holds, systemClock.now()).length > 0 ? UNLOCKABLE : [];
}
