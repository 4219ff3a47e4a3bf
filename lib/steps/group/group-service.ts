import type { RolloutInput } from '../../contract/flow/rollout-input.ts';
import type { Endpoint, PlannedEndpoint } from '../../domain/endpoint/endpoint.ts';
import type { Direction } from '../../domain/endpoint/journal.ts';
import { hasConverged, hasFailed } from '../../domain/endpoint/observation.ts';
import { ErrorName, errorMessageOf, errorNameOf, SteprollError } from '../../domain/errors.ts';
import { groupNameOf, RUNTIME_STATUS } from '../../domain/rollout/group.ts';
import type { Outcome } from '../../domain/rollout/outcome.ts';
import {
  type AskedRollout,
  progressOn,
  type RolloutSummary,
  type WaveProgress,
} from '../../domain/rollout/record.ts';
import type { AskedRequest } from '../../domain/rollout/request.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import type { StepPayload, StepPorts, VerifyPorts } from '../io/ports.ts';
import { childIdOf, childrenOf, lookAfter, turnedAt } from './children.ts';
import { runtimeRow } from './plan-runtimes.ts';

export type GroupContext = Pick<StepPorts, 'service' | 'ledger' | 'clock' | 'groups'> &
  Partial<Pick<VerifyPorts, 'gates'>>;

type OfRollout = Pick<AskedRequest, 'rolloutId' | 'runtimeId'>;

/** Lists the runtimes of a group whose rollout has no plan yet. */
export type ListAhead = (
  record: Pick<AskedRollout, 'request'>,
  context: GroupContext,
) => Promise<readonly Endpoint[]>;

/**
 * The service whose endpoints a rollout rolls. Those of a group are runtimes, so its service reads the ledger, and
 * starts a rollout for each of them: a roll that ends when that rollout does.
 *
 * @param listAhead Only the step that opens a rollout has to plan. @default - a group without a plan is refused
 */
export function serviceOf(
  { rolloutId, runtimeId }: OfRollout,
  context: GroupContext,
  listAhead: ListAhead = refuseUnplanned,
): EndpointService {
  const name = groupNameOf(runtimeId);
  if (name === null) return context.service;
  return createGroupService(name, rolloutId, context, listAhead);
}

/** A step as the flow calls it: with what its payload says, on the service whose endpoints its rollout rolls. */
export function stepFrom<Begun extends OfRollout, Ports extends GroupContext, Result>(
  parse: (payload: StepPayload) => Begun,
  step: (begun: Begun, ports: Ports) => Promise<Result>,
) {
  return async (payload: StepPayload, context: Ports): Promise<Result> => {
    const begun = parse(payload);
    return step(begun, { ...context, service: serviceOf(begun, context) });
  };
}

/** What every service of a group can do, before its plan and with it. */
export function groupOn(service: EndpointService): Omit<EndpointService, 'list'> {
  const cannot = (what: string) => () =>
    Promise.reject(
      new SteprollError(ErrorName.InvalidInput, `A group cannot ${what}: its runtimes can.`),
    );
  return {
    url: service.url,
    abilities: {
      stops: false,
      // The id of a child is made from the token, so the ledger knows it after the first time.
      repeatsRolls: true,
      listsVersions: false,
      highestVersion: service.abilities.highestVersion,
      movedByService: [],
      ...(service.abilities.sessions && { sessions: service.abilities.sessions }),
    },
    roll: cannot('be rolled by itself'),
    stop: cannot('be stopped'),
    create: cannot('create endpoints'),
    listPage: cannot('be listed page by page'),
    listVersions: cannot('have versions'),
  };
}

const refuseUnplanned: ListAhead = async () => {
  throw new SteprollError(ErrorName.IncompatibleState, 'The ledger has no plan of this group.');
};

