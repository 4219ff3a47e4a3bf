import { errorMessageOf } from '../../domain/errors.ts';
import type { GatePorts } from '../../gates/gates.ts';
import { createNetwork, type OpenSockets } from '../http/network.ts';
import { createCheckAsker } from './check.ts';
import { probeEndpoint } from './probe.ts';
import { queryPrometheus } from './query-prometheus.ts';
import { createSecretReader } from './secret-reader.ts';

/**
 * The gates of a rollout.
 *
 * @param openSockets Opens the sockets of gates that ask over HTTP. @default - with nothing but the environment's
 *   proxies
 *
 * The AWS SDK is loaded with the first question to AWS, because most rollouts have none. */
export function openGates(openSockets: OpenSockets = createNetwork()): GatePorts {
  let readAlarm: Promise<GatePorts['alarm']> | undefined;
  let readMetrics: Promise<GatePorts['metrics']> | undefined;
  const readSecret = createSecretReader();
  return {
    check: createCheckAsker(openSockets, readSecret),
    async prometheus(rule, query) {
      try {
        const secret = rule.auth && (await readSecret(rule.auth.secret));
        return await queryPrometheus(rule, query, { openSockets, secret });
      } catch (error) {
        return { verdict: 'unknown', detail: errorMessageOf(error) };
      }
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
