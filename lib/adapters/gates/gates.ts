import type { GatePorts } from '../../gates/gates.ts';
import { createNetwork, type OpenSockets } from '../http/network.ts';
import { probeEndpoint } from './probe.ts';

/**
 * The gates of a rollout.
 *
 * @param openSockets Opens the sockets of gates that ask over HTTP. @default - with nothing but the environment's
 *   proxies
 *
 * What asks is loaded with the first question, and so is the AWS SDK, because most rollouts have none.
 */
export function openGates(openSockets: OpenSockets = createNetwork()): GatePorts {
  return {
    check: later(async () => (await import('./check.ts')).createCheckAsker(openSockets)),
    hasProgram: async (program) => (await import('./run-command.ts')).hasProgram(program),
    prometheus: later(async () =>
      (await import('./query-prometheus.ts')).createQuerier(openSockets),
    ),
    probe: (url, probe) => probeEndpoint(url, probe, { openSockets }),
    alarm: later(async () => (await import('./alarm.ts')).createAlarmReader()),
    metrics: later(async () => (await import('./metrics.ts')).createMetricReader()),
  };
}

function later<Args extends unknown[], Answer>(
  load: () => Promise<(...question: Args) => Promise<Answer>>,
): (...question: Args) => Promise<Answer> {
  let loaded: ReturnType<typeof load> | undefined;
  return async (...question) => {
    loaded ??= load();
    return (await loaded)(...question);
  };
}
