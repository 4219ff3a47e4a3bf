import { systemClock } from '../../adapters/machine/clock.ts';
import { type Engine, SHOWING_UP_MS } from '../../cli/engine/engine.ts';
import { type EngineOptions, isOnAws, openAwsEngine } from '../../cli/engine/open-engine.ts';
import type { Given } from '../../cli/invocation/invocation.ts';
import { prepareAgain } from '../../cli/rollout/again.ts';
import { newRolloutId } from '../../cli/rollout/new-rollout-id.ts';
import { readOpen } from '../../cli/rollout/read-open.ts';
import { policyToResume, prepareResume, takeOver } from '../../cli/rollout/resume.ts';
import { retry } from '../../cli/rollout/retry.ts';
import { revert } from '../../cli/rollout/revert.ts';
import { refuseUnasked, startedByHand } from '../../cli/rollout/start.ts';
import type { Prepared } from '../../cli/settings/prepare.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import { describeStarter, describeWanted } from '../../domain/rollout/request.ts';
import type { Done } from '../desk.ts';
import { createHosted } from './hosted.ts';
import type { KeptEngine } from './kept-engine.ts';

/** What starts a new rollout because of one that has ended. */
export type AgainKind = 'retry' | 'revert';

/** The rollouts that the console has started, or goes on with. */
export interface Runs {
  /**
   * Does what `steproll rollout retry --yes` or `revert --yes` does, but names the rollout of the same runtime that is
   * under way.
   *
   * @throws what that throws, and `LeaseHeld`.
   */
  start(what: AgainKind, rolloutId: string, reason: string): Promise<Done>;
  /** Goes on in this process with a rollout whose process died. Throws what `steproll rollout resume` throws. */
  resume(rolloutId: string): Promise<Done>;
  /** Hands the news of holds to the webhooks of this machine. */
  tellHolds(): Promise<void>;
  /** Ends those that run in this process after their current steps. */
  end(): Promise<void>;
}

const AGAIN = { retry, revert } as const;

/** @param given The options of the console, which say where the service is and how it is called. */
export function createRuns(
  given: Given,
  own: Pick<Prepared<EngineOptions>, 'options' | 'config'>,
  { use }: Pick<KeptEngine, 'use'>,
): Runs {
  const hosted = createHosted(own);
  let last: Promise<unknown> = Promise.resolve();
  const invoke = (more: Given) => ({
    given: { ...given, ...more, '--yes': true, '--interactive': false },
    mistakes: [],
  });

  async function begin(what: AgainKind, more: Given): Promise<string> {
    const ready = await prepareAgain(AGAIN[what], invoke(more));
    const { input } = ready;
    await use((engine) => refuseSecond(input.runtimeId, ready.onConflict, engine));
    const rolloutId = newRolloutId(input);
    if (!ready.isHere) {
      const engine = await openAwsEngine(ready.options);
      await engine.start(rolloutId, await startedByHand(input, ready.options, engine));
      await showUp(rolloutId, engine);
      return rolloutId;
    }
    const { policy, prepared } = ready;
    return hosted.begin(prepared, async ({ service, openHost }) => {
      await refuseUnasked(input, policy, service, prepared);
      const host = await openHost(input.runtimeId, policy);
      await host.start(rolloutId, await startedByHand(input, prepared.options, {}));
      return rolloutId;
    });
  }

  /** When two people press at once, the second one is told what the first one has started. */
  function inTurn<T>(begin: () => Promise<T>): Promise<T> {
    const turn = last.then(begin);
    last = turn.catch(() => undefined);
    return turn;
  }

  return {
    async start(what, of, reason) {
      const more = { 'rollout-id': of, '--reason': reason };
      const rolloutId = await inTurn(() => begin(what, more));
      return { message: `Started rollout ${rolloutId}.`, rolloutId };
    },
    async tellHolds() {
      // On AWS the sweep tells them.
      if (isOnAws(invoke({}))) return;
      await inTurn(hosted.tellHolds);
    },
    async resume(rolloutId) {
      const prepared = await prepareResume(invoke({ 'rollout-id': rolloutId }));
      await inTurn(() =>
        hosted.begin(prepared, async ({ ledger, openHost }) => {
          const known = await takeOver(prepared, ledger);
          const host = await openHost(known.request.runtimeId, policyToResume(known, prepared));
          host.goOn(known);
        }),
      );
      const message = 'It goes on, in the process of this console.';
      return { message, rolloutId: null };
    },
    end: hosted.end,
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
