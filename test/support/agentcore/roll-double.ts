import { SERVICES } from '../../../lib/contract/service/services.ts';
import type { Outcome } from '../../../lib/domain/rollout/outcome.ts';
import type { RolloutPolicy } from '../../../lib/domain/rollout/policy.ts';
import { startRollout } from '../../../lib/embedded/run-workflow.ts';
import { gatePortsOf } from '../../support/gate-ports.ts';
import { rehearsalGrounds } from '../grounds.ts';
import { inScenarioTime } from '../scenario-time.ts';
import { type AgentCoreDouble, createAgentCoreDouble, type DoubleOptions } from './double.ts';
import { openDoubles } from './reach.ts';

export interface RolledDouble {
  readonly outcome: Outcome;
  readonly double: AgentCoreDouble;
  /** Endpoints in the order of their updates to the desired version, and to any other one. */
  readonly rolled: readonly string[];
  readonly rolledBack: readonly string[];
  readonly seconds: number;
}

const VERSION = 2;
const pass = () => Promise.resolve({ verdict: 'pass' as const, detail: '' });

/** Rolls the endpoints of a double to version 2: the real definition, steps, client and SDK, in virtual time. */
export async function rollDouble(
  options: Partial<DoubleOptions> = {},
  policy: Partial<RolloutPolicy> = {},
): Promise<RolledDouble> {
  const { time, ledger, engine, end } = rehearsalGrounds();
  let isReady = false;
  const double = createAgentCoreDouble({
    endpoints: { canary: 1, live_1: 1, live_2: 1, live_3: 1, live_4: 1 },
    now: time.now,
    ...options,
    disturb: (call, nth) => (isReady ? (options.disturb?.(call, nth) ?? null) : null),
  });
  const service = await openDoubles(time, [double], options.of);
  isReady = true;
  try {
    const outcome = await inScenarioTime(time, () =>
      startRollout({
        rolloutId: 'rollout-1',
        input: { schemaVersion: 1, runtimeId: double.runtimeId, version: VERSION },
        context: {
          service,
          ledger,
          clock: time,
          gates: gatePortsOf({
            probe: pass,
            alarm: pass,
            metrics: (all) => Promise.all(all.map(pass)),
          }),
          events: { publish: () => Promise.resolve() },
          policyOf: () => ({ ...SERVICES.agentcore.policy, ...policy }),
        },
        engine,
        onState: () => undefined,
      }),
    );
    const named = (isMeant: (version: number) => boolean) =>
      double.updates.filter(({ version }) => isMeant(version)).map(({ endpoint }) => endpoint);
    return {
      outcome,
      double,
      rolled: named((version) => version === VERSION),
      rolledBack: named((version) => version !== VERSION),
      seconds: time.seconds(),
    };
  } finally {
    await service.close();
    end();
  }
}
