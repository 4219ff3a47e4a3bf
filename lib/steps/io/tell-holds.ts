import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { type HoldEvent, untoldOf } from '../../domain/holds/news.ts';
import type { Clock } from '../../ports/clock.ts';
import type { OpenBus } from '../../ports/event-bus.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { sendInOrder } from './publish.ts';

export interface TellPorts {
  readonly ledger: Pick<Ledger, 'listHolds' | 'markTold'>;
  readonly events: OpenBus;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Publishes what nobody was told of holds yet, those of each hold in order. Answers how many holds had news. When the bus
 * does not take an event, the other holds still have their turn.
 *
 * @throws `EventsUnavailable` after that.
 */
export async function tellHolds({ ledger, events, clock }: TellPorts): Promise<number> {
  const news = (await ledger.listHolds())
    .map((hold) => ({ hold, untold: untoldOf(hold, clock.now()) }))
    .filter(({ untold }) => untold.length > 0);
  let cause: SteprollError | null = null;
  for (const { hold, untold } of news) {
    const { sent, failure } = await sendInOrder<HoldEvent>(untold, events);
    cause ??= failure;
    if (sent.length > 0) {
      await ledger.markTold(
        hold,
        sent.map(({ notedAs }) => notedAs),
      );
    }
  }
  if (cause === null) return news.length;
  throw new SteprollError(
    ErrorName.EventsUnavailable,
    `What happened to holds could not be told: ${cause.message}`,
    { cause },
  );
}
