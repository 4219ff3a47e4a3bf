import { createLocalBus } from '../../adapters/events/local-bus.ts';
import { openGates } from '../../adapters/gates/open-gates.ts';
import { systemClock } from '../../adapters/system-clock.ts';
import type { RolloutInput } from '../../contract/rollout-input.ts';
import { GOES_ON_ELSEWHERE } from '../../domain/contain/taken-over-by.ts';
import type { RolloutPolicy } from '../../domain/policy.ts';
import type { AskedRollout } from '../../domain/rollout.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { EngineOptions } from '../engine/with-engine.ts';
import { exitCodeOfOutcome } from '../exit-code.ts';
import { onInterrupt } from '../interrupt.ts';
import type { Connecting } from '../settings/connect.ts';
import { tellSource } from '../settings/tell-source.ts';
import type { HowToPrint } from '../view/print-result.ts';
import { createScreen } from '../view/screen.ts';
import { showRollout } from '../view/show-rollout.ts';
import { printOutcome } from './print-outcome.ts';
import { watchRollout } from './watch-rollout.ts';

export interface WantedRollout {
  readonly rolloutId: string;
  readonly input: RolloutInput;
  readonly policy: RolloutPolicy;
  /** What the ledger has of it already. @default - it is new */
  readonly known?: AskedRollout;
}

/**
 * Runs a rollout in this process, shows it, prints its result and answers the exit code. One that another
 * process takes over meanwhile is watched until it ends there.
 */
export async function runRollout(
  wanted: WantedRollout,
  service: EndpointService,
  ledger: Ledger,
  prepared: Connecting<HowToPrint & EngineOptions>,
): Promise<number> {
  const { rolloutId, input, policy, known } = wanted;
  // Whoever has to resume it needs the id, and a process that was killed cannot say it any more.
  process.stderr.write(`Rollout ${rolloutId}\n`);
  const interrupt = onInterrupt();
  try {
    const context = {
      service,
      ledger,
      clock: systemClock,
      gates: openGates(),
      events: createLocalBus(),
      policyOf: () => policy,
    };
    const shown = await showRollout(
      { rolloutId, input, context, signal: interrupt.signal },
      createScreen(process.stderr),
      known,
    );
    const { outcome, record, elapsedMs } = shown;
    if (record !== null && record.outcome === null) {
      process.stderr.write(`${GOES_ON_ELSEWHERE.message}\n`);
      const describeWaiting = async () => null;
      const how = prepared.options;
      return await watchRollout({
        ...{ rolloutId, ledger, how, describeWaiting },
        signal: interrupt.signal,
      });
    }
    const version = record?.request.desiredVersion ?? input.version ?? null;
    const { runtimeId } = input;
    printOutcome({ rolloutId, runtimeId, version, outcome, elapsedMs }, prepared.options);
    for (const line of tellSource(outcome.reason, prepared)) process.stderr.write(`${line}\n`);
    return exitCodeOfOutcome(outcome.outcome);
  } finally {
    interrupt.release();
  }
}
