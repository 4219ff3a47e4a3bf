/** A fleet to try things out on: version 3 has an endpoint that never comes live. */
export const EXAMPLE_SCENARIO = {
  runtimes: [{ id: 'shop', version: 1, replicas: 3, rollSeconds: 2, endpoints: 12 }],
  faults: [{ endpoint: 'endpoint-03', version: 3, kind: 'stuck' }],
};
