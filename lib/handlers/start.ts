import { createHash } from 'node:crypto';
import type { ReleaseMapping } from '../contract/config/releases.ts';
import { parseTrigger } from '../contract/flow/trigger-event.ts';
import { unlistable } from '../domain/planning/abilities.ts';
import { nameRollout } from '../domain/rollout/name.ts';
import { acceptedAt } from '../domain/rollout/opening.ts';
import { LATEST } from '../domain/rollout/request.ts';
import { releaseOf } from '../domain/trigger/once.ts';
import {
  decideTrigger,
  type Trigger,
  type TriggeredRollout,
  type TriggerRules,
} from '../domain/trigger/trigger.ts';
import type { Clock } from '../ports/clock.ts';
import type { Ledger } from '../ports/ledger.ts';
import { toAskedRequest } from '../steps/opening/asked-request.ts';

interface TriggerContext {
  readonly rules: TriggerRules;
  readonly releases: readonly ReleaseMapping[];
  readonly clock: Pick<Clock, 'now'>;
  /** The ledger that knows which rollout rolls a release, for `rules.once`. */
  readonly ledger: Pick<Ledger, 'takeRelease'>;
  /** The service, where one ledger may be that of several. @default - there is only one */
  readonly endpointUrl?: string;
  /** Whether the service can say which version is the latest one. @default - the rollout finds it out */
  readonly listsVersions?: boolean;
  /** Starts a rollout under an id that can be used only once. */
  readonly startExecution: (rolloutId: string, input: TriggeredRollout) => Promise<StartResult>;
}

/** `duplicate`: another delivery of the same trigger has started the rollout. */
type StartResult = 'started' | 'duplicate';

interface TakenTrigger {
  readonly result: StartResult;
  readonly rolloutId: string;
  readonly runtimeId: string;
  /** Why nothing was started. @default - something was */
  readonly message?: string;
}

/**
 * Starts the rollout that a release event or a schedule asks for. However often the same trigger is delivered, there
 * is only one rollout. With `once` in the rules, the same holds for all events of a release.
 *
 * @throws `LedgerUnavailable` with `once`, `InvalidTrigger`, `StaleTrigger`, `UnknownRuntime`, `VersionsUnsupported`: nothing was started.
 */
export async function takeTrigger(
  payload: unknown,
  context: TriggerContext,
): Promise<TakenTrigger> {
  const trigger = parseTrigger(payload, context.releases);
  const input = decideTrigger(trigger, context.rules, context.clock.now());
  const { wanted } = trigger;
  const isLatest = 'version' in wanted && wanted.version === LATEST;
  if (isLatest && context.listsVersions === false) throw unlistable();
  const rolloutId = await rolloutOf(trigger, context);
  // A rollout of an earlier event is started, too, because whoever took that event may have died before it could.
  const result = await context.startExecution(rolloutId, input);
  const { runtimeId } = trigger;
  return {
    ...{ result, rolloutId, runtimeId },
    ...(result === 'duplicate' && { message: `already rolled by rollout ${rolloutId}` }),
  };
}

/** The rollout that a trigger asks for, which may be that of an earlier event of the same release. */
async function rolloutOf(
  trigger: Trigger,
  { rules, ledger, clock, endpointUrl }: TriggerContext,
): Promise<string> {
  const rolloutId = rolloutIdOf(trigger);
  const release = rules.once === undefined ? null : releaseOf(trigger);
  if (release === null) return rolloutId;
  const hash = hashOfRelease(release, endpointUrl);
  return ledger.takeRelease({ release: hash, rolloutId, at: trigger.at }, clock.now());
}

/** By this the ledger knows a release. @param endpointUrl The service, where one ledger may be that of several. */
export function hashOfRelease(release: string, endpointUrl?: string): string {
  return sha256(JSON.stringify([endpointUrl ?? null, release]));
}

/**
 * Does the same where executions run by themselves. The rollout is in the ledger before it is started, and so before
 * the sender hears that the trigger was taken.
 *
 * @throws `InvalidTrigger`, `StaleTrigger`, `UnknownRuntime`, `LedgerUnavailable`: nothing was started.
 */
export function takeRecordedTrigger(
  payload: unknown,
  context: TriggerContext & { readonly ledger: Pick<Ledger, 'enlist'> },
): Promise<TakenTrigger> {
  const { ledger } = context;
  return takeTrigger(payload, {
    ...context,
    async startExecution(rolloutId, input) {
      const now = context.clock.now();
      const request = toAskedRequest({ rolloutId, startTime: now }, input);
      const isNew = await ledger.enlist(request, acceptedAt(now), now);
      // AWS answers the same start again as if it were the first.
      const result = await context.startExecution(rolloutId, input);
      return isNew ? result : 'duplicate';
    },
  });
}

/** The same trigger has the same id, however often it is delivered. */
export function rolloutIdOf({
  kind,
  key,
  runtimeId,
  wanted,
}: Pick<Trigger, 'kind' | 'key' | 'runtimeId' | 'wanted'>): string {
  const version = 'version' in wanted ? wanted.version : null;
  return nameRollout({ runtimeId, version }, sha256(`${kind} ${key}`));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
