import { systemClock } from '../../adapters/machine/clock.ts';
import { refuseUnprovenApprovals } from '../../contract/config/approvers.ts';
import type { OpenConfig } from '../../contract/config/config.ts';
import { type LockedField, UNLOCKABLE } from '../../contract/config/locked.ts';
import { policyOfRuntime } from '../../contract/config/policies.ts';
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
  config: OpenConfig,
  runtimeId: string,
  options: EngineOptions,
): Promise<RolloutPolicy> {
  const configured = policyOfRuntime(config, runtimeId);
  const policy = parsePolicy(
    overrides,
    configured,
    await unlockedHere(overrides, configured, runtimeId, options),
  );
  if (options['--engine'] !== 'aws') refuseUnprovenApprovals(config, runtimeId, policy);
  return policy;
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
