import { systemClock as clock } from '../../adapters/machine/clock.ts';
import type { RolloutInput } from '../../contract/flow/rollout-input.ts';
import { commandOf } from '../../domain/command.ts';
import { GOES_ON_ELSEWHERE } from '../../domain/ending/error.ts';
import type { Endpoint } from '../../domain/endpoint/endpoint.ts';
import { ErrorName, errorNameOf } from '../../domain/errors.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import { isOfOtherService } from '../../domain/rollout/other-service.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import { type AskedRollout, elapsedOf, wasOpened } from '../../domain/rollout/record.ts';
import { createInterpreter } from '../../embedded/interpreter/engine.ts';
import { startRollout, type WorkflowRun } from '../../embedded/run-workflow.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import { readChildren } from '../../steps/group/children.ts';
import type { StepContext } from '../../steps/io/ports.ts';
import { findRecord } from '../../steps/io/record.ts';
import { wantedOf } from '../../steps/opening/asked-request.ts';
import { leftAfter } from '../../telling/story/next-steps.ts';
import { describeError } from '../../telling/words/errors.ts';
import type { Engine } from '../engine/engine.ts';
import { openEvents } from '../engine/events.ts';
import type { EngineOptions } from '../engine/open-engine.ts';
import { ExitCode, exitCodeOfOutcome } from '../invocation/exit-code.ts';
import { onInterrupt } from '../invocation/process.ts';
import { openView } from '../live/open-view.ts';
import { type Connecting, describeSource } from '../settings/service.ts';
import type { HowToPrint } from '../terminal/print-result.ts';
import { createScreen, type Screen } from '../terminal/screen.ts';
import { followRollout } from './follow.ts';
import { openHost } from './host.ts';
import { createLedgerPatience } from './ledger-patience.ts';
import { findHolder, printOutcome } from './result.ts';

interface WantedRollout {
  readonly rolloutId: string;
  readonly input: RolloutInput;
  readonly policy: RolloutPolicy;
  /** The record that the ledger has already. @default - the rollout is new */
  readonly known?: AskedRollout;
}

/**
 * Runs a rollout in this process, shows it, prints its result and answers the exit code. If another process takes
 * over the rollout, this one watches it until it ends there.
 */
export async function runRollout(
  wanted: WantedRollout,
  service: EndpointService,
  { ledger, isAbandoned }: Pick<Engine, 'ledger' | 'isAbandoned'>,
  prepared: Connecting<HowToPrint & EngineOptions>,
): Promise<number> {
  const { rolloutId, input, policy, known } = wanted;
  // A person needs the id to resume the rollout, and a process that was killed cannot print it any more.
  process.stderr.write(`Rollout ${rolloutId}\n`);
  const events = await openEvents(prepared.config, ledger);
  const interrupt = onInterrupt();
  let isEndedByHand = false;
  const unnoted = new AbortController();
  try {
    const screen = await createScreen(process.stderr);
    const { context, children } = await openHost({
      config: prepared.config,
      ports: { service, ledger, events: events.bus },
      own: { runtimeId: input.runtimeId, policy },
      // The view tells what the children do.
      log: () => undefined,
      atStop: 'end',
    });
    const { signal } = interrupt;
    const run = { rolloutId, input, context, signal };
    const shown = await showRollout(run, screen, known, () => children.end(signal), unnoted);
    isEndedByHand = signal.aborted;
    const { outcome, record, elapsedMs } = shown;
    if (record !== null && record.outcome === null) {
      process.stderr.write(`${GOES_ON_ELSEWHERE.message}\n`);
      const describeWaiting = async () => null;
      const how = prepared.options;
      const { watchRollout } = await import('./watch.ts');
      return await watchRollout({
        ...{ rolloutId, ledger, how, describeWaiting, isAbandoned },
        signal: interrupt.signal,
      });
    }
    const { desiredVersion: version } = record?.request ?? wantedOf(input);
    const holder = await findHolder(outcome, ledger);
    const isHolderElsewhere =
      holder !== undefined && (await isElsewhere(holder, ledger, service.url));
    const left = record && leftAfter(record);
    const ended = { rolloutId, runtimeId: input.runtimeId, version, outcome, elapsedMs };
    const config = prepared.settings.get('--config')?.value;
    await printOutcome({ ...ended, holder, isHolderElsewhere, left }, prepared.options, {
      ...(typeof config === 'string' && { config }),
    });
    for (const line of describeSource(outcome.reason, prepared)) process.stderr.write(`${line}\n`);
    return exitCodeOfOutcome(outcome);
  } catch (error) {
    if (errorNameOf(error) !== ErrorName.LedgerUnavailable) throw error;
    const then = unnoted.signal.aborted
      ? NOT_BEGUN
      : `${LEFT_OPEN}\n  ${commandOf(['rollout', 'resume', rolloutId])}`;
    process.stderr.write(`${describeError(error)}\n${then}\n`);
    return ExitCode.Unknown;
  } finally {
    // Who has pressed Ctrl-C to end the rollout wants others to hear of it. A second one ends the process at once.
    await events.end(isEndedByHand ? undefined : interrupt.signal);
    interrupt.release();
  }
}

