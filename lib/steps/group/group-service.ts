import { takenBack } from '../../domain/ending/asked-to-end.ts';
import type { Endpoint, PlannedEndpoint } from '../../domain/endpoint/endpoint.ts';
import { hasConverged, hasFailed } from '../../domain/endpoint/observation.ts';
import { NO_ROLLS, rollHistories } from '../../domain/endpoint/rolls.ts';
import { ErrorName, errorMessageOf, errorNameOf, SteprollError } from '../../domain/errors.ts';
import { groupNameOf, RUNTIME_STATUS } from '../../domain/rollout/group.ts';
import {
  type AskedRollout,
  findAbort,
  type RolloutSummary,
  type Signal,
  type WaveProgress,
  wasOpened,
} from '../../domain/rollout/record.ts';
import type { AskedRequest, AskedVersion } from '../../domain/rollout/request.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { GroupPlanning, StepPorts } from '../frame/ports.ts';
import { findRecord } from '../frame/record.ts';
import { tokenOf } from '../frame/roll-token.ts';
import { planRuntimes, runtimeRow } from './plan-runtimes.ts';

type GroupContext = Pick<StepPorts, 'service' | 'ledger' | 'clock' | 'groups'>;

/** The rollout for which a service is asked for. */
type OfRollout = Pick<AskedRequest, 'rolloutId' | 'runtimeId'>;

/**
 * The service whose endpoints a rollout rolls. Those of a group are runtimes, so its service reads the ledger, and
 * starts a rollout for each of them: a roll that ends when that rollout does.
 */
export function serviceOf(of: OfRollout, context: GroupContext): EndpointService {
  const name = groupNameOf(of.runtimeId);
  return name === null ? context.service : createGroupService(name, of.rolloutId, context);
}

/** The service of a group before any rollout of it: it lists the runtimes as a plan needs them, and rolls nothing. */
export function groupAhead(
  name: string,
  version: AskedVersion | null | undefined,
  service: EndpointService,
  planning: GroupPlanning | undefined,
): EndpointService {
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
    },
    /** @throws `InvalidInput`, and why runtimes cannot be rolled. */
    async list() {
      if (planning === undefined) {
        const message = 'The ledger has no plan of this group, and none can be drawn here.';
        throw new SteprollError(ErrorName.IncompatibleState, message);
      }
      const { policyOf } = planning;
      const runtimeIds = planning.runtimesOf(name);
      if (runtimeIds === null) {
        const message = `groups: the configuration in use has no group ${JSON.stringify(name)}.`;
        throw new SteprollError(ErrorName.InvalidInput, message);
      }
      if (typeof version !== 'number') {
        const message = 'version: a group is rolled to a version that is a number.';
        throw new SteprollError(ErrorName.InvalidInput, message);
      }
      return planRuntimes(runtimeIds, version, { service, policyOf });
    },
    roll: cannot('be rolled by itself'),
    stop: cannot('be stopped'),
    create: cannot('create endpoints'),
    listPage: cannot('be listed page by page'),
    listVersions: cannot('have versions'),
  };
}

