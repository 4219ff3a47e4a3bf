import type { PutEventsCommandOutput, PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { toLifecycleEvent } from '../../contract/event.ts';
import { ErrorName, errorMessageOf, errorNameOf, SteprollError } from '../../domain/errors.ts';
import { LIFECYCLE_SOURCE } from '../../domain/trigger/release.ts';
import type { OpenBus } from '../../ports/event-bus.ts';
import { chatMessage } from '../../telling/messages/chat-message.ts';

/** Puts one event on its bus. It answers and throws what the AWS SDK does. */
export type PutEvent = (
  entry: PutEventsRequestEntry,
) => Promise<Pick<PutEventsCommandOutput, 'FailedEntryCount' | 'Entries'>>;

export interface EventBridgeBusOptions {
  readonly putEvent: PutEvent;
  /** Name or ARN of the bus. */
  readonly eventBusName: string;
  /** Name of the stack, for the commands in messages. */
  readonly stackName: string;
}

/** Publishes the events of rollouts and holds on an event bus of EventBridge. */
export function createEventBridgeBus({
  putEvent,
  eventBusName,
  stackName,
}: EventBridgeBusOptions): OpenBus {
  return {
    async publish(event) {
      const told = toLifecycleEvent(event);
      const chat = chatMessage(told, ` --engine aws --stack ${stackName}`);
      const entry = {
        EventBusName: eventBusName,
        Source: LIFECYCLE_SOURCE,
        DetailType: told.detailType,
        Detail: JSON.stringify({ ...told.detail, chat }),
        Time: new Date(event.at),
      };
      const { FailedEntryCount, Entries } = await putEvent(entry).catch((cause: unknown) => {
        throw unavailable(eventBusName, `${errorNameOf(cause)}: ${errorMessageOf(cause)}`, cause);
      });
      // The call succeeds even if the entry was refused.
      if (FailedEntryCount !== 0) {
        const [answer] = Entries ?? [];
        throw unavailable(eventBusName, `${answer?.ErrorCode}: ${answer?.ErrorMessage}`);
      }
    },
  };
}

function unavailable(eventBusName: string, why: string, cause?: unknown): SteprollError {
  return new SteprollError(
    ErrorName.EventsUnavailable,
    `The event bus ${eventBusName} did not take an event: ${why}`,
    cause === undefined ? {} : { cause },
  );
}