const NOT_BEGUN =
  'The ledger could not note that the rollout begins, so nothing was written to the service. Once the ledger can be written again, start the rollout again.';

const LEFT_OPEN =
  'The ledger could not note how the rollout goes on, so nothing more is written to the service. Once the ledger can be written again, this goes on with it:';

async function isElsewhere(
  holder: string,
  ledger: Engine['ledger'],
  endpointUrl: string,
): Promise<boolean> {
  // The result must not get lost with a hint.
  const record = await findRecord(holder, ledger).catch(() => null);
  return record !== null && isOfOtherService(record.request, { endpointUrl });
}

/** Milliseconds between two reads of the ledger, which is on this machine. */
const READ_MS = 250;

/**
 * Runs a rollout in this process and shows it while it runs: as a picture on a terminal, as lines anywhere else. Its
 * record is `null` when the request was never valid, so the ledger does not know it.
 *
 * @param known The record that the ledger has already, and that was shown before. @default - the rollout is new
 * @param whenOver Ends what the rollout has started in this process. @default - nothing
 * @param unnoted Is aborted when the ledger cannot note a new rollout, which then ends. @default - it ends all the same
 */
export async function showRollout(
  run: Omit<WorkflowRun, 'engine'>,
  screen: Screen,
  known?: AskedRollout,
  whenOver: () => Promise<void> = async () => undefined,
  unnoted: AbortController = new AbortController(),
) {
  const { rolloutId } = run;
  const { ledger } = run.context;
  const startedAt = clock.now();
  const over = new AbortController();
  const isKnown = known !== undefined;
  const patience = createLedgerPatience(rolloutId, ledger, isKnown, unnoted, over.signal);
  const { onState, onFailure, gone } = patience;
  const { frames, view } = await openView(screen, clock, null, known);
  const isGroup = groupNameOf(run.input.runtimeId) !== null;
  // What a group's rollout lists are its runtimes, as the ledger has them.
  const context = isGroup
    ? run.context
    : observeList(run.context, (endpoints) => frames?.see(endpoints));
  const shownView: Pick<typeof view, 'update' | 'note'> = {
    update(...shown) {
      patience.noteKnown();
      view.update(...shown);
    },
    note: (text) => view.note(text ?? patience.trouble()),
  };
  const describeWaiting = async () => patience.describeWaiting();
  const withdrawn = new AbortController();
  const following = followRollout(
    { rolloutId, ledger, clock, view: shownView, describeWaiting, readMs: READ_MS },
    over.signal,
  ).then(
    // Somebody has taken the rollout back while it waits, so there is nothing left to wait for.
    (record) => record?.outcome && !wasOpened(record) && withdrawn.abort(),
    // A rollout must not end only because it cannot be shown.
    (error: unknown) => view.note(describeError(error)),
  );
  try {
    const signal = AbortSignal.any([
      ...(run.signal ? [run.signal] : []),
      withdrawn.signal,
      unnoted.signal,
      gone,
    ]);
    const engine = createInterpreter({ clock, listens: true });
    const outcome = await startRollout({
      ...run,
      context,
      engine,
      onState,
      onFailure,
      signal,
    }).finally(whenOver);
    // Its outcome is that of an interruption, and the reason is the ledger.
    unnoted.signal.throwIfAborted();
    gone.throwIfAborted();
    over.abort();
    await following;
    view.note(null);
    // The outcome is known, even if the ledger cannot be read now.
    const record = await findRecord(rolloutId, ledger).catch(() => null);
    const children = record === null ? [] : await readChildren(record, ledger).catch(() => []);
    if (record !== null) view.update(record, false, children);
    // Every command tells the duration that the ledger has.
    const now = clock.now();
    const elapsedMs = record === null ? Math.max(0, now - startedAt) : elapsedOf(record, now);
    return { outcome, record, elapsedMs };
  } finally {
    over.abort();
    view.end();
  }
}

/** The same context, but `see` gets every list that is read. So a view costs the service no further call. */
function observeList(
  context: StepContext,
  onList: (endpoints: readonly Endpoint[]) => void,
): StepContext {
  const { service } = context;
  return {
    ...context,
    service: {
      ...service,
      async list(...asked) {
        const endpoints = await service.list(...asked);
        onList(endpoints);
        return endpoints;
      },
    },
  };
}
