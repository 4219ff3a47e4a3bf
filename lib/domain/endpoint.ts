/** One read of one endpoint. `null` means that the service did not say; it is never guessed. */
export interface Endpoint {
  readonly id: string;
  readonly name: string | null;
  /** The version that the service calls the endpoint's own. Informative: no decision uses it. */
  readonly version: number | null;
  /** What the service says the endpoint is moving to. */
  readonly targetVersion: number | null;
  /** What the service says is serving now. Some services say 0 before the first version is live. */
  readonly liveVersion: number | null;
  readonly replicas: number | null;
  readonly url: string | null;
  readonly status: string | null;
}

/** One page of a list. `null` means that the service did not say. */
export interface EndpointPage {
  readonly endpoints: readonly Endpoint[];
  readonly page: number | null;
  readonly size: number | null;
  readonly totalPages: number | null;
  readonly totalEndpoints: number | null;
}
