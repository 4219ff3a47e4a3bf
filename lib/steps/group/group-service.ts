import { takenBack } from '../../domain/ending/asked-to-end.ts';
import type { Endpoint } from '../../domain/endpoint/endpoint.ts';
import type { Direction, JournalEntry } from '../../domain/endpoint/journal.ts';
import { NO_ROLLS, rollHistories } from '../../domain/endpoint/rolls.ts';
import { ErrorName, errorMessageOf, errorNameOf, SteprollError } from '../../domain/errors.ts';
import { groupNameOf, RUNTIME_STATUS } from '../../domain/rollout/group.ts';
import {
  type AskedRollout,
  findAbort,
  type Signal,
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
  return {
    ...ahead(null),
    /** Also tells the children what their group was told, so that nobody has to tell each of them. */
    async list(runtimeId) {
      const record = await ledger.read(rolloutId);
      const { plan, request } = record;
      if (plan === null) return ahead(request.desiredVersion).list(runtimeId);
      const children = await readChildren(record, ledger);
      for (const child of children.values()) {
        if (child.outcome === null) await lookAfter(child, record, context);
      }
      return [
        ...plan.endpoints.map(({ endpointId, desiredVersion, previousVersion }) =>
          rowOf(endpointId, desiredVersion, previousVersion, children.get(endpointId)),
        ),
        ...plan.leftOut.map(({ endpointId }) => runtimeRow(endpointId, null, null)),
      ];
    },
    async roll(_, runtimeId, to, _signal, token = '') {
      if (startChild === undefined) {
        const message = 'The rollout of a runtime cannot be started here.';
        throw new SteprollError(ErrorName.IncompatibleState, message);
      }
      const { startedBy } = (await ledger.read(rolloutId)).request;
      const endpointUrl = service.url;
      const wanted = { schemaVersion: 1, endpointUrl, runtimeId, version: to } as const;
      try {
        await startChild(childIdOf(token), { ...wanted, parent: rolloutId, startedBy });
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
 * The id of the child that rolls a runtime, or did so last. `null`: none was started.
 *
 * @param group The rollout of the group.
 */
function childOf(
  { rolloutId, journal }: { rolloutId: string; journal: readonly JournalEntry[] },
  runtimeId: string,
  direction: Direction,
): string | null {
  const { tries } = rollHistories(journal, direction).get(runtimeId) ?? NO_ROLLS;
  return tries === 0 ? null : childIdOf(tokenOf(rolloutId, direction, runtimeId, tries));
}

/** The ids of the children of a group's rollout, by their runtimes, in the order of the plan. */
function childrenOf({ request, plan, journal }: AskedRollout): Map<string, string> {
  const { rolloutId, runtimeId } = request;
  if (groupNameOf(runtimeId) === null) return new Map();
  return new Map(
    (plan?.endpoints ?? []).flatMap(({ endpointId }) => {
      const id = childOf({ rolloutId, journal }, endpointId, 'forward');
      return id === null ? [] : [[endpointId, id]];
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

/**
 * A runtime in its group, as its child says. As long as the child is under way, the version before is live; nobody
 * can say that of a runtime whose broken endpoints were on the version already.
 */
function rowOf(
  runtimeId: string,
  desired: number,
  previous: number | null,
  child: AskedRollout | undefined,
): Endpoint {
  if (child === undefined) return runtimeRow(runtimeId, previous, RUNTIME_STATUS.ready);
  const { outcome } = child;
  if (outcome?.outcome === 'Succeeded') {
    return runtimeRow(runtimeId, desired, RUNTIME_STATUS.ready);
  }
  const status = outcome === null ? RUNTIME_STATUS.rolling : RUNTIME_STATUS.failed;
  return {
    ...runtimeRow(runtimeId, previous, status),
    targetVersion: desired,
    statusReason: outcome === null ? null : `${outcome.reason}: ${outcome.message}`,
  };
}

/** Tells a child that is under way what its group was told, and makes sure that somebody works on it. */
async function lookAfter(
  child: AskedRollout,
  group: AskedRollout,
  { ledger, clock, groups }: GroupContext,
): Promise<void> {
  const abort = findAbort(group.signals);
  if (abort !== undefined) await passOn(abort, child, { ledger, clock });
  await groups?.keepRunning?.(child);
}

/** A child that has not begun is ended at once, as a person would do it. */
async function passOn(
  abort: Signal,
  child: AskedRollout,
  { ledger, clock }: Pick<GroupContext, 'ledger' | 'clock'>,
): Promise<void> {
  if (child.signals.some(({ kind, at }) => kind === 'abort' && at === abort.at)) return;
  const { rolloutId } = child.request;
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
