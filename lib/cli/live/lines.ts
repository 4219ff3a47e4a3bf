import { describeDuration } from '../../domain/durations.ts';
import type { EndpointState } from '../../domain/endpoint/observation.ts';
import { findLockout } from '../../domain/endpoint/rolls.ts';
import { type AskedRollout, activePlan, progressOn } from '../../domain/rollout/record.ts';
import { describeWaiting, type Waiting } from '../../domain/rollout/waiting.ts';
import { type Happening, listHappenings } from '../../domain/story/happenings.ts';
import { type Phase, phaseOf } from '../../domain/story/phase.ts';
import { timeOf } from '../../domain/story/quiet.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Screen } from '../terminal/screen.ts';
import { clockTime, listNames, plainText } from '../terminal/text.ts';
import { describeHappening, isEnd } from '../words/happening.ts';
import { countConverged, describeStageOf, modelOf, nameOfWave } from '../words/model.ts';
import {
  abortAhead,
  describeDeadline,
  describeNeeds,
  describePhase,
  describeStage,
  describeStandstill,
} from '../words/phase.ts';
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

/** So many milliseconds without news are told while a wave rolls. */
const SILENCE_MS = 60_000;

/** Writes a line for each change, where a picture cannot be redrawn: a pipe, a file, a CI log. */
export function createLineView(options: LineViewOptions): RolloutView {
  const { screen, clock, known, where = '' } = options;
  let before: AskedRollout | undefined = known;
  let lastNote: string | null = null;
  let isFirst = true;
  let hindrance: Hindrance | null = null;
  let lastNewsAt = clock.now();
  const last = { waiting: '', plan: '', doubt: '', rollback: '', counts: '', wants: '' };
  /** What was told of each child. */
  const stages = new Map<string, string>();
  let news: { readonly at: number; readonly text: string }[] = [];
  const add = (at: number, text: string) => void news.push({ at, text });
  /** Adds the lines only if they differ from the last ones of their kind. */
  const addNew = (what: keyof typeof last, at: number, lines: readonly string[]) => {
    const text = lines.join('\n');
    if (text !== '' && text !== last[what]) for (const line of lines) add(at, line);
    last[what] = text;
  };
  /** The end of a wait is an estimate that moves a little with each look, and is no news. */
  const addWaiting = (waiting: Waiting | null) => {
    if (waiting !== null && waiting.message !== last.waiting) {
      add(waiting.since, describeWaiting(waiting));
    }
    last.waiting = waiting?.message ?? '';
  };
  /** The end of a doubt moves a little with each look, too. */
  const addDoubt = (record: AskedRollout, at: number) => {
    const phase = phaseOf(record, at);
    const unanswered = phase.phase === 'baking' ? (phase.doubt?.unanswered ?? '') : '';
    if (unanswered !== '' && unanswered !== last.doubt) {
      add(at, describePhase(phase, nameOfWave(modelOf(record))));
    }
    last.doubt = unanswered;
  };
  const addHindrance = (record: AskedRollout, now: number) => {
    const phase = phaseOf(record, now);
    const wave = nameOfWave(modelOf(record));
    const before = hindrance;
    hindrance = hindranceIn(phase);
    if (hindrance === before) return;
    if (hindrance !== null) add(now, describePhase(phase, wave));
    else if (before !== null && record.outcome === null && !isHindered(record)) {
      add(record.progress?.readAt ?? now, `${wave}: ${OVER[before]}`);
    }
  };
  const writePresent = (record: AskedRollout, now: number, isAbandoned: boolean) => {
    const at = timeOf(record, now, isAbandoned);
    const phase = phaseOf(record, at);
    if (['waiting', 'planning', 'ended'].includes(phase.phase)) return;
    const wave = nameOfWave(modelOf(record));
    // A rollout that was resumed counts again only from its next look on.
    const text = isAbandoned
      ? describeStandstill(phase, wave, at)
      : where === null
        ? describeStage(phase, wave)
        : describePhase(phase, wave);
    screen.line(`${'Now'.padEnd(clockTime(now).length)}  ${plainText(text)}`);
    hindrance = hindranceIn(phase);
    last.doubt = phase.phase === 'baking' ? (phase.doubt?.unanswered ?? '') : '';
  };
  const writeNews = (now: number) => {
    // The sort is stable, so lines of the same time stay in order.
    for (const { at, text } of news.sort((one, other) => one.at - other.at)) {
      screen.line(`${clockTime(at)}  ${plainText(text)}`);
    }
    if (news.length > 0) lastNewsAt = now;
    news = [];
  };
  const addChanges = (record: AskedRollout, now: number, isAbandoned: boolean) => {
    const readAt = record.progress?.readAt ?? now;
    addWaiting(record.waiting);
    addNew('plan', record.startedAt, describePlanOf(record));
    for (const happening of listHappenings(record, before)) {
      if (!isEnd(happening)) add(happening.at, describeNews(happening, record, isAbandoned));
    }
    // The way back is planned after the last look at the way forward.
    addNew('rollback', now, linesOfRollback(record));
    addDoubt(record, readAt);
    if (!isAbandoned) addHindrance(record, now);
    addNew('counts', readAt, linesOfProgress(record));
  };
  const addChild = (child: AskedRollout, now: number) => {
    const { rolloutId, runtimeId } = child.request;
    const stage = describeStageOf(child, now);
    if (stage === null || stage === stages.get(rolloutId)) return;
    stages.set(rolloutId, stage);
    if (child.outcome !== null && isFirst) return;
    const count = countConverged(child);
    add(
      child.endedAt ?? now,
      `${runtimeId}: ${stage}${count === null ? '' : `, ${count} endpoints`}`,
    );
  };
  const addSilence = (record: AskedRollout, now: number) => {
    if (news.length > 0 || now - lastNewsAt < SILENCE_MS) return;
    const silence = describeSilence(record, now);
    if (silence !== null) add(now, silence);
  };
  return {
    update(record, isAbandoned = false, children = []) {
      const now = clock.now();
      // What runs here from its beginning has no past.
      if (isFirst && (where !== null || known !== undefined)) {
        writePresent(record, now, isAbandoned);
      }
      for (const child of children) addChild(child, now);
      isFirst = false;
      if (record !== before || last.plan === '') addChanges(record, now, isAbandoned);
      before = record;
      const wants = describeNeeds(record, phaseOf(record, now), now, where, isAbandoned);
      addNew('wants', now, wants);
      if (wants.length === 0) addSilence(record, now);
      writeNews(now);
    },
    note(text) {
      const now = clock.now();
      if (text !== null && text !== lastNote) add(now, text);
      lastNote = text;
      writeNews(now);
    },
    end() {},
  };
}

