import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { AWS_TIMEOUTS } from '../aws/timeouts.ts';
import type { PutEvent } from '../events/event-bridge-bus.ts';

/** A bus that is down must not use up the time of a step. An event that it does not take goes out later. */
const MOST_TRIES = 2;

export function connectEventBus(): PutEvent {
  const client = new EventBridgeClient({ requestHandler: AWS_TIMEOUTS, maxAttempts: MOST_TRIES });
  return (entry) => client.send(new PutEventsCommand({ Entries: [entry] }));
}
