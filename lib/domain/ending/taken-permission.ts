import { ErrorName } from '../errors.ts';
import type { GateReading } from '../rollout/gates.ts';

// The roles of functions are those of the newest deployment, also for rollouts that began before it. So a deployment
// that no longer names something takes its permissions from the rollouts that are under way.

/**
 * A call that the role of a function does not allow, and what helps.
 *
 * @param message Ends with what gives the permission back.
 * @param wasThere Whether the rollout has made such a call before.
 */
export function describeTakenPermission(message: string, wasThere: boolean): string {
  const what = wasThere
    ? 'A later deployment took this permission from the rollout'
    : 'The deployment does not give this permission, or a later one took it from the rollout';
  return `${what}: ${message} ${GO_ON}`;
}

/** The same of gates that could be asked before. Empty: they may all be asked. */
export function describeTakenGates(
  readings: readonly Pick<GateReading, 'kind' | 'name' | 'detail'>[],
): string {
  const taken = readings.filter(({ detail }) => detail.startsWith(ErrorName.PermissionMissing));
  if (taken.length === 0) return '';
  const names = [...new Set(taken.map(({ kind, name }) => `${kind} ${name}`))].join(', ');
  return ` A later deployment took the permission to ask: ${names}. Name the earlier configuration that has that under retired, and deploy. ${GO_ON}`;
}

/** A runtime of a group under way that has no policy any more. The group says it in 200 characters. */
export function describeTakenOut(runtimeId: string): string {
  return `A later deployment took the runtime ${runtimeId} out of the configuration. Name the earlier configuration that has it under retired, and deploy. ${GO_ON}`;
}

const GO_ON = 'Then retry or revert the rollout.';
