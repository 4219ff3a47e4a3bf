import type { Endpoint, EndpointPage } from '../domain/endpoint/endpoint.ts';

/**
 * The service that manages endpoints, seen through its four operations.
 *
 * Every method may throw a `SteprollError`. The two writes that change an endpoint throw
 * `OutcomeUnknown` when the request may have arrived and no answer came back: the caller then reads
 * the list and decides from that, it never sends the write again blindly.
 */
export interface EndpointService {
  /** Base URL, as `parseEndpointUrl` answers it: where it is the same, the endpoints are. */
  readonly url: string;
  /** One page, exactly as asked. */
  listPage(runtimeId: string, query: PageQuery, signal?: AbortSignal): Promise<EndpointPage>;
  /**
   * Every endpoint of the runtime, each once: one sweep over all pages.
   * Throws `ListUnstable` when the sweep contradicts itself, so an answer is always complete.
   */
  list(runtimeId: string, signal?: AbortSignal): Promise<readonly Endpoint[]>;
  create(runtimeId: string, input: CreateInput, signal?: AbortSignal): Promise<Endpoint>;
  /** Answers the endpoint, or `null` where the service answers with an empty body. */
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
  /** Integer of at least 1; the service chooses when it is left out. */
  readonly version?: number;
}
