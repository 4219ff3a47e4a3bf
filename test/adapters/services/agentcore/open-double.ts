import { afterEach } from '@jest/globals';
import {
  type AgentCoreOptions,
  openAgentCoreService,
} from '../../../../lib/adapters/services/agentcore/client.ts';
import type { EndpointService } from '../../../../lib/ports/endpoint-service.ts';
import {
  type AgentCoreDouble,
  createAgentCoreDouble,
  type DoubleOptions,
} from '../../../support/agentcore/double.ts';
import { serveDouble } from '../../../support/agentcore/reach.ts';
import { CREDENTIALS } from '../../../support/agentcore/signature.ts';
import { createTestClock, type TestClock } from '../../http/test-clock.ts';

const open: (() => unknown)[] = [];

/** A file of tests says this itself, because files share this module, and it is loaded only once. */
export function closeDoublesAfterEach(): void {
  afterEach(async () => {
    await Promise.all(open.splice(0).map((close) => close()));
  });
}

export interface Opened {
  readonly double: AgentCoreDouble;
  readonly service: EndpointService;
  readonly clock: TestClock;
  /** Of the runtime. */
  readonly id: string;
}

/** The client over a real connection to a double on this machine. Waits pass at once. */
export async function openDouble(
  double: Partial<DoubleOptions> = {},
  client: Partial<AgentCoreOptions> = {},
): Promise<Opened> {
  // What is shorter than a try or than the patience for reasons is a wait between tries.
  const clock = createTestClock({ deadlineMs: 3_000 });
  const created = createAgentCoreDouble({
    now: clock.now,
    endpoints: { canary: 1, live_1: 1, live_2: 1 },
    ...double,
  });
  const server = await serveDouble(created);
  const service = await openAgentCoreService({
    region: 'eu-central-1',
    clock,
    credentials: CREDENTIALS,
    endpointUrl: server.url,
    ...(double.of && { of: double.of }),
    random: () => 0,
    ...client,
  });
  open.push(service.close, server.close);
  return { double: created, service, clock, id: created.runtimeId };
}
