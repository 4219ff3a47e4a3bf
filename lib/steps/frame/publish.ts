import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { unsentEvents } from '../../domain/events/events.ts';
import type { RolloutEvent } from '../../domain/rollout/event.ts';
import type { Lease } from '../../domain/rollout/lease.ts';
import type { RolloutRecord } from '../../domain/rollout/record.ts';
import type { EventBus } from '../../ports/event-bus.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { RecordPorts } from './ports.ts';

type Ports = Pick<RecordPorts, 'ledger' | 'events'>;
type SendPorts = { readonly ledger: Pick<Ledger, 'read' | 'markSent'>; readonly events: EventBus };
type EventsSoFar = Pick<RolloutRecord, 'events' | 'unsent'>;

/**
 * Tells what has just happened to a rollout. First the ledger has it, then it is sent: what the bus does not
 * take now goes out with the next event, or with the sweep. Answers what the ledger has of the rollout's
 * events then.
 *
 * @throws `LeaseLost`
 */
export async function publishEvent(
  event: RolloutEvent,
  { events, unsent }: EventsSoFar,
  lease: Lease,
  ports: Ports,
): Promise<EventsSoFar> {
  // The same step may have told it before.
  if (events.some(({ eventId }) => eventId === event.eventId)) return { events, unsent };
  await ports.ledger.recordEvent(lease, event);
  const before = events.filter(({ eventId }) => unsent.includes(eventId));
  const { sent } = await send(lease.rolloutId, [...before, event], ports);
  const left = [...unsent, event.eventId].filter((eventId) => !sent.includes(eventId));
  return { events: [...events, event], unsent: left };
}

/** Tells what is still to be told of a rollout. Answers why the bus did not take all of it; `null` when it did. */
export async function publishRest(
  rolloutId: string,
  ports: SendPorts,
): Promise<SteprollError | null> {
  const unsent = unsentEvents(await ports.ledger.read(rolloutId));
  return (await send(rolloutId, unsent, ports)).failure;
}

/** A step sends within seconds: what is younger may be on its way, and would be told twice. */
const SENDING_MS = 60_000;

/** The same of a rollout that may be under way: nothing while a step of it may be telling it. */
export async function publishOverdue(
  rolloutId: string,
  ports: SendPorts & Pick<RecordPorts, 'clock'>,
): Promise<SteprollError | null> {
  const unsent = unsentEvents(await ports.ledger.read(rolloutId));
  if (unsent.some(({ at }) => at >= ports.clock.now() - SENDING_MS)) return null;
  return (await send(rolloutId, unsent, ports)).failure;
}

interface Sending {
  /** Ids of the events that the bus has taken. */
  readonly sent: readonly string[];
  /** Why it did not take the one after them. */
  readonly failure: SteprollError | null;
}

/** In order: where one is not taken, those after it wait. */
async function send(
  rolloutId: string,
  unsent: readonly RolloutEvent[],
  { ledger, events }: SendPorts,
): Promise<Sending> {
  const sent: string[] = [];
  let failure: SteprollError | null = null;
  try {
    for (const event of unsent) {
      await events.publish(event);
      sent.push(event.eventId);
    }
  } catch (error) {
    // That nobody hears of a rollout is no reason to stop it half-way.
    if (!(error instanceof SteprollError) || error.name !== ErrorName.EventsUnavailable)
      throw error;
    failure = error;
  }
  if (sent.length > 0) await ledger.markSent(rolloutId, sent);
  return { sent, failure };
}
