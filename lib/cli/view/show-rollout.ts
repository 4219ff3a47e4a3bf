import { systemClock as clock } from '../../adapters/system-clock.ts';
import type { Outcome } from '../../domain/outcome.ts';
import { type AskedRollout, wasOpened } from '../../domain/rollout.ts';
import { observeList } from '../../embedded/observe-list.ts';
import type { WorkflowRun } from '../../embedded/run-workflow.ts';
import { startRollout } from '../../embedded/start-rollout.ts';
import { findRecord } from '../../steps/find-record.ts';
import { followRollout } from '../rollout/follow-rollout.ts';
import { describeError } from './describe-error.ts';
import { createFrameView } from './frame-view.ts';
import { createLineView } from './line-view.ts';
import type { Screen } from './screen.ts';

/** Milliseconds between two reads of the ledger, which is at hand. */
const READ_MS = 250;

export interface ShownRollout {
  readonly outcome: Outcome;
  /** `null`: what was asked for was never valid, so the ledger does not know it. */
  readonly record: AskedRollout | null;
  readonly elapsedMs: number;
}

/**
 * Runs a rollout in this process and shows it while it runs: drawn anew on a terminal, as lines anywhere
 * else.
 *
 * @param known What the ledger has of it already, and was told before. @default - it is new
 */
export async function showRollout(
  run: WorkflowRun,
  screen: Screen,
  known?: AskedRollout,
): Promise<ShownRollout> {
  const { rolloutId } = run;
  const { ledger } = run.context;
  const startedAt = clock.now();
  const frames = screen.isLive ? createFrameView(screen, clock) : null;
  const view = frames ?? createLineView({ screen, clock, known });
  const context = observeList(run.context, (endpoints) => frames?.see(endpoints));
  let state = 'Open rollout';
  const onState = (entered: string) => {
    state = entered;
  };
  const over = new AbortController();
  const describeWaiting = async () => WAITS[state] ?? '';
  const takenBack = new AbortController();
  const following = followRollout(
    { rolloutId, ledger, clock, view, describeWaiting, readMs: READ_MS },
    over.signal,
  ).then(
    // Somebody has taken it back elsewhere while it waits: nothing is left to wait for.
    (record) => record?.outcome && !wasOpened(record) && takenBack.abort(),
    // That it cannot be shown is no reason to end it.
    (error: unknown) => view.note(describeError(error)),
  );
  try {
    const signal = AbortSignal.any([...(run.signal ? [run.signal] : []), takenBack.signal]);
    const outcome = await startRollout({ ...run, context, onState, signal });
    over.abort();
    await following;
    view.note(null);
    // How it ended is known, whatever becomes of the ledger now.
    const record = await findRecord(rolloutId, ledger).catch(() => null);
    if (record !== null) view.update(record);
    return { outcome, record, elapsedMs: clock.now() - (record?.startedAt ?? startedAt) };
  } finally {
    over.abort();
    view.end();
  }
}

/** What there is to say of a rollout that is not opened yet. */
const WAITS: Readonly<Record<string, string>> = { 'Open rollout': 'Opening the rollout' };