function createGroupService(
  name: string,
  rolloutId: string,
  context: GroupContext,
  listAhead: ListAhead,
): EndpointService {
  const { service, ledger, groups = {} } = context;
  const { startChild } = groups;
  let known: AskedRollout | null = null;
  return {
    ...groupOn(service),
    /** Also tells the children what their group was told, so that nobody has to tell each of them. */
    async list(_, _signal, of) {
      const record = of ?? (await ledger.read(rolloutId));
      known = record;
      return record.plan === null ? listAhead(record, context) : listRuntimes(record, context);
    },
    async roll(_, runtimeId, to, _signal, token = '') {
      if (startChild === undefined) {
        const message = 'The rollout of a runtime cannot be started here.';
        throw new SteprollError(ErrorName.IncompatibleState, message);
      }
      const record = known ?? (await ledger.read(rolloutId));
      const endpointUrl = service.url;
      const what = await whatToDo(record, runtimeId, to, ledger);
      const of = { schemaVersion: 1, endpointUrl, runtimeId } as const;
      try {
        const direction = record.rollback === null ? 'forward' : 'back';
        const child = childIdOf(record, direction, { runtimeId, version: to }, token);
        await startChild(child, { ...of, parent: rolloutId, group: name, ...what });
      } catch (error) {
        const reason = errorNameOf(error);
        if (reason === ErrorName.UpstreamThrottled || reason === ErrorName.UpstreamAuth)
          throw error;
        // It may be in the ledger already. The next try has the same id.
        const message = `Nobody knows whether its rollout was started. ${errorMessageOf(error)}`;
        throw new SteprollError(ErrorName.OutcomeUnknown, message, { cause: error });
      }
      return { ...runtimeRow(runtimeId, null, RUNTIME_STATUS.rolling), targetVersion: to };
    },
  };
}

/** What the child of a runtime is asked for: the version, or to undo another rollout of the runtime. */
async function whatToDo(
  group: AskedRollout,
  runtimeId: string,
  version: number,
  ledger: GroupContext['ledger'],
): Promise<Pick<RolloutInput, 'version' | 'revert' | 'startedBy' | 'again' | 'unpin'>> {
  const { startedBy, revert: undone, again, unpin } = group.request;
  if (group.rollback !== null) {
    // Of two rollouts of a runtime the later one is the newer one.
    const at = turnedAt(group.events);
    return { revert: childOf(group, runtimeId), startedBy: { ...startedBy, at } };
  }
  const wanted = {
    startedBy,
    ...(again !== undefined && { again }),
    ...(unpin !== undefined && { unpin: [...unpin] }),
  };
  if (undone === undefined) return { version, ...wanted };
  return { revert: childOf(await ledger.read(undone), runtimeId), startedBy };
}

/** The rollout that has rolled a runtime. A way back has only runtimes that were rolled. */
function childOf(group: AskedRollout, runtimeId: string): string {
  const childId = childrenOf(group, 'forward').get(runtimeId);
  if (childId !== undefined) return childId;
  throw new SteprollError(
    ErrorName.IncompatibleState,
    `The ledger has no rollout of ${runtimeId}.`,
  );
}

/** The runtimes of a group as far as its rollout has got. Of the ledger only what may have changed is read. */
async function listRuntimes(record: AskedRollout, context: GroupContext): Promise<Endpoint[]> {
  const { plan, rollback, progress } = record;
  const back = new Map(
    (rollback?.plan.endpoints ?? []).map((planned, index) => [
      planned.endpointId,
      { planned, end: endOf(progress, 'back', index) },
    ]),
  );
  const forwardIds = childrenOf(record, 'forward');
  const backIds = childrenOf(record, 'back');
  const ask = async (childId: string | undefined, direction: Direction) => {
    if (childId === undefined) return 'not-begun';
    const child = await context.ledger.readSummary(childId);
    if (child?.outcome === null) await lookAfter(childId, direction, record, context);
    return stateOf(child);
  };
  const rowOfRuntime = async (planned: PlannedEndpoint, index: number): Promise<Endpoint> => {
    const { endpointId } = planned;
    const wayBack = back.get(endpointId);
    if (wayBack !== undefined) {
      const state = wayBack.end ?? (await ask(backIds.get(endpointId), 'back'));
      if (state !== 'not-begun') return rowOf(wayBack.planned, state);
    }
    const end = endOf(progress, 'forward', index) ?? endBefore(wayBack?.planned);
    const state = end ?? (await ask(forwardIds.get(endpointId), 'forward'));
    const row = rowOf(planned, state);
    if (wayBack === undefined) return row;
    // The end of the way forward is not that of the way back, of which nobody may know whether it has begun.
    const { isFinal: _, ...before } = row;
    return state === 'under-way' ? { ...before, isBusy: true } : before;
  };
  const rows: Endpoint[] = [];
  for (const [index, planned] of (plan?.endpoints ?? []).entries()) {
    rows.push(await rowOfRuntime(planned, index));
  }
  const leftOut = (plan?.leftOut ?? []).map(({ endpointId }) => endpointId);
  return [...rows, ...leftOut.map((id) => runtimeRow(id, null, null))];
}

