import { commandOf } from '../../domain/command.ts';
import { listEndpointRows } from '../../domain/ending/fate.ts';
import { findLockout } from '../../domain/endpoint/rolls.ts';
import { heldSince } from '../../domain/holds/held.ts';
import { clockTime } from '../../domain/local-time.ts';
import { describeWait } from '../../domain/rollout/opening.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import { describeWanted } from '../../domain/rollout/request.ts';
import type { Clock } from '../../ports/clock.ts';
import { type Happening, listHappenings } from '../../telling/story/happenings.ts';
import type { Phase } from '../../telling/story/phase.ts';
import { type Story, storyOf } from '../../telling/story/story.ts';
import { plainText } from '../../telling/text.ts';
import { countConverged, describeStageOf } from '../../telling/words/children.ts';
import { describeFate } from '../../telling/words/fates.ts';
import { describeHappening, isEnd } from '../../telling/words/happening.ts';
import { describeSilence, SILENCE_MS } from '../../telling/words/mid-roll.ts';
import {
  abortAhead,
  describeStage,
  describeState,
  linesOf,
  listNeeds,
} from '../../telling/words/phase.ts';
import { describeNotBack, describePlanOf } from '../../telling/words/plan.ts';
import type { EngineArguments } from '../../telling/words/stuck.ts';
import type { Screen } from '../terminal/screen.ts';
import { createNews, type LogNews } from './news.ts';
import type { LiveView } from './view.ts';

interface LineViewOptions {
  readonly screen: Pick<Screen, 'line'>;
  readonly clock: Pick<Clock, 'now'>;
  /** The record that was shown before, by another view. @default - nothing was shown */
  readonly known?: AskedRollout | undefined;
  /** @default '' */
  readonly engine?: EngineArguments;
}

/** Writes a line for each change, where a picture cannot be redrawn: a pipe, a file, a CI log. */
export function createLineView(options: LineViewOptions): LiveView {
  const { screen, clock, known, engine = '' } = options;
  const news = createNews(screen, clock.now());
  let before: AskedRollout | undefined = known;
  let isFirst = true;
  const writePresent = (story: Story) => {
    const { phase, now, isAbandoned } = story;
    if (['waiting', 'planning', 'ended'].includes(phase.phase)) return;
    // A rollout that was resumed counts again only from its next look on.
    const text = engine === null && !isAbandoned ? describeStage(story) : describeState(story);
    screen.line(`${'Now'.padEnd(clockTime(now).length)}  ${plainText(text)}`);
    news.assume('hindrance', hindranceIn(phase));
    news.assume('doubt', doubtIn(phase));
  };
  return {
    update(record, isAbandoned = false, children = []) {
      const now = clock.now();
      const story = storyOf(record, now, isAbandoned);
      // What runs here from its beginning has no past.
      if (isFirst && (engine !== null || known !== undefined)) writePresent(story);
      for (const child of children) addChild(news, child, now, isFirst);
      isFirst = false;
      if (record !== before || !news.last('plan')) addChanges(news, story, before, engine);
      before = record;
      const needs = linesOf(listNeeds(story, engine));
      news.addNew('needs', now, needs);
      const isSilent = needs.length === 0 && news.silentMs(now) >= SILENCE_MS;
      const silence = isSilent ? describeSilence(story) : null;
      if (silence !== null) news.add(now, silence);
      news.write(now);
    },
    note(text) {
      const now = clock.now();
      news.addNew('note', now, text === null ? [] : [text]);
      news.write(now);
    },
    end() {},
  };
}

function addChild(news: LogNews, child: AskedRollout, now: number, isFirst: boolean): void {
  const { rolloutId, runtimeId } = child.request;
  const stage = describeStageOf(child, now);
  if (stage === null) return;
  // What has ended before is no news.
  if (child.outcome !== null && isFirst) news.assume(rolloutId, stage);
  const count = countConverged(child);
  const line = `${runtimeId}: ${stage}${count === null ? '' : `, ${count} endpoints`}`;
  news.addNew(rolloutId, child.endedAt ?? now, [line], stage);
}

/** What it waits for is a sentence, which names each hold. */
function toLift(engine: string): string {
  return `To lift a hold: ${commandOf(['hold', 'lift', 'ID', '--reason', 'WHY'], engine)}`;
}