/** A signal to abort says what it will do, unless the events after it tell what it did. */
function describeNews(happening: Happening, record: AskedRollout, isAbandoned: boolean): string {
  const text = describeHappening(happening, record);
  const ahead = isAbandoned ? null : abortAhead(record);
  const isAhead = happening.kind === 'signal' && happening.signal === ahead?.signal;
  return isAhead ? `${text}; ${ahead?.what}` : text;
}

/** What keeps a wave from getting on that may pass by itself. */
type Hindrance = 'unreadable' | 'locked-out';

const OVER: Readonly<Record<Hindrance, string>> = {
  unreadable: 'the list is readable again',
  'locked-out': 'the credentials are accepted again',
};

function hindranceIn(phase: Phase): Hindrance | null {
  if (phase.phase === 'unreadable') return 'unreadable';
  return phase.phase === 'rolling' && phase.lockout !== null ? 'locked-out' : null;
}

/** A rollout that goes over to its end may still be hindered. */
function isHindered({ progress, journal }: AskedRollout): boolean {
  return progress?.unreadableMs !== null || findLockout(journal) !== undefined;
}

/** What a wave is at that rolls without news. `null`: the rollout has said how long the phase takes. */
function describeSilence(record: AskedRollout, now: number): string | null {
  const phase = phaseOf(record, now);
  if (phase.phase !== 'rolling' && phase.phase !== 'unreadable') return null;
  const model = modelOf(record);
  const wave = nameOfWave(model);
  const rolled = model.rows.flatMap(({ planned, concern, roll }) =>
    concern === 'in-mid-roll' && roll !== null
      ? [{ name: planned.name ?? planned.endpointId, at: roll.at }]
      : [],
  );
  if (rolled.length === 0 || phase.phase === 'unreadable') return describePhase(phase, wave);
  const since = Math.min(...rolled.map(({ at }) => at));
  const most = rolled.length === 1 ? '' : 'up to ';
  const names = listNames(rolled.map(({ name }) => name));
  const forHowLong = `${most}${describeDuration(Math.max(0, now - since))}`;
  return `${wave}: ${names} in mid-roll for ${forHowLong}, ${describeDeadline(phase.deadlineMs)}`;
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
  const seen = (plan && progressOn(record, plan))?.observations ?? [];
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
