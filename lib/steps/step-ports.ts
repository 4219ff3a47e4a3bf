import type { Clock } from '../ports/clock.ts';
import type { EndpointService } from '../ports/endpoint-service.ts';
import type { Gates } from '../ports/gates.ts';
import type { Ledger } from '../ports/ledger.ts';

/** What the steps need of the world. */
export interface StepPorts {
  readonly service: EndpointService;
  readonly ledger: Ledger;
  readonly clock: Pick<Clock, 'now'>;
  readonly gates: Gates;
  /** Ends a step between two stops. @default - a step ends when its work is done */
  readonly signal?: AbortSignal;
}