type ChildState =
  | 'not-begun'
  | 'under-way'
  | 'succeeded'
  /** Another rollout has the runtime. */
  | 'taken'
  | { readonly failed: string; readonly isBad: boolean }
  /** It was not allowed to begin, for this reason: the runtime was not rolled. */
  | { readonly refused: string; readonly message: string };

function stateOf(child: RolloutSummary | null): ChildState {
  if (child === null) return 'not-begun';
  const { outcome } = child;
  if (outcome === null) return 'under-way';
  if (outcome.outcome === 'Succeeded') return 'succeeded';
  if (isOvertaken(outcome)) return 'taken';
  if (outcome.outcome === 'Refused') return { refused: outcome.reason, message: outcome.message };
  return { failed: outcome.message, isBad: outcome.failure === 'bad' };
}

function isOvertaken({ outcome, reason }: Outcome): boolean {
  return outcome === 'Superseded' || (outcome === 'Refused' && OVERTAKEN.has(reason));
}

/** When the group was planned, no runtime had a higher version: somebody else has rolled it since. */
const OVERTAKEN: ReadonlySet<string> = new Set([
  ErrorName.LeaseHeld,
  ErrorName.InOtherHands,
  ErrorName.DowngradeRefused,
]);

/**
 * How the child of a runtime ended, if the last look has seen it. An end never changes, so nobody reads that child
 * again: what a look costs follows from the children under way. `null`: it has to be read.
 */
function endOf(
  progress: WaveProgress | null,
  direction: Direction,
  index: number,
): ChildState | null {
  const seen = progressOn({ progress }, { direction })?.observations[index];
  if (seen === undefined) return null;
  if (hasConverged(seen)) return 'succeeded';
  if (seen.state === 'superseded') return 'taken';
  if (seen.refused !== undefined) {
    return { refused: seen.refused, message: seen.statusReason ?? '' };
  }
  // Without a reason it may also be a roll of which nobody knows whether it has begun.
  if (hasFailed(seen) && seen.statusReason !== undefined) {
    return { failed: seen.statusReason, isBad: seen.isBad === true };
  }
  return null;
}

/** How the child forward had ended when its group turned around. `null`: it had not, or there was no turn. */
function endBefore(planned: PlannedEndpoint | undefined): ChildState | null {
  if (planned === undefined || planned.leftAs === 'unsettled') return null;
  return planned.leftAs === 'broken'
    ? { failed: 'It was lost on the way forward.', isBad: false }
    : 'succeeded';
}

/**
 * A runtime in its group, as its child says. As long as the child is under way, the version before is live; nobody
 * can say that of a runtime whose broken endpoints were on the version already.
 */
function rowOf(
  { endpointId, desiredVersion, previousVersion }: PlannedEndpoint,
  state: ChildState,
): Endpoint {
  switch (state) {
    case 'not-begun':
      return runtimeRow(endpointId, previousVersion, RUNTIME_STATUS.ready);
    case 'under-way':
      return {
        ...runtimeRow(endpointId, previousVersion, RUNTIME_STATUS.rolling),
        targetVersion: desiredVersion,
      };
    case 'succeeded':
      return { ...runtimeRow(endpointId, desiredVersion, RUNTIME_STATUS.ready), isFinal: true };
    case 'taken':
      return { ...runtimeRow(endpointId, previousVersion, RUNTIME_STATUS.ready), isTaken: true };
    default:
      if ('refused' in state) {
        return {
          ...runtimeRow(endpointId, previousVersion, RUNTIME_STATUS.ready),
          statusReason: state.message,
          refused: state.refused,
          isFinal: true,
        };
      }
      return {
        ...runtimeRow(endpointId, previousVersion, RUNTIME_STATUS.failed),
        targetVersion: desiredVersion,
        statusReason: state.failed,
        ...(state.isBad && { isBad: true as const }),
        isFinal: true,
      };
  }
}
