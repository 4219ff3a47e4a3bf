import type { ServiceAbilities } from '../domain/endpoint/abilities.ts';
import type { Endpoint, EndpointPage } from '../domain/endpoint/endpoint.ts';
import type { RuntimeVersion } from '../domain/planning/version.ts';
import type { AskedRollout } from '../domain/rollout/record.ts';

/**
 * The service that manages endpoints, reduced to its four operations.
 *
 * Every method may throw a `SteprollError`. A write is sent at most once, and soon after the call or not at all: a
 * caller looks before every write, also before the same one again. The two writes that change an endpoint throw `OutcomeUnknown` when the
 * request may have arrived and no answer came. The caller then reads the list and decides from that. It sends the
 * write again only with the token of the first one, to a service whose abilities say that it repeats rolls.
 */
export interface EndpointService {
  /** Base URL, as `parseEndpointUrl` answers it. The same URL means the same endpoints. */
  readonly url: string;
  /** What this service can do. Nothing else tells which kind of service it is. */
  readonly abilities: ServiceAbilities;
  /** One page, exactly as asked. */
  listPage(runtimeId: string, query: PageQuery, signal?: AbortSignal): Promise<EndpointPage>;
  /**
   * Every endpoint of the runtime, each once: one sweep over all pages. Those that share a name say so.
   * Throws `ListUnstable` when the sweep contradicts itself, so an answer is always complete.
   *
   * @param of The record of the rollout that asks. A group's endpoints are what its rollout has done with them; any
   *   other service does not need it. @default - nobody has read it
   */
  list(runtimeId: string, signal?: AbortSignal, of?: AskedRollout): Promise<readonly Endpoint[]>;
  /** Why no list so far could show that a version went live; `null` when one could. @default - every list could */
  readonly faultOfLists?: () => string | null;
  create(runtimeId: string, input: CreateInput, signal?: AbortSignal): Promise<Endpoint>;
  /**
   * Answers the endpoint, or `null` when the service answers with an empty body.
   *
   * @param token Names this roll. A service that repeats rolls carries out all rolls with the same token only once;
   *   any other service does not get it. @default - a roll of its own
   */
  roll(
    runtimeId: string,
    endpointId: string,
    version: number,
    signal?: AbortSignal,
    token?: string,
  ): Promise<Endpoint | null>;
  /** Throws `StopUnsupported` when the service cannot stop endpoints. Then nothing was sent. */
  stop(runtimeId: string, endpointId: string, signal?: AbortSignal): Promise<void>;
  /** The versions of the runtime, in any order. Throws `VersionsUnsupported` when the service cannot list them. */
  listVersions(runtimeId: string, signal?: AbortSignal): Promise<readonly RuntimeVersion[]>;
  /**
   * What the service has the same endpoints under once more, as another kind of thing with an id of its own. A rollout of
   * both would be two rollouts of one thing. `null`: nothing that the service tells.
   *
   * @default - the service has each endpoint once
   */
  findTwin?(runtimeId: string, signal?: AbortSignal): Promise<Twin | null>;
}

export interface Twin {
  readonly what: 'runtime' | 'harness';
  readonly id: string;
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
