import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { EventBus } from '../../ports/event-bus.ts';
import { createEventBridgeBus } from '../events/event-bridge-bus.ts';
import { AWS_TIMEOUTS } from './aws-timeouts.ts';

/** A bus that is down must not use up the time of a step: what it does not take goes out later. */
const MOST_TRIES = 2;

/** The bus on which a function tells of rollouts. */
export function openEventBus(eventBusName: string): EventBus {
  const client = new EventBridgeClient({ requestHandler: AWS_TIMEOUTS, maxAttempts: MOST_TRIES });
  return createEventBridgeBus({ client, eventBusName });
}