function addChanges(
  news: LogNews,
  story: Story,
  before: AskedRollout | undefined,
  engine: EngineArguments,
): void {
  const { record, now, isAbandoned } = story;
  const { wait, opening } = record;
  const readAt = record.progress?.readAt ?? now;
  if (opening === null || wait === null) news.assume('waiting');
  else {
    const lines = [describeWait(wait), ...(wait.for === 'hold' ? [toLift(engine ?? '')] : [])];
    news.addNew('waiting', opening.lookedAt, lines, wait.of ?? wait.for);
  }
  news.addNew('plan', record.startedAt, describePlanOf(record));
  for (const happening of listHappenings(record, before)) {
    // What holds it now is told with the command that lifts it.
    const isToldBelow = happening === heldSince(record.lines);
    // What it waits for before it begins is told already.
    const isToldAbove =
      opening !== null && happening.kind === 'waits' && happening.at === wait?.since;
    if (!isEnd(happening) && !isToldBelow && !isToldAbove)
      news.add(happening.at, describeNews(happening, record, isAbandoned));
  }
  // The way back is planned after the last look at the way forward.
  const notBack = record.rollback === null ? [] : describeNotBack(record.rollback.plan);
  news.addNew('rollback', now, notBack);
  const seen = storyOf(record, readAt);
  news.addNew('doubt', readAt, [describeState(seen)], doubtIn(seen.phase));
  if (!isAbandoned) addHindrance(news, story);
  news.addNew('counts', readAt, linesOfProgress(story));
}

function addHindrance(news: LogNews, story: Story): void {
  const { record, where, now, phase } = story;
  const before = news.last('hindrance') as Obstacle | undefined;
  const hindrance = hindranceIn(phase);
  news.addNew('hindrance', now, [describeState(story)], hindrance);
  if (before && hindrance === '' && record.outcome === null && !isHindered(record)) {
    news.add(record.progress?.readAt ?? now, `${where}: ${OVER[before]}`);
  }
}

/** A signal to abort says what it will do, unless the events after it tell what it did. */
function describeNews(happening: Happening, record: AskedRollout, isAbandoned: boolean): string {
  const text = describeHappening(happening);
  const ahead = isAbandoned ? null : abortAhead(record);
  const isAhead = happening.kind === 'signal' && happening.signal === ahead?.signal;
  return isAhead ? `${text}; ${ahead?.what}` : text;
}

/** What keeps a wave from getting on that may pass by itself. */
type Obstacle = 'unreadable' | 'locked-out';

const OVER: Readonly<Record<Obstacle, string>> = {
  unreadable: 'the list is readable again',
  'locked-out': 'the credentials are accepted again',
};

function hindranceIn(phase: Phase): Obstacle | '' {
  if (phase.phase === 'unreadable') return 'unreadable';
  return phase.phase === 'rolling' && phase.lockout !== null ? 'locked-out' : '';
}

/** The gates that give no answer. */
function doubtIn(phase: Phase): string {
  return phase.phase === 'baking' ? (phase.doubt?.unanswered ?? '') : '';
}

/** A rollout that goes over to its end may still be hindered. */
function isHindered({ progress, journal }: AskedRollout): boolean {
  return progress?.readFault !== undefined || findLockout(journal) !== undefined;
}

/** How many endpoints of the current wave had each fate when the list was read. */
function linesOfProgress({ record, where }: Story): string[] {
  const { progress, journal, request, outcome } = record;
  if (progress === null || progress.looks === 0 || outcome !== null) return [];
  const { wave, readAt } = progress;
  // What was written since then changes what is known, but nobody has looked.
  const then = { ...record, journal: journal.filter(({ at }) => at < readAt) };
  const rows = listEndpointRows(then).filter((row) => row.wave === wave + 1);
  if (rows.every(({ seen }) => seen.state === 'pending')) return [];
  const wanted = describeWanted(request);
  const fates = Map.groupBy(rows, (row) => describeFate({ ...row, statusReason: null }, wanted));
  return [`${where}: ${[...fates].map(([words, own]) => `${own.length} ${words}`).join(', ')}`];
}
