import { systemClock } from '../../adapters/machine/clock.ts';
import type { OpenConfig } from '../../contract/config/config.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import { createChildren } from '../../embedded/children.ts';
import { createRolloutHost, type RolloutHostOptions } from '../../embedded/rollout-host.ts';
import type { GroupPorts, StepContext } from '../../steps/io/ports.ts';
import { openGatesOf } from '../settings/service.ts';
import { planningOf } from './group.ts';

interface Hosting<Ports> extends Required<Pick<RolloutHostOptions, 'log' | 'atStop'>> {
  readonly config: OpenConfig;
  readonly ports: Ports;
  /** The runtime with a policy that the configuration does not say. @default - there is none */
  readonly own?: { readonly runtimeId: string; readonly policy: RolloutPolicy };
}

/**
 * Opens what the rollouts of this process run in. Its host also runs the rollouts of a group's runtimes. Those that a
 * dead process has left open it goes on with, unless it leaves its own ones open, too, for a caretaker.
 */
export async function openHost<Ports extends Pick<StepContext, 'service' | 'ledger' | 'events'>>({
  config,
  ports,
  own,
  log,
  atStop,
}: Hosting<Ports>) {
  const planning = planningOf(config);
  const groups: GroupPorts = {
    planning,
    startChild: (...child) => children.startChild(...child),
    ...(atStop === 'end' && { keepRunning: (child: string) => children.keepRunning(child) }),
  };
  const context = {
    ...ports,
    clock: systemClock,
    gates: await openGatesOf({ config }),
    policyOf: (runtimeId: string) =>
      runtimeId === own?.runtimeId ? own.policy : planning.policyOf(runtimeId),
    groups,
  };
  const host = createRolloutHost({ context, log, atStop });
  const children = createChildren(host, context, (milliseconds, signal) =>
    systemClock.sleep(milliseconds, signal).catch(() => undefined),
  );
  return { context, host, children };
}
