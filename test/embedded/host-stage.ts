import { createLocalBus } from '../../lib/adapters/events/local-bus.ts';
import { openSqliteLedger, type SqliteLedger } from '../../lib/adapters/ledger/sqlite/ledger.ts';
import type { RolloutInput } from '../../lib/contract/flow/rollout-input.ts';
import { DEFAULT_POLICY } from '../../lib/domain/rollout/default-policy.ts';
import type { RolloutPolicy } from '../../lib/domain/rollout/policy.ts';
import { createRolloutHost } from '../../lib/embedded/rollout-host.ts';
import type { Call } from '../../lib/rehearsal/calls.ts';
import { createWorldService } from '../../lib/rehearsal/service.ts';
import { parseScenario } from '../../lib/simulation/scenario.ts';
import { createWorld } from '../../lib/simulation/world.ts';
import type { StepContext } from '../../lib/steps/io/ports.ts';
import { inFakeTime } from '../support/fake-timers.ts';
import { gatePortsOf } from '../support/gate-ports.ts';

type Given = Partial<Pick<RolloutPolicy, 'windows'>>;
type Stage = ReturnType<typeof setStage>;

/**
 * A fleet of two runtimes and one ledger, in virtual time, for any number of hosts.
 *
 * @param file Of the ledger. @default - it is in memory
 */
export async function onHostStage<T>(
  given: Given,
  work: (stage: Stage) => Promise<T>,
  file = ':memory:',
): Promise<T> {
  const opened = openSqliteLedger(file);
  const { end } = opened;
  try {
    return await inFakeTime(() => work(setStage(given, opened)));
  } finally {
    end();
  }
}

function setStage(given: Given, { ledger, isAbandoned }: SqliteLedger) {
  const runtimes = ['shop', 'cart'].map((id) => ({
    id,
    version: 1,
    rollSeconds: 20,
    endpoints: 3,
  }));
  const world = createWorld(parseScenario({ runtimes }), () => Date.now());
  const sleep = (milliseconds: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, milliseconds);
      const giveUp = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', giveUp, { once: true });
    });
  const log: string[] = [];
  const calls: Call[] = [];
  const told: string[] = [];
  const pass = async () => ({ verdict: 'pass', detail: '' }) as const;
  const context: StepContext = {
    service: createWorldService({
      world,
      clock: { now: () => Date.now(), sleep },
      calls,
      rolloutId: 'any',
      faults: {},
      latencyMs: 50,
    }),
    ledger,
    clock: { now: () => Date.now(), elapsed: () => Date.now(), sleep },
    gates: gatePortsOf({ probe: pass, alarm: pass, metrics: async () => [] }),
    events: createLocalBus(({ detailType, detail }) =>
      told.push(`${detail.rolloutId} ${detailType}`),
    ),
    policyOf: () => ({ ...DEFAULT_POLICY, ...given, bakeSeconds: 0 }),
  };
  return {
    context,
    isAbandoned,
    log,
    calls,
    told,
    /** A host of its own, as another process has it. */
    createHost: () => createRolloutHost({ context, log: (line) => log.push(line) }),
    sleep: (seconds: number) => sleep(seconds * 1000),
    /** A look that the service does not notice. */
    look: () => world.read('shop'),
    liveVersions: (runtimeId: string) =>
      world.read(runtimeId).map(({ liveVersion }) => liveVersion),
    /** Resolves once a line of the log holds the text. */
    async logged(text: string) {
      while (!log.some((line) => line.includes(text))) {
        await sleep(1000);
      }
    },
  };
}

/** What a trigger asks for. */
export function triggered(runtimeId: string, version: number): RolloutInput {
  const startedBy = { kind: 'release', name: `build-${version}`, at: Date.now() } as const;
  return { schemaVersion: 1, runtimeId, version, startedBy };
}
