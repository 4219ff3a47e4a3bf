import { silent } from '../../gates/gate.ts';
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
    hasProgram: async (program) => {
      try {
        return await (await import('./run-command.ts')).hasProgram(program);
      } catch {
        return undefined;
      }
    },
    prometheus: later(async () =>
      (await import('./query-prometheus.ts')).createQuerier(openSockets),
    ),
    probe: (url, probe, signal) => probeEndpoint(url, probe, { openSockets, signal }),
    alarm: later(async () => (await import('./alarm.ts')).createAlarmReader()),
    metrics: later(
      async () => (await import('./metrics.ts')).createMetricReader(),
      (questions) => questions.map(() => UNLOADED),
    ),
  };
}

/** A machine at the limit of its files cannot even read the code that asks. */
const UNLOADED = silent('not asked: its code could not be read');

/** What asks, from its first question on. @param unloaded The answer while it cannot be loaded. @default - one silence */
function later<Args extends unknown[], Answer>(
  load: () => Promise<(...question: Args) => Promise<Answer>>,
  unloaded: (...question: Args) => Answer = () => UNLOADED as Answer,
): (...question: Args) => Promise<Answer> {
  let loaded: ReturnType<typeof load> | undefined;
  return async (...question) => {
    loaded ??= load();
    let ask: Awaited<typeof loaded>;
    try {
      ask = await loaded;
    } catch {
      // The next question tries it again.
      loaded = undefined;
      return unloaded(...question);
    }
    return ask(...question);
  };
}
