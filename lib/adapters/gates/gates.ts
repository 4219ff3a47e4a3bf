import type { Gates } from '../../ports/gates.ts';
import { probeEndpoint } from './probe.ts';

/** The gates of a rollout. The AWS SDK is loaded with the first alarm, because most rollouts use none. */
export function openGates(): Gates {
  let readAlarm: Promise<Gates['alarm']> | undefined;
  return {
    probe: (url, probe) => probeEndpoint(url, probe),
    async alarm(name) {
      readAlarm ??= import('./alarm.ts').then((module) => module.createAlarmReader());
      return (await readAlarm)(name);
    },
  };
}
