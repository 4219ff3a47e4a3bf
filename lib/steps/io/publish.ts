import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { unsentEvents } from '../../domain/events/events.ts';
import type { RolloutEvent } from '../../domain/rollout/event.ts';
import type { Lease } from '../../domain/rollout/lease.ts';
import type { RolloutRecord } from '../../domain/rollout/record.ts';
import type { EventBus } from '../../ports/event-bus.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { RecordPorts } from './ports.ts';

type SendPorts = { readonly ledger: Pick<Ledger, 'read' | 'markSent'>; readonly events: EventBus };
type EventsSoFar = Pick<RolloutRecord, 'events' | 'unsent'>;

/**
 * Publishes what has just happened to a rollout. The event goes into the ledger first, and then to the bus. If the
 * bus does not take it now, it goes out with the next event or with the sweep. Answers the rollout's events as the
 * ledger has them afterwards.
 *
 * @throws `LeaseLost`
 */
export async function publishEvent(
  event: RolloutEvent,
  { events, unsent }: EventsSoFar,
  lease: Lease,
  ports: Pick<RecordPorts, 'ledger' | 'events'>,
): Promise<EventsSoFar> {
  // An earlier run of the same step may have published it.
  if (events.some(({ eventId }) => eventId === event.eventId)) return { events, unsent };
  await ports.ledger.recordEvent(lease, event);
  const before = events.filter(({ eventId }) => unsent.includes(eventId));
  const { sent } = await send(lease.rolloutId, [...before, event], ports);
  const left = [...unsent, event.eventId].filter((eventId) => !sent.includes(eventId));
  return { events: [...events, event], unsent: left };
}

/** Publishes what was not sent yet. Answers why the bus did not take all of it; `null` when it did. */
export async function publishRest(
  rolloutId: string,
  ports: SendPorts,
): Promise<SteprollError | null> {
  const unsent = unsentEvents(await ports.ledger.read(rolloutId));
  return (await send(rolloutId, unsent, ports)).failure;
}

/** A step sends its events within seconds. A younger event may be on its way, and would be sent twice. */
const SENDING_MS = 60_000;

/** Publishes the unsent events of a rollout that may be under way. It does nothing while a step may be sending them. */
export async function publishOverdue(
  rolloutId: string,
  ports: SendPorts & Pick<RecordPorts, 'clock'>,
): Promise<SteprollError | null> {
  const unsent = unsentEvents(await ports.ledger.read(rolloutId));
  if (unsent.some(({ at }) => at >= ports.clock.now() - SENDING_MS)) return null;
  return (await send(rolloutId, unsent, ports)).failure;
}

/** Sends events in order. When one is not taken, the later ones wait. */
async function send(
  rolloutId: string,
  unsent: readonly RolloutEvent[],
  { ledger, events }: SendPorts,
) {
  const { sent, failure } = await sendInOrder(unsent, events);
  const ids = sent.map(({ eventId }) => eventId);
  if (ids.length > 0) await ledger.markSent(rolloutId, ids);
  return { sent: ids, failure };
}

/** Sends events in order, and marks nothing. `failure` says why the bus did not take the one after those that were sent. */
export async function sendInOrder<E>(
  unsent: readonly E[],
  events: EventBus<E>,
): Promise<{ readonly sent: readonly E[]; readonly failure: SteprollError | null }> {
  const sent: E[] = [];
  try {
    for (const event of unsent) {
      await events.publish(event);
      sent.push(event);
    }
  } catch (error) {
    // A rollout must not stop half-way only because its events cannot be sent.
    if (!(error instanceof SteprollError) || error.name !== ErrorName.EventsUnavailable)
      throw error;
    return { sent, failure: error };
  }
  return { sent, failure: null };
}
