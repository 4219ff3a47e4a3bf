import { wasOpened } from '../domain/rollout/record.ts';
import type { GroupPorts, StepContext } from '../steps/io/ports.ts';
import { findRecord, takeLease } from '../steps/io/record.ts';
import type { RolloutHost } from './rollout-host.ts';

/** The rollouts of a group's runtimes, run in this process. */
export interface Children extends Required<Pick<GroupPorts, 'startChild' | 'keepRunning'>> {
  /** Waits until every child that ran here has an outcome, or until the signal aborts, and stops the host. */
  end(signal: AbortSignal): Promise<void>;
}

/** @param sleepMs Resolves after so many milliseconds, or when the signal aborts. */
export function createChildren(
  host: RolloutHost,
  ports: Pick<StepContext, 'ledger' | 'clock'>,
  sleepMs: (milliseconds: number, signal: AbortSignal) => Promise<void>,
): Children {
  const { ledger } = ports;
  const ran = new Set<string>();
  return {
    async startChild(rolloutId, input) {
      ran.add(rolloutId);
      await host.start(rolloutId, input);
    },
    /** A process that died has left it open. It stays with a process that is alive. */
    async keepRunning(rolloutId) {
      if (host.isRunning(rolloutId)) return;
      const child = await ledger.read(rolloutId);
      // It may have ended here a moment ago.
      if (child.outcome !== null) return;
      if (wasOpened(child) && !(await takeLease(child, ports))) return;
      ran.add(rolloutId);
      host.goOn(child);
    },
    async end(signal) {
      for (const rolloutId of ran) {
        while (!signal.aborted && host.isRunning(rolloutId)) {
          // A child that was taken back while it waited may sleep for days. Without a ledger, a child ends by itself.
          const child = await findRecord(rolloutId, ledger).catch(() => null);
          if (child?.outcome != null) break;
          await sleepMs(LOOK_MS, signal);
        }
      }
      await host.stop();
    },
  };
}

const LOOK_MS = 250;
