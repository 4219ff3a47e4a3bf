import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { RELEASE_EVENT } from '../../domain/trigger/event-names.ts';
import type { Release } from '../../domain/trigger/release.ts';
import { asAwsError } from './aws-error.ts';

/**
 * Announces a release on steproll's event bus, and answers the id of the event.
 *
 * @throws `EventsUnavailable` when the bus refuses the event, `AwsUnavailable`.
 */
export async function publishRelease(
  client: EventBridgeClient,
  eventBusName: string,
  release: Release,
): Promise<string> {
  const entry = {
    EventBusName: eventBusName,
    Source: RELEASE_EVENT.source,
    DetailType: RELEASE_EVENT.detailType,
    Detail: JSON.stringify(release),
  };
  const { Entries: [answer] = [] } = await client
    .send(new PutEventsCommand({ Entries: [entry] }))
    .catch((error: unknown) => {
      throw asAwsError(error, `announce a release on the bus ${eventBusName}`);
    });
  // The call succeeds also where the entry was refused: then it has an error in the place of an id.
  if (answer?.EventId === undefined) {
    throw new SteprollError(
      ErrorName.EventsUnavailable,
      `The event bus ${eventBusName} did not take the release: ${answer?.ErrorCode}: ${answer?.ErrorMessage}`,
    );
  }
  return answer.EventId;
}
