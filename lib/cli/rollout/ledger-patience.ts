import { systemClock as clock } from '../../adapters/machine/clock.ts';
import { ErrorName, errorMessageOf, SteprollError } from '../../domain/errors.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { findRecord } from '../../steps/io/record.ts';

/** So long a new rollout waits for a ledger that cannot note it. One that the ledger knows waits as the workflow says. */
const BEGIN_WITHIN_MS = 30_000;

/** A ledger that was moved away, deleted or replaced is waited for no longer. Somebody may put the file back soon. */
const GONE_WITHIN_MS = 30_000;

/** How long a rollout of this process waits for a ledger that cannot be written. */
interface LedgerPatience {
  readonly onState: (state: string) => void;
  readonly onFailure: (error: unknown) => void;
  /** The ledger was found to know the rollout. */
  noteKnown(): void;
  /** What is wrong with the ledger, for people. `null`: nothing. */
  trouble(): string | null;
  /** What the rollout does before the ledger knows it. */
  describeWaiting(): string;
  /** Is aborted when the ledger that knows the rollout is gone. */
  readonly gone: AbortSignal;
}

/**
 * @param isKnown Whether the ledger knows the rollout already.
 * @param unnoted Is aborted when the ledger cannot note a new rollout.
 * @param over Is aborted once the rollout is over.
 */
export function createLedgerPatience(
  rolloutId: string,
  ledger: Pick<Ledger, 'read'>,
  isKnown: boolean,
  unnoted: AbortController,
  over: AbortSignal,
): LedgerPatience {
  const beginsBy = clock.now() + BEGIN_WITHIN_MS;
  const gone = new AbortController();
  let goneSince: number | null = null;
  let state = 'Open rollout';
  let trouble: string | null = null;
  let isNoted = isKnown;
  let isFirst = true;

  async function giveUpBegin(error: unknown): Promise<void> {
    await clock.sleep(beginsBy - clock.now(), over).catch(() => undefined);
    if (over.aborted) return;
    // A ledger that answers again may note the rollout at the next try, and else that tells.
    const isAway = await findRecord(rolloutId, ledger).then(
      () => false,
      () => true,
    );
    if (isAway && !isNoted && !over.aborted) unnoted.abort(error);
  }

  return {
    onState(entered) {
      isNoted ||= entered !== state;
      state = entered;
      trouble = null;
    },
    onFailure(error) {
      if (!(error instanceof SteprollError) || error.name !== ErrorName.LedgerUnavailable) return;
      if (error.isGone && isNoted) {
        goneSince ??= clock.now();
        if (clock.now() >= goneSince + GONE_WITHIN_MS) gone.abort(error);
      }
      trouble = `The rollout waits, trying again. ${errorMessageOf(error)}`;
      if (isNoted) return;
      if (clock.now() >= beginsBy) unnoted.abort(error);
      else if (isFirst) void giveUpBegin(error);
      isFirst = false;
    },
    noteKnown() {
      isNoted = true;
    },
    trouble: () => trouble,
    describeWaiting: () => trouble ?? WAITS[state] ?? '',
    gone: gone.signal,
  };
}

/** The notes about a rollout that is not opened yet. */
const WAITS: Readonly<Record<string, string>> = { 'Open rollout': 'Opening the rollout' };
