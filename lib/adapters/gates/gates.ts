import type { GatePorts } from '../../gates/gates.ts';
import { createCheckAsker } from './check.ts';
import { probeEndpoint } from './probe.ts';

/** The gates of a rollout. The AWS SDK is loaded with the first question to AWS, because most rollouts have none. */
export function openGates(): GatePorts {
  let readAlarm: Promise<GatePorts['alarm']> | undefined;
  let readMetrics: Promise<GatePorts['metrics']> | undefined;
  return {
    check: createCheckAsker(),
    probe: (url, probe) => probeEndpoint(url, probe),
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
