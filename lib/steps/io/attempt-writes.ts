import type { Attempts } from '../../domain/endpoint/attempts.ts';
import type { WriteResult } from '../../domain/endpoint/journal.ts';
import { asPinned, pinsUnderWay } from '../../domain/holds/pins.ts';
import { isPausedOn } from '../../domain/holds/what-holds.ts';
import { countsUnderPause } from '../../domain/signals/signals.ts';
import { whatFreezesRolls } from '../../domain/turn/roll-window.ts';
import { after, beginWrites, type Next, type WriteAnswer } from '../../domain/writes/next-write.ts';
import type { WriteRules } from '../../domain/writes/write-rules.ts';
import type { WritePorts } from './ports.ts';
import { signalsThatCount } from './record.ts';
import { keepLease, type TakenUp } from './take-up.ts';
import { writeOne } from './write-each.ts';

/** What one kind of write is. */
export interface Writing<Look> extends WriteRules<Look> {
  look(): Promise<Look>;
  /** Sends the write, once. Answers the reason of an accepted one whose answer says more than a yes. */
  send(endpointId: string, attempts: Attempts, look: Look): Promise<string | undefined>;
  /** A stable name of what went wrong. @default - the name of the error */
  readonly reasonOf?: (error: unknown) => string;
}

/** How many endpoints of a batch were left with each result. The single lines are in the journal. */
export type BatchSummary = Readonly<Partial<Record<WriteResult, number>>>;

/**
 * The only way to write to an endpoint: does what `lib/domain/writes/next-write.ts` says, one thing after the other.
 *
 * @throws `LeaseLost`, errors of the ledger, and the error of the look when nothing could be looked at.
 */
export async function attemptWrites<Look>(
  writing: Writing<Look>,
  { lease, record, plan, now }: TakenUp,
  ports: WritePorts,
): Promise<BatchSummary> {
  const { ledger, clock, signal } = ports;
  const keep = keepLease(lease, clock.now(), ports);
  const time = () => ({ now: now(), isInterrupted: signal?.aborted ?? false });

  async function act(next: Exclude<Next<Look>, { do: 'end' }>): Promise<WriteAnswer<Look>> {
    switch (next.do) {
      case 'hear': {
        const at = clock.now();
        await keep();
        const heard = await ledger.hear(lease);
        const counted = await signalsThatCount(heard.signals, ports);
        const isPaused = isPausedOn(plan, record.request, heard.holds, clock.now());
        const signals = isPaused ? counted.filter(countsUnderPause) : counted;
        const frozenBy = whatFreezesRolls(plan, record.request, heard.holds, clock.now());
        const pinned = asPinned(pinsUnderWay(plan, record.request, heard.holds, clock.now()));
        return { to: 'hear', at, signals, ...(isPaused && { isPaused }), frozenBy, ...pinned };
      }
      case 'look':
        return { to: 'look', look: await writing.look() };
      case 'note':
        await ledger.append(lease, next.lines);
        return { to: 'note' };
      case 'send': {
        const { look, handful } = next;
        const send = ([id, attempts]: readonly [string, Attempts]) =>
          writeOne(id, () => writing.send(id, attempts, look), writing.reasonOf);
        return { to: 'send', rows: await Promise.all([...handful].map(send)) };
      }
      case 'wait':
        // It rejects only when the run is interrupted, and then nothing more is sent.
        await clock.sleep(next.milliseconds, signal).catch(() => undefined);
        return { to: 'wait' };
      default:
        return next satisfies never;
    }
  }

  let writes = beginWrites(writing, record, time());
  while (writes.next.do !== 'end') {
    const answer = await act(writes.next).catch(
      (error: unknown) => ({ to: 'failed', error }) as const,
    );
    writes = after(writes, answer, time());
  }
  if (writes.error !== undefined) throw writes.error;
  const counts: Partial<Record<WriteResult, number>> = {};
  for (const result of writes.results.values()) counts[result] = (counts[result] ?? 0) + 1;
  return counts;
}
