import { activePlan } from '../../domain/active-plan.ts';
import type { Ending } from '../../domain/decision.ts';
import type { Outcome } from '../../domain/outcome.ts';
import type {
  JournalEntry,
  RolloutPlan,
  RolloutRecord,
  WaveProgress,
} from '../../domain/rollout.ts';
import { observeContext, type RolloutObserver } from '../../embedded/observe-context.ts';
import type { WorkflowRun } from '../../embedded/run-workflow.ts';
import { startRollout } from '../../embedded/start-rollout.ts';
import { fingerprintOf } from '../../steps/fingerprint.ts';
import { describeDuration } from './describe-duration.ts';
import { describePlan, describeRollback } from './describe-plan.ts';
import { createLogLines } from './log-lines.ts';
import { renderFrame } from './render-frame.ts';
import { createRolloutModel, type RolloutModel } from './rollout-model.ts';
import type { Screen } from './screen.ts';

/** Milliseconds between two frames: the clock moves, the rest changes with each read of the list. */
const FRAME_MS = 200;

export interface ShownRollout {
  readonly outcome: Outcome;
  readonly model: RolloutModel;
  readonly elapsedMs: number;
}

/** Runs a rollout and shows it while it runs: drawn anew on a terminal, as lines anywhere else. */
export async function showRollout(
  run: WorkflowRun,
  screen: Screen,
  known?: RolloutRecord,
): Promise<ShownRollout> {
  const startedAt = run.context.clock.now();
  const elapsed = () => run.context.clock.now() - startedAt;
  const model = createRolloutModel(run.input.runtimeId, run.input.version ?? null);
  const show = screen.isLive ? drawFrames : writeLines;
  const shown = show(model, run, screen, elapsed);
  if (known !== undefined) recall(known, model, shown.observer);
  try {
    const context = observeContext(run.context, shown.observer);
    const outcome = await startRollout({ ...run, context, onState: shown.onState });
    return { outcome, model, elapsedMs: elapsed() };
  } finally {
    shown.end();
  }
}

/** What a rollout that goes on had come to: its steps do not say it again. */
function recall(known: RolloutRecord, model: RolloutModel, observer: RolloutObserver): void {
  const plan = activePlan(known);
  if (plan === null || known.progress === null) return;
  model.onWrites(known.journal);
  observer.onPlan(plan, known.rollback?.cause);
  observer.onProgress(known.progress);
}

function drawFrames(model: RolloutModel, _run: WorkflowRun, screen: Screen, elapsed: () => number) {
  const draw = () => screen.frame(renderFrame(model, elapsed(), screen));
  const timer = setInterval(draw, FRAME_MS);
  return {
    observer: model,
    onState: (state: string) => {
      model.state = state;
    },
    end: () => {
      clearInterval(timer);
      draw();
      screen.endFrame();
    },
  };
}

function writeLines(model: RolloutModel, run: WorkflowRun, screen: Screen, elapsed: () => number) {
  const { runtimeId } = run.input;
  const policy = run.context.policyOf(runtimeId);
  const log = createLogLines(model);
  const write = (lines: readonly string[]) => {
    const time = describeDuration(elapsed()).padStart(TIME_WIDTH);
    for (const line of lines) screen.line(`${time}  ${line}`);
  };
  const linesOfPlan = (plan: RolloutPlan) => {
    if (plan.direction === 'back') return describeRollback(plan, model.cause);
    const desiredVersion = model.desiredVersion ?? 0;
    const fingerprint = fingerprintOf(plan, policy);
    return describePlan({ runtimeId, desiredVersion, policy, plan, fingerprint });
  };
  return {
    observer: {
      onList: model.onList,
      onPlan(plan: RolloutPlan, cause?: Ending) {
        model.onPlan(plan, cause);
        write(linesOfPlan(plan));
      },
      onProgress(progress: WaveProgress) {
        model.onProgress(progress);
        write(log.ofProgress());
      },
      onWrites(entries: readonly JournalEntry[]) {
        model.onWrites(entries);
        write(log.ofWrites(entries));
      },
    },
    onState: (state: string) => write(log.ofState(state)),
    end: () => {},
  };
}

const TIME_WIDTH = 5;
