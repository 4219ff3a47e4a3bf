import type { Instant } from '../domain/clock.ts';
import { errorMessageOf, errorNameOf } from '../domain/errors.ts';
import { historyBegins } from '../domain/rollout/history.ts';
import type { StepContext } from '../steps/io/ports.ts';
import { publishOverdue } from '../steps/io/publish.ts';
import { isNotOurs } from '../steps/io/record.ts';
import { tellHolds } from '../steps/io/tell-holds.ts';
import { createLeftRollouts, type LeftRolloutsOptions } from './left-rollouts.ts';

interface CaretakerOptions extends LeftRolloutsOptions {
  /** Removes from the ledger what has a time of its own, and that time is over. @default - there is no such thing */
  readonly forgetExpired?: (now: Instant) => Promise<void>;
  /** For how many days ended rollouts stay in the ledger, and what removes some of the others. @default - all stay */
  readonly history?: {
    readonly days: number;
    readonly forget: (endedBefore: Instant) => Promise<void>;
  };
}

/**
 * Makes a function that is called again and again. It goes on with rollouts of triggers that a dead process has
 * accepted or left open. It ends those that nobody has looked after for too long. It publishes events of rollouts and
 * holds that were not sent yet. And it removes old rollouts from the ledger, if that is wanted.
 */
export function createCaretaker(options: CaretakerOptions): () => Promise<void> {
  const { context, log, forgetExpired = async () => undefined, history } = options;
  const { ledger, clock } = context;
  const said = new Set<string>();
  const logOnce = (line: string) => {
    if (!said.has(line)) log(line);
    said.add(line);
  };
  const { beginWith, goOnWith } = createLeftRollouts(options, logOnce);

  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      const name = errorNameOf(error);
      // Its own process goes on with the rollout, or ended it a moment ago.
      if (isNotOurs(name)) return;
      logOnce(`${name}: ${errorMessageOf(error)}`);
    }
  };

  return () =>
    attempt(async () => {
      for (const { rolloutId } of await ledger.listHeld()) {
        await attempt(() => goOnWith(rolloutId));
      }
      for (const rolloutId of await ledger.listWaiting()) {
        await attempt(() => beginWith(rolloutId));
      }
      for (const rolloutId of await ledger.listUnsent()) {
        await attempt(() => publishOverdue(rolloutId, context));
      }
      await attempt(() => tellHolds(context));
      await attempt(() => forgetExpired(clock.now()));
      if (history !== undefined) await forgetOld(history, context);
    });
}

/** A group looks at the rollouts of its runtimes until it ends: what has ended since it began stays. */
async function forgetOld(
  { days, forget }: NonNullable<CaretakerOptions['history']>,
  { ledger, clock }: Pick<StepContext, 'ledger' | 'clock'>,
): Promise<void> {
  const now = clock.now();
  const held = await ledger.listHeld();
  const underWay = await Promise.all(held.map(({ rolloutId }) => ledger.readSummary(rolloutId)));
  const begins = underWay.map((rollout) => rollout?.startedAt ?? now);
  await forget(Math.min(historyBegins(days, now), ...begins));
}