function createGroupService(
  name: string,
  rolloutId: string,
  context: GroupContext,
): EndpointService {
  const { service, ledger, groups = {} } = context;
  const { planning, startChild } = groups;
  const ahead = (version: number | null) => groupAhead(name, version, service, planning);
  let known: AskedRollout | null = null;
  return {
    ...ahead(null),
    /** Also tells the children what their group was told, so that nobody has to tell each of them. */
    async list(runtimeId, _signal, of) {
      const record = of ?? (await ledger.read(rolloutId));
      known = record;
      const { plan, request } = record;
      if (plan === null) return ahead(request.desiredVersion).list(runtimeId);
      const children = childrenOf(record);
      const rows: Endpoint[] = [];
      for (const [index, planned] of plan.endpoints.entries()) {
        const childId = children.get(planned.endpointId);
        const end = endOf(record.progress, index);
        if (end !== null || childId === undefined) {
          rows.push(rowOf(planned, end ?? 'not-begun'));
          continue;
        }
        const child = await ledger.readSummary(childId);
        if (child?.outcome === null) await lookAfter(childId, record, context);
        rows.push(rowOf(planned, stateOf(child)));
      }
      const leftOut = plan.leftOut.map(({ endpointId }) => endpointId);
      return [...rows, ...leftOut.map((id) => runtimeRow(id, null, null))];
    },
    async roll(_, runtimeId, to, _signal, token = '') {
      if (startChild === undefined) {
        const message = 'The rollout of a runtime cannot be started here.';
        throw new SteprollError(ErrorName.IncompatibleState, message);
      }
      const { startedBy } = (known ?? (await ledger.read(rolloutId))).request;
      const endpointUrl = service.url;
      const wanted = { schemaVersion: 1, endpointUrl, runtimeId, version: to } as const;
      try {
        await startChild(childIdOf(token), {
          ...wanted,
          parent: rolloutId,
          group: name,
          startedBy,
        });
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

/** The id of a child follows from the token of its roll, so it is started once, however often it is asked for. */
function childIdOf(token: string): string {
  return `child-${token.slice(0, 24)}`;
}

/**
 * The ids of the children of a group's rollout, by their runtimes and in the order of the plan: for each runtime the
 * one that rolls it, or did so last. Another rollout has none.
 */
function childrenOf({ request, plan, journal }: AskedRollout): Map<string, string> {
  const { rolloutId, runtimeId } = request;
  if (groupNameOf(runtimeId) === null) return new Map();
  const histories = rollHistories(journal, 'forward');
  return new Map(
    (plan?.endpoints ?? []).flatMap(({ endpointId }) => {
      const { tries } = histories.get(endpointId) ?? NO_ROLLS;
      const token = tokenOf(rolloutId, 'forward', endpointId, tries);
      return tries === 0 ? [] : [[endpointId, childIdOf(token)]];
    }),
  );
}

/**
 * The rollouts that a group's rollout has started, as far as the ledger knows them, by their runtimes and in the order
 * of the plan. Another rollout has none.
 */
export async function readChildren(
  record: AskedRollout,
  ledger: Pick<Ledger, 'read'>,
): Promise<Map<string, AskedRollout>> {
  const children = new Map<string, AskedRollout>();
  for (const [runtimeId, childId] of childrenOf(record)) {
    const child = await findRecord(childId, ledger);
    if (child !== null) children.set(runtimeId, child);
  }
  return children;
}

/** What is known of the child of a runtime: there is none, it is under way, or it has ended. */
type ChildState = 'not-begun' | 'under-way' | 'succeeded' | { readonly failed: string };

function stateOf(child: RolloutSummary | null): ChildState {
  if (child === null) return 'not-begun';
  if (child.outcome === null) return 'under-way';
  const { outcome, reason, message } = child.outcome;
  return outcome === 'Succeeded' ? 'succeeded' : { failed: `${reason}: ${message}` };
}

/**
 * How the child of a runtime ended, if the last look has seen it. An end never changes, so nobody reads that child
 * again: what a look costs follows from the children under way. `null`: it has to be read.
 */
function endOf(progress: WaveProgress | null, index: number): ChildState | null {
  const seen = progress?.direction === 'forward' ? progress.observations[index] : undefined;
  if (seen === undefined) return null;
  if (hasConverged(seen)) return 'succeeded';
  // Without a reason it may also be a roll of which nobody knows whether it has begun.
  if (hasFailed(seen) && seen.statusReason !== undefined) return { failed: seen.statusReason };
  return null;
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
    default:
      return {
        ...runtimeRow(endpointId, previousVersion, RUNTIME_STATUS.failed),
        targetVersion: desiredVersion,
        statusReason: state.failed,
        isFinal: true,
      };
  }
}

/** Tells a child that is under way what its group was told, and makes sure that somebody works on it. */
async function lookAfter(
  childId: string,
  group: AskedRollout,
  { ledger, clock, groups }: GroupContext,
): Promise<void> {
  const abort = findAbort(group.signals);
  if (abort !== undefined) await passOn(abort, childId, { ledger, clock });
  await groups?.keepRunning?.(childId);
}

/**
 * Tells the children that are under way what their group was told just now. The group tells them at its next look, too,
 * but that may be many minutes later.
 */
export async function tellChildren(
  abort: Signal,
  group: AskedRollout,
  ports: Pick<GroupContext, 'ledger' | 'clock'>,
): Promise<void> {
  for (const childId of childrenOf(group).values()) {
    const child = await ports.ledger.readSummary(childId);
    if (child?.outcome === null) await passOn(abort, childId, ports);
  }
}

/** A child that has not begun is ended at once, as a person would do it. */
async function passOn(
  abort: Signal,
  rolloutId: string,
  { ledger, clock }: Pick<GroupContext, 'ledger' | 'clock'>,
): Promise<void> {
  const child = await ledger.read(rolloutId);
  if (child.signals.some(({ kind, at }) => kind === 'abort' && at === abort.at)) return;
  try {
    const outcome = { ...takenBack(abort), cleanup: 'none' } as const;
    const isOver =
      !wasOpened(child) && (await ledger.withdraw(rolloutId, outcome, clock.now())) !== null;
    if (!isOver) await ledger.signal(rolloutId, abort);
  } catch (error) {
    // It has ended in between.
    if (errorNameOf(error) !== ErrorName.RolloutClosed) throw error;
  }
}
