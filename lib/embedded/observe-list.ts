import type { Endpoint } from '../domain/endpoint.ts';
import type { StepContext } from '../steps/handle.ts';

/** The same context, in which somebody sees every list that is read: a view costs the service no extra call. */
export function observeList(
  context: StepContext,
  onList: (endpoints: readonly Endpoint[]) => void,
): StepContext {
  const { service } = context;
  return {
    ...context,
    service: {
      ...service,
      async list(runtimeId, signal) {
        const endpoints = await service.list(runtimeId, signal);
        onList(endpoints);
        return endpoints;
      },
    },
  };
}
