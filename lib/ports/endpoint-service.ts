import type { Endpoint, EndpointPage } from '../domain/endpoint/endpoint.ts';

/**
 * The service that manages endpoints, reduced to its four operations.
 *
 * Every method may throw a `SteprollError`. The two writes that change an endpoint throw `OutcomeUnknown` when the
 * request may have arrived and no answer came. The caller then reads the list and decides from that. It never simply
 * sends the write again.
 */
export interface EndpointService {
  /** Base URL, as `parseEndpointUrl` answers it. The same URL means the same endpoints. */
  readonly url: string;
  /** One page, exactly as asked. */
  listPage(runtimeId: string, query: PageQuery, signal?: AbortSignal): Promise<EndpointPage>;
  /**
   * Every endpoint of the runtime, each once: one sweep over all pages.
   * Throws `ListUnstable` when the sweep contradicts itself, so an answer is always complete.
   */
  list(runtimeId: string, signal?: AbortSignal): Promise<readonly Endpoint[]>;
  create(runtimeId: string, input: CreateInput, signal?: AbortSignal): Promise<Endpoint>;
  /** Answers the endpoint, or `null` when the service answers with an empty body. */
  roll(
    runtimeId: string,
    endpointId: string,
    version: number,
    signal?: AbortSignal,
  ): Promise<Endpoint | null>;
  stop(runtimeId: string, endpointId: string, signal?: AbortSignal): Promise<void>;
}

export interface PageQuery {
  /** 1-based. */
  readonly page: number;
  readonly size: number;
}

export interface CreateInput {
  readonly name: string;
  /** An integer of at least 1. When it is left out, the service chooses the version. */
  readonly version?: number;
}
