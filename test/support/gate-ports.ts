import type { GatePorts } from '../../lib/gates/gates.ts';

/** Ports of which a test asks only these, so that a new gate changes no test of others. */
export function gatePortsOf(asked: Partial<GatePorts>): GatePorts {
  return asked as GatePorts;
}
