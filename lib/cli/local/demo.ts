import { createLocalBus } from '../../adapters/events/local-bus.ts';
import { openGates } from '../../adapters/gates/gates.ts';
import { openSqliteLedger } from '../../adapters/ledger/sqlite/ledger.ts';
import { systemClock } from '../../adapters/machine/clock.ts';
import { createEndpointClient } from '../../adapters/services/rest/client.ts';
import { completePolicy } from '../../contract/config/policy.ts';
import type { Outcome } from '../../domain/rollout/outcome.ts';
import { parseScenario } from '../../simulation/scenario.ts';
import { startEndpointServer } from '../../simulation/server.ts';
import type { StepContext } from '../../steps/io/ports.ts';
import { wrapLines } from '../../telling/width.ts';
import { describeOutcome } from '../../telling/words/outcome.ts';
import { ExitCode } from '../invocation/exit-code.ts';
import { onInterrupt } from '../invocation/process.ts';
import { newRolloutId } from '../rollout/new-rollout-id.ts';
import { showRollout } from '../rollout/run.ts';
import { createScreen, type Screen } from '../terminal/screen.ts';
import { EXAMPLE_SCENARIO } from './serve.ts';

const RUNTIME_ID = 'shop';

/** The default policy, only faster. */
const DEMO_POLICY = completePolicy({
  bakeSeconds: 1,
  pollSeconds: 1,
  maxPollSeconds: 1,
  progressDeadlineSeconds: 6,
});

/**
 * Two real rollouts on the embedded endpoint service: one that succeeds, and one that fails and limits the damage. It
 * leaves nothing behind: the service listens on a free port of the loopback address, and the ledger is in memory.
 *
 * @param given Where they are shown. @default - stdout
 */
export async function demo(given?: Screen): Promise<number> {
  const screen = given ?? (await createScreen(process.stdout));
  const interrupt = onInterrupt();
  const server = await startEndpointServer({
    scenario: parseScenario(EXAMPLE_SCENARIO),
    port: 0,
    clock: systemClock,
  });
  const service = createEndpointClient({ baseUrl: server.url, clock: systemClock });
  const { ledger, end } = openSqliteLedger(':memory:');
  const context: StepContext = {
    service,
    ledger,
    clock: systemClock,
    gates: openGates(),
    events: createLocalBus(),
    policyOf: () => DEMO_POLICY,
  };
  try {
    screen.line(`An endpoint service with 12 endpoints at version 1 listens on ${server.url}`);
    const outcomes = await rollBoth(context, screen, interrupt.signal);
    if (interrupt.signal.aborted) return ExitCode.Interrupted;
    return summarize(outcomes, screen);
  } finally {
    await service.close();
    await server.close();
    end();
    interrupt.release();
  }
}

const ACTS = [
  { version: 2, title: '1. A rollout to version 2: one endpoint first, then 25 %, then all' },
  { version: 3, title: '2. A rollout to version 3, in which endpoint-03 never comes live' },
] as const;

async function rollBoth(
  context: StepContext,
  screen: Screen,
  signal: AbortSignal,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { version, title } of ACTS) {
    if (signal.aborted) break;
    screen.line('');
    screen.line(screen.style('bold', title));
    screen.line('');
    const { outcome, elapsedMs } = await showRollout(
      {
        rolloutId: newRolloutId({ runtimeId: RUNTIME_ID, version }),
        input: { schemaVersion: 1, runtimeId: RUNTIME_ID, version },
        context,
        signal,
      },
      screen,
    );
    for (const line of describeOutcome(outcome, elapsedMs, screen)) screen.line(line);
    outcomes.push(outcome);
  }
  return outcomes;
}

const AS_MEANT = [
  'Both went as they should: the good version is live everywhere, the broken one came no further than wave 2.',
  'endpoint-03 was stopped because it was rolled and did not come live; the waves after it were not touched.',
];

/** The demo has succeeded when the good rollout succeeded and the broken one was contained. */
function summarize([good, broken]: readonly Outcome[], screen: Screen): number {
  const isAsMeant =
    good?.outcome === 'Succeeded' && broken?.outcome === 'Failed' && broken.cleanup === 'stopped';
  const lines = isAsMeant
    ? [
        ...wrapLines(AS_MEANT, screen.columns),
        '',
        'Try next:',
        '  npm run steproll -- serve --port 8080',
        '  npm run steproll -- rollout start shop --version 2 --bake 0 --poll 1 --endpoint-url http://127.0.0.1:8080',
        '  npm run steproll -- rollout start --help',
      ]
    : ['The rollouts did not end as they should have: please report this with the lines above.'];
  for (const line of ['', ...lines]) screen.line(line);
  return isAsMeant ? ExitCode.Done : ExitCode.Failed;
}
