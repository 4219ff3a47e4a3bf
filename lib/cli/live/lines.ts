import type { EndpointState } from '../../domain/endpoint/observation.ts';
import { type AskedRollout, activePlan } from '../../domain/rollout/record.ts';
import { describeWaiting, type Waiting } from '../../domain/rollout/waiting.ts';
import { listHappenings } from '../../domain/story/happenings.ts';
import { phaseOf } from '../../domain/story/phase.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Screen } from '../terminal/screen.ts';
import { plainText } from '../terminal/text.ts';
import { clockTime } from '../terminal/times.ts';
import { describeHappening, isEnd } from '../words/happening.ts';
import { modelOf, nameOfWave } from '../words/model.ts';
import { describePhase, describeWants } from '../words/phase.ts';
import { describeNotBack, describePlanOf } from '../words/plan.ts';
import type { RolloutView } from './view.ts';

interface LineViewOptions {
  readonly screen: Pick<Screen, 'line'>;
  readonly clock: Pick<Clock, 'now'>;
  /** The record that was shown before, by another view. @default - nothing was shown */
  readonly known?: AskedRollout | undefined;
  /**
   * The arguments with which a command finds the engine. The text begins with a space, or is empty. `null`: the
   * rollout runs in this process. @default - none
   */
  readonly where?: string | null;
}

/** Writes a line for each change, where a picture cannot be redrawn: a pipe, a file, a CI log. */
export function createLineView(options: LineViewOptions): RolloutView {
  const { screen, clock, known, where = '' } = options;
  let before: AskedRollout | undefined = known;
  let lastNote: string | null = null;
  const last = { waiting: '', plan: '', doubt: '', rollback: '', counts: '', wants: '' };
  const write = (at: number, text: string) => screen.line(`${clockTime(at)}  ${plainText(text)}`);
  /** Writes the lines only if they differ from the last ones of their kind. */
  const writeNew = (what: keyof typeof last, at: number, lines: readonly string[]) => {
    const text = lines.join('\n');
    if (text !== '' && text !== last[what]) for (const line of lines) write(at, line);
    last[what] = text;
  };
  /** The end of a wait is an estimate that moves a little with each look, and is no news. */
  const writeWaiting = (waiting: Waiting | null) => {
    if (waiting !== null && waiting.message !== last.waiting) {
      write(waiting.since, describeWaiting(waiting));
    }
    last.waiting = waiting?.message ?? '';
  };
  /** The end of a doubt moves a little with each look, too. */
  const writeDoubt = (record: AskedRollout, at: number) => {
    const phase = phaseOf(record, at);
    const unanswered = phase.phase === 'baking' ? (phase.doubt?.unanswered ?? '') : '';
    if (unanswered !== '' && unanswered !== last.doubt) {
      write(at, describePhase(phase, nameOfWave(modelOf(record))));
    }
    last.doubt = unanswered;
  };
  return {
    update(record, isAbandoned = false) {
      const now = clock.now();
      if (record !== before || last.plan === '') {
        const readAt = record.progress?.readAt ?? now;
        writeWaiting(record.waiting);
        writeNew('plan', record.startedAt, describePlanOf(record));
        for (const happening of listHappenings(record, before)) {
          if (!isEnd(happening)) write(happening.at, describeHappening(happening, record));
        }
        writeNew('rollback', readAt, linesOfRollback(record));
        writeDoubt(record, readAt);
        writeNew('counts', readAt, linesOfProgress(record));
        before = record;
      }
      writeNew('wants', now, describeWants(record, phaseOf(record, now), now, where, isAbandoned));
    },
    note(text) {
      if (text !== null && text !== lastNote) write(clock.now(), text);
      lastNote = text;
    },
    end() {},
  };
}

function linesOfRollback({ rollback }: AskedRollout): string[] {
  return rollback === null ? [] : describeNotBack(rollback.plan);
}

/** How many endpoints of the current wave were in each state when the list was read. */
function linesOfProgress(record: AskedRollout): string[] {
  const { progress } = record;
  if (progress === null || progress.looks === 0 || record.outcome !== null) return [];
  const plan = activePlan(record);
  const { from = 0, to = 0 } = plan?.waves[progress.wave] ?? {};
  const seen = plan?.direction === progress.direction ? progress.observations : [];
  const counts = new Map<EndpointState, number>();
  for (let place = from; place < to; place += 1) {
    const { state } = seen[place] ?? { state: 'pending' };
    counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  // Nothing was seen of the wave yet.
  if (counts.size === 1 && counts.has('pending')) return [];
  const words = [...counts].map(([state, count]) => `${count} ${state}`);
  return [`${nameOfWave(modelOf(record))}: ${words.join(', ')}`];
}
