import type { RolloutSchedule } from '../contract/config/schedules.ts';
import type { Instant } from '../domain/clock.ts';
import { commandOf } from '../domain/command.ts';
import { endExpired } from '../domain/ending/error.ts';
import { errorMessageOf, errorNameOf } from '../domain/errors.ts';
import { historyBegins } from '../domain/rollout/history.ts';
import { isExpired } from '../domain/rollout/opening.ts';
import { nameOfOutcome } from '../domain/rollout/outcome.ts';
import { wasOpened } from '../domain/rollout/record.ts';
import type { AskedRequest } from '../domain/rollout/request.ts';
import type { Wait } from '../domain/rollout/wait.ts';
import { catchUpSecondsOf, mayTrigger, type TriggerRules } from '../domain/trigger/trigger.ts';
import type { OpenBus } from '../ports/event-bus.ts';
import type { StepContext } from '../steps/io/ports.ts';
import { publishOverdue, publishRest } from '../steps/io/publish.ts';
import { findRecord, isNotOurs, takeLease } from '../steps/io/record.ts';
import { tellHolds } from '../steps/io/tell-holds.ts';
import { tellOfRefusal } from '../steps/io/tell-refusal.ts';
import type { RolloutHost } from './rollout-host.ts';

interface Caretaker {
  readonly context: Pick<StepContext, 'ledger' | 'clock' | 'service'> & {
    readonly events: OpenBus;
  };
  readonly host: Pick<RolloutHost, 'goOn' | 'isRunning'>;
  readonly rules: TriggerRules;
  readonly schedules: readonly Pick<RolloutSchedule, 'name' | 'catchUpSeconds'>[];
  readonly log: (line: string) => void;
  /** Whether an open rollout seems to have no process any more. */
  readonly isAbandoned: (rolloutId: string, now: number) => Promise<boolean>;
  /** Removes from the ledger what has a time of its own, and that time is over. @default - there is no such thing */
  readonly forgetExpired?: (now: Instant) => Promise<void>;
  /** For how many days ended rollouts stay in the ledger, and what removes some of the others. @default - all stay */
  readonly history?: {
    readonly days: number;
    readonly forget: (endedBefore: Instant) => Promise<void>;
  };
}

/**
 * Makes a function that is called again and again. It goes on with rollouts of triggers that a dead process has
 * accepted or left open. It ends those that nobody has looked after for too long. It publishes events of rollouts and
 * holds that were not sent yet. And it removes old rollouts from the ledger, if that is wanted.
 */
export function createCaretaker({
  context,
  host,
  rules,
  schedules,
  log,
  isAbandoned,
  forgetExpired = async () => undefined,
  history,
}: Caretaker): () => Promise<void> {
  const { ledger, clock, service } = context;
  const said = new Set<string>();
  const logOnce = (line: string) => {
    if (!said.has(line)) log(line);
    said.add(line);
  };

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

  /** A group looks at the rollouts of its runtimes until it ends: what has ended since it began stays. */
  async function forgetOld({ days, forget }: NonNullable<Caretaker['history']>): Promise<void> {
    const now = clock.now();
    const held = await ledger.listHeld();
    const underWay = await Promise.all(held.map(({ rolloutId }) => ledger.readSummary(rolloutId)));
    const begins = underWay.map((rollout) => rollout?.startedAt ?? now);
    await forget(Math.min(historyBegins(days, now), ...begins));
  }

  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      const name = errorNameOf(error);
      // Its own process goes on with the rollout, or ended it a moment ago.
      if (isNotOurs(name)) return;
      logOnce(`${name}: ${errorMessageOf(error)}`);
    }
  };

  return () =>
    attempt(async () => {
      for (const { rolloutId } of await ledger.listHeld()) {
        await attempt(() => goOnWith(rolloutId));
      }
      for (const rolloutId of await ledger.listWaiting()) {
        await attempt(() => beginWith(rolloutId));
      }
      for (const rolloutId of await ledger.listUnsent()) {
        await attempt(() => publishOverdue(rolloutId, context));
      }
      await attempt(() => tellHolds(context));
      await attempt(() => forgetExpired(clock.now()));
      if (history !== undefined) await forgetOld(history);
    });
}
