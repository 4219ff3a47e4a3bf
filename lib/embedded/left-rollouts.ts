import type { RolloutSchedule } from '../contract/config/schedules.ts';
import { commandOf } from '../domain/command.ts';
import { endExpired } from '../domain/ending/error.ts';
import { isExpired } from '../domain/rollout/opening.ts';
import { nameOfOutcome } from '../domain/rollout/outcome.ts';
import { wasOpened } from '../domain/rollout/record.ts';
import type { AskedRequest } from '../domain/rollout/request.ts';
import type { Wait } from '../domain/rollout/wait.ts';
import { catchUpSecondsOf, mayTrigger, type TriggerRules } from '../domain/trigger/trigger.ts';
import type { OpenBus } from '../ports/event-bus.ts';
import type { StepContext } from '../steps/io/ports.ts';
import { publishRest } from '../steps/io/publish.ts';
import { findRecord, takeLease } from '../steps/io/record.ts';
import { tellOfRefusal } from '../steps/io/tell-refusal.ts';
import type { RolloutHost } from './rollout-host.ts';

export interface LeftRolloutsOptions {
  readonly context: Pick<StepContext, 'ledger' | 'clock' | 'service'> & {
    readonly events: OpenBus;
  };
  readonly host: Pick<RolloutHost, 'goOn' | 'isRunning'>;
  readonly rules: TriggerRules;
  readonly schedules: readonly Pick<RolloutSchedule, 'name' | 'catchUpSeconds'>[];
  readonly log: (line: string) => void;
  /** Whether an open rollout seems to have no process any more. */
  readonly isAbandoned: (rolloutId: string, now: number) => Promise<boolean>;
}

/** Goes on with rollouts of triggers that a dead process has accepted or left open. */
interface LeftRollouts {
  /** Goes on with one that was accepted and not opened, or ends it when nobody has looked after it for too long. */
  beginWith(rolloutId: string): Promise<void>;
  /** Goes on with one that was opened. */
  goOnWith(rolloutId: string): Promise<void>;
}

/** @param logOnce Logs what is found again with each look. */
export function createLeftRollouts(
  { context, host, rules, schedules, log, isAbandoned }: LeftRolloutsOptions,
  logOnce: (line: string) => void,
): LeftRollouts {
  const { ledger, clock, service } = context;

  const find = async (rolloutId: string) => {
    const rollout = host.isRunning(rolloutId) ? null : await findRecord(rolloutId, ledger);
    return rollout?.outcome === null ? rollout : null;
  };

  /** Only rollouts of triggers are ours: a rollout that a person has started is looked after by that person. */
  function isOurs({ startedBy, runtimeId, endpointUrl = service.url }: AskedRequest): boolean {
    const isOfOurs = endpointUrl === service.url && mayTrigger(runtimeId, rules);
    return startedBy.kind !== 'person' && isOfOurs;
  }

  /** After so many seconds perhaps nobody wants the rollout any more. */
  function patienceOf({ startedBy: { kind, name } }: AskedRequest): number {
    if (kind !== 'schedule') return rules.maxAgeSeconds;
    return catchUpSecondsOf(schedules.find((schedule) => schedule.name === name) ?? {});
  }

  async function beginWith(rolloutId: string): Promise<void> {
    const rollout = await find(rolloutId);
    if (rollout === null || wasOpened(rollout) || !isOurs(rollout.request)) return;
    const { request, wait } = rollout;
    const now = clock.now();
    if (wait !== null && isExpired(wait, patienceOf(request), now)) {
      await letGo(request, wait, now);
      return;
    }
    log(`Rollout ${rolloutId} of ${request.runtimeId}: was accepted before, and goes on here`);
    host.goOn(rollout);
  }

  async function letGo(request: AskedRequest, wait: Wait, now: number) {
    const { rolloutId, runtimeId } = request;
    const lateSeconds = Math.ceil((now - wait.lookAt) / 1000);
    const ending = endExpired(lateSeconds, patienceOf(request));
    const ended = { ...ending, ...(await tellOfRefusal(request, ending, context)) };
    const outcome = await ledger.withdraw(rolloutId, { ...ended, cleanup: 'none' }, now);
    if (outcome === null) return;
    log(`Rollout ${rolloutId} of ${runtimeId}: ${nameOfOutcome(outcome)}: ${outcome.message}`);
    await publishRest(rolloutId, context);
  }

  async function goOnWith(rolloutId: string): Promise<void> {
    const record = await find(rolloutId);
    if (record === null || !wasOpened(record)) return;
    const { request } = record;
    const { runtimeId } = request;
    const now = clock.now();
    if (!isOurs(request)) {
      if (!(await isAbandoned(rolloutId, now))) return;
      const what = `Rollout ${rolloutId} of ${runtimeId} has not ended, and its process seems to be dead`;
      logOnce(
        `${what}. It is not this listener's. To go on with it: ${commandOf(['rollout', 'resume', rolloutId])}`,
      );
      return;
    }
    if (!(await takeLease(record, context))) return;
    log(`Rollout ${rolloutId} of ${runtimeId}: was left open, and goes on here`);
    host.goOn(record);
  }

  return { beginWith, goOnWith };
}
