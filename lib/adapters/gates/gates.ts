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
  let readAlarm: Promise<GatePorts['alarm']> | undefined;
  let readMetrics: Promise<GatePorts['metrics']> | undefined;
  let askCheck: Promise<GatePorts['check']> | undefined;
  let query: Promise<GatePorts['prometheus']> | undefined;
  return {
    async check(...question) {
      askCheck ??= import('./check.ts').then((module) => module.createCheckAsker(openSockets));
      return (await askCheck)(...question);
    },
    hasProgram: async (program) => (await import('./run-command.ts')).hasProgram(program),
    async prometheus(...question) {
      query ??= import('./query-prometheus.ts').then((module) => module.createQuerier(openSockets));
      return (await query)(...question);
    },
    probe: (url, probe) => probeEndpoint(url, probe, { openSockets }),
    async alarm(name) {
      readAlarm ??= import('./alarm.ts').then((module) => module.createAlarmReader());
      return (await readAlarm)(name);
    },
    async metrics(questions) {
      readMetrics ??= import('./metrics.ts').then((module) => module.createMetricReader());
      return (await readMetrics)(questions);
    },
  };
}
