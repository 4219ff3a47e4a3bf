import { randomUUID } from 'node:crypto';
import { systemClock } from '../../adapters/machine/clock.ts';
import type { Done } from '../../console/desk.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { describeStarter } from '../../domain/events/event-sentences.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import { describeWanted } from '../../domain/rollout/request.ts';
import type { Groups } from '../../steps/frame/ports.ts';
import { type Engine, SHOWING_UP_MS } from '../engine/engine.ts';
import { type OpenEvents, openEvents } from '../engine/events.ts';
import { isOnAws, openAwsEngine, openEngine } from '../engine/open-engine.ts';
import type { Given } from '../invocation/invocation.ts';
import { planningOf } from '../rollout/group.ts';
import { prepareRetryHere, prepareRetryOnAws } from '../rollout/retry.ts';
import { refuseUnasked, startedByHand } from '../rollout/start.ts';
import { connect, openGatesOf } from '../settings/service.ts';
import { plainText } from '../terminal/text.ts';
import type { KeptEngine } from './kept-engine.ts';
import { readOpen } from './look.ts';

/** The rollouts that the console has started, for ones that failed. */
export interface Retries {
  /**
   * Does what `steproll rollout retry --yes` does, but names the rollout of the same runtime that is under way.
   *
   * @throws what that throws, and `LeaseHeld`.
   */
  start(rolloutId: string, reason: string): Promise<Done>;
  /** Ends those that run in this process after their current steps. */
  end(): Promise<void>;
}

/** @param given The options of the console, which say where the service is and how it is called. */
export function createRetries(given: Given, { use }: Pick<KeptEngine, 'use'>): Retries {
  const ends: (() => Promise<void>)[] = [];
  let last: Promise<unknown> = Promise.resolve();
  /** One for all: two of one process would send the same messages. */
  let events: OpenEvents | undefined;

  async function startOnAws(own: Given): Promise<string> {
    const { input, options } = await prepareRetryOnAws({ given: own, mistakes: [] });
    await use((engine) => refuseSecond(input.runtimeId, input.policy?.onConflict, engine));
    const rolloutId = randomUUID();
    const engine = await openAwsEngine(options);
    await engine.start(rolloutId, startedByHand(input, options));
    await showUp(rolloutId, engine);
    return rolloutId;
  }

  async function startHere(own: Given): Promise<string> {
    const { input, policy, prepared } = await prepareRetryHere({ given: own, mistakes: [] });
    await use((engine) => refuseSecond(input.runtimeId, policy.onConflict, engine));
    const service = await connect(prepared);
    ends.push(() => service.close());
    await refuseUnasked(input, policy, service, prepared);
    // The pages may open the ledger anew, and the rollout needs its own.
    const { engine, end } = await openEngine(prepared.options);
    ends.push(async () => end());
    if (events === undefined) {
      const opened = await openEvents(prepared.config, engine.ledger);
      events = opened;
      ends.push(() => opened.end());
    }
    // They are loaded here, because most nights need no retry.
    const { createRolloutHost } = await import('../../embedded/rollout-host.ts');
    const planning = planningOf(prepared.config);
    // The host of a group runs the rollouts of its runtimes, too.
    const groups: Groups = {
      planning,
      startChild: async (...child) => void (await host.start(...child)),
    };
    const host = createRolloutHost({
      context: {
        service,
        ledger: engine.ledger,
        clock: systemClock,
        gates: await openGatesOf(prepared),
        events: events.bus,
        policyOf: (id) => (id === input.runtimeId ? policy : planning.policyOf(id)),
        groups,
      },
      log: (line) => void process.stderr.write(`${plainText(line)}\n`),
      atStop: 'end',
    });
    ends.push(() => host.stop());
    const rolloutId = randomUUID();
    await host.start(rolloutId, startedByHand(input, prepared.options));
    return rolloutId;
  }

  return {
    async start(retried, reason) {
      const said = { 'rollout-id': retried, '--reason': reason, '--yes': true };
      const own = { ...given, ...said, '--interactive': false };
      const begin = isOnAws({ given: own, mistakes: [] }) ? startOnAws : startHere;
      // When two people press at once, the second one is told what the first one has started.
      const turn = last.then(() => begin(own));
      last = turn.catch(() => undefined);
      const rolloutId = await turn;
      return { message: `Started rollout ${rolloutId}.`, rolloutId };
    },
    async end() {
      // A rollout ends before its ledger and its service do.
      for (const end of ends.toReversed()) await end();
    },
  };
}

/** Until AWS has begun with it, its page would know nothing of it, and neither would the next retry. */
async function showUp(rolloutId: string, { ledger }: Engine): Promise<void> {
  const until = systemClock.now() + SHOWING_UP_MS;
  while ((await ledger.readSummary(rolloutId)) === null && systemClock.now() < until) {
    await systemClock.sleep(ASK_AGAIN_MS);
  }
}

const ASK_AGAIN_MS = 500;

/** A second rollout of the runtime would only fail. Where the newest one goes first, it takes over. */
async function refuseSecond(
  runtimeId: string,
  onConflict: RolloutPolicy['onConflict'] | undefined,
  engine: Engine,
): Promise<void> {
  if (onConflict === 'latest') return;
  const open = await readOpen(engine);
  const other = open.find((one) => !one.isAbandoned && one.record.request.runtimeId === runtimeId);
  if (other === undefined) return;
  const { request } = other.record;
  throw new SteprollError(
    ErrorName.LeaseHeld,
    `${runtimeId} has a rollout that has not ended: ${request.rolloutId} to ${describeWanted(request)}, started by ${describeStarter(request.startedBy)}. Nothing was started.`,
  );
}
