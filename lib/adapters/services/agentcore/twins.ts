import type { AgentCoreResource } from '../../../contract/service/services.ts';
import { ErrorName, SteprollError } from '../../../domain/errors.ts';
import type { EndpointService } from '../../../ports/endpoint-service.ts';
import type { AgentCoreCall } from './call.ts';
import { readPages } from './pages.ts';
import { listHarnesses, PAGE_SIZE, readRuntimeOfHarness } from './resources.ts';

/** Each costs a call. */
const MOST_HARNESSES = 100;
const TOO_MANY = `there are more than ${MOST_HARNESSES} harnesses, so nobody asked each of them`;

/** Finds the runtime beneath a harness, or the harness above a runtime: to roll both is to roll one thing twice. */
export function createTwinFinder(
  call: AgentCoreCall,
  of: AgentCoreResource,
): NonNullable<EndpointService['findTwin']> {
  /** Of each harness of the account and region the id of its runtime, as far as the service says it. Asked once. */
  let harnesses: Promise<ReadonlyMap<string, string>> | undefined;
  return async (id, signal) => {
    if (of === 'harness') {
      const runtime = await readRuntimeOfHarness(call, id, signal);
      return runtime === null ? null : { what: 'runtime', id: runtime };
    }
    harnesses ??= runtimesOfHarnesses(call, signal);
    const harness = (await harnesses).get(id);
    return harness === undefined ? null : { what: 'harness', id: harness };
  };
}

async function runtimesOfHarnesses(
  call: AgentCoreCall,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const ids: string[] = [];
  const pages = readPages((nextToken) =>
    listHarnesses(call, { maxResults: PAGE_SIZE, nextToken }, signal),
  );
  for await (const { items } of pages) {
    ids.push(...items);
    if (ids.length > MOST_HARNESSES) throw new SteprollError(ErrorName.ListUnstable, TOO_MANY);
  }
  const runtimes = new Map<string, string>();
  for (const id of ids) {
    const runtime = await readRuntimeOfHarness(call, id, signal);
    if (runtime !== null) runtimes.set(runtime, id);
  }
  return runtimes;
}
