import { randomUUID } from 'node:crypto';
import { createLocalBus } from '../../adapters/events/local-bus.ts';
import { systemClock } from '../../adapters/machine/clock.ts';
import type { Done } from '../../console/desk.ts';
import { refuseBeyondAbilities } from '../../domain/planning/abilities.ts';
import { drawPlan } from '../../steps/opening/draw-plan.ts';
import { refuseUnanswerable } from '../../steps/opening/gates.ts';
import { isOnAws } from '../engine/engine-of.ts';
import { openAwsEngine, openEngine } from '../engine/open-engine.ts';
import type { Given } from '../invocation/invocation.ts';
import { prepareRetryHere, prepareRetryOnAws } from '../rollout/retry.ts';
import { startedByHand } from '../rollout/start.ts';
import { findUnanswerableUnasked } from '../rollout/unanswerable.ts';
import { connect } from '../settings/service.ts';
import { plainText } from '../terminal/text.ts';

/** The rollouts that the console has started, for ones that failed. */
export interface Retries {
  /** Does what `steproll rollout retry --yes` does. Throws what that throws. */
  start(rolloutId: string, reason: string): Promise<Done>;
  /** Ends those that run in this process after their current steps. */
  end(): Promise<void>;
}

/** @param given The options of the console, which say where the service is and how it is called. */
export function createRetries(given: Given): Retries {
  const ends: (() => Promise<void>)[] = [];
  const done = (rolloutId: string) => ({ message: `Started rollout ${rolloutId}.`, rolloutId });

  async function startOnAws(own: Given): Promise<Done> {
    const { input, options } = await prepareRetryOnAws({ given: own, mistakes: [] });
    const rolloutId = randomUUID();
    await (await openAwsEngine(options)).start(rolloutId, startedByHand(input, options));
    return done(rolloutId);
  }

  async function startHere(own: Given): Promise<Done> {
    const { input, policy, prepared } = await prepareRetryHere({ given: own, mistakes: [] });
    const service = await connect(prepared);
    ends.push(() => service.close());
    refuseBeyondAbilities({ version: input.version ?? null, policy }, service.abilities);
    const draw = () => drawPlan(input, policy, service);
    refuseUnanswerable(await findUnanswerableUnasked(policy, draw));
    // The pages may open the ledger anew, and the rollout needs its own.
    const { engine, end } = await openEngine(prepared.options);
    ends.push(async () => end());
    // They are loaded here, because most nights need no retry.
    const { openGates } = await import('../../adapters/gates/gates.ts');
    const { createRolloutHost } = await import('../../embedded/rollout-host.ts');
    const host = createRolloutHost({
      context: {
        service,
        ledger: engine.ledger,
        clock: systemClock,
        gates: openGates(),
        events: createLocalBus(),
        policyOf: () => policy,
      },
      log: (line) => void process.stderr.write(`${plainText(line)}\n`),
      atStop: 'end',
    });
    ends.push(() => host.stop());
    const rolloutId = randomUUID();
    await host.start(rolloutId, startedByHand(input, prepared.options));
    return done(rolloutId);
  }

  return {
    async start(rolloutId, reason) {
      const said = { 'rollout-id': rolloutId, '--reason': reason, '--yes': true };
      const own = { ...given, ...said, '--interactive': false };
      return (await isOnAws({ given: own, mistakes: [] })) ? startOnAws(own) : startHere(own);
    },
    async end() {
      // A rollout ends before its ledger and its service do.
      for (const end of ends.toReversed()) await end();
    },
  };
}
