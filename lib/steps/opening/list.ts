import { startClock } from '../../domain/clock.ts';
import { decideUnlisted, mayBeListedLater } from '../../domain/decision/unreadable.ts';
import type { ListOf } from '../../domain/ending/error.ts';
import type { Endpoint } from '../../domain/endpoint/endpoint.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { DEFAULT_POLICY } from '../../domain/rollout/default-policy.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import { type NotBegun, waitedBy } from '../../domain/rollout/opening.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import type { AskedRequest } from '../../domain/rollout/request.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import type { StepPorts } from '../io/ports.ts';
import { readWithin } from '../io/read-within.ts';
import { runFrom } from '../io/running-clock.ts';
import { type Condition, type Holder, Unread, waitPatiently } from './condition.ts';

export function sameEndpoints(a: readonly Endpoint[], b: readonly Endpoint[]): boolean {
  if (a.length !== b.length) return false;
  const ids = new Set(a.map((endpoint) => endpoint.id));
  return b.every((endpoint) => ids.has(endpoint.id));
}

/** After so many reads that do not agree, the list counts as unstable. */
const MAX_READS = 3;

/**
 * Reads a list to plan on. Rows can slip from page to page while endpoints come and go, so two reads in a row must
 * have the same endpoints. Answers the later one.
 *
 * @throws `ListUnstable` after 3 reads, `UpstreamProtocol` when no list tells the versions of its endpoints.
 */
export async function readStableList(
  service: EndpointService,
  runtimeId: string,
  signal?: AbortSignal,
): Promise<readonly Endpoint[]> {
  let before = await service.list(runtimeId, signal);
  // The runtimes of a group come from the configuration, not page by page.
  if (groupNameOf(runtimeId) !== null) return before;
  for (let read = 2; read <= MAX_READS; read++) {
    const endpoints = await service.list(runtimeId, signal);
    const fault = service.faultOfLists?.() ?? null;
    if (fault !== null) throw new SteprollError(ErrorName.UpstreamProtocol, fault);
    if (sameEndpoints(before, endpoints)) return endpoints;
    before = endpoints;
  }
  throw new SteprollError(
    ErrorName.ListUnstable,
    `The list of endpoints changed between ${MAX_READS} reads: try again when nobody creates or deletes endpoints.`,
  );
}

interface Unplanned extends NotBegun {
  readonly request: AskedRequest & { readonly policy: RolloutPolicy };
}

/** The list of endpoints can be read, to plan on. */
export const listRead: Condition<
  Unplanned & { readonly holder?: Holder },
  { readonly endpoints: readonly Endpoint[] }
> = {
  async ask(rollout, ports) {
    const endpoints = await readToOpen(rollout, ports);
    // The older rollout has endpoints, so an empty list is no answer, and the next look decides.
    if (rollout.holder !== undefined && endpoints.length === 0) return rollout.holder.wait;
    return { decision: 'go', learnt: { endpoints } };
  },
};

export function readToOpen(
  rollout: Unplanned,
  ports: Pick<StepPorts, 'service' | 'clock'>,
): Promise<readonly Endpoint[]> {
  const read = (signal: AbortSignal) =>
    readStableList(ports.service, rollout.request.runtimeId, signal);
  return readPatiently('endpoints', read, rollout, ports);
}

/**
 * Reads a list before there is a plan, as patiently as polling. What a read takes that fails is a part of the wait.
 *
 * @throws `Unread`, and errors that waiting does not mend.
 */
export async function readPatiently<T>(
  what: ListOf,
  read: (signal: AbortSignal) => Promise<T>,
  { request, ...before }: Unplanned,
  { clock }: Pick<StepPorts, 'clock'>,
): Promise<T> {
  const begun = clock.now();
  const watch = runFrom(startClock(begun), clock);
  const patience = patienceOf(request);
  const waitedSeconds = waitedBy(before, begun).list;
  const leftMs = (patience.progressDeadlineSeconds - waitedSeconds) * 1000;
  try {
    return await readWithin(leftMs, read, clock, watch);
  } catch (error) {
    if (!mayBeListedLater(error, before.opening?.hasRead === true)) throw error;
    const { at, watched } = watch();
    const readSeconds = watched / 1000;
    const decided = decideUnlisted(error, what, waitedSeconds + readSeconds, patience);
    throw new Unread(
      decided.decision === 'end' ? decided : { ...waitPatiently('list', decided, at), readSeconds },
    );
  }
}

/** The deadline of a group is for the rollouts of its runtimes, and takes days. A list is waited for as for one runtime. */
function patienceOf({ runtimeId, policy }: Unplanned['request']): RolloutPolicy {
  const { progressDeadlineSeconds: own } = policy;
  if (groupNameOf(runtimeId) === null) return policy;
  const progressDeadlineSeconds = Math.min(own, DEFAULT_POLICY.progressDeadlineSeconds);
  return { ...policy, progressDeadlineSeconds };
}
