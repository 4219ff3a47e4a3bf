import type { AskedRollout } from '../../domain/rollout/record.ts';
import { WAITS } from '../../domain/rollout/wait.ts';
import type { Clock } from '../../ports/clock.ts';
import { listHappenings } from '../../telling/story/happenings.ts';
import { storyOf } from '../../telling/story/story.ts';
import {
  toChildLine,
  toLogLine,
  toNoteLine,
  toProgressLine,
  type WatchLine,
} from '../../telling/view/watch-lines.ts';
import { linesOf, listQuiet } from '../../telling/words/phase.ts';
import type { LiveView } from './view.ts';

/** Writes a line for each change, for programs. Writes to endpoints show in the progress. */
export function createJsonView(
  write: (line: WatchLine) => void,
  clock: Pick<Clock, 'now'>,
  engine = '',
): LiveView {
  let before: AskedRollout | undefined;
  let lastNote: string | null = null;
  let lastQuiet = '';
  const last = new Map<string, string>();
  /** A change of only the countdown, and a next look, are no change. */
  const writeChange = (
    key: string,
    line: ReturnType<typeof toProgressLine | typeof toChildLine>,
  ) => {
    const { at, secondsLeft, wait, ...rest } = line;
    const text = JSON.stringify([
      rest,
      wait && [WAITS[wait.for].says, wait.of, wait.since, wait.until === null],
    ]);
    if (text !== last.get(key)) write(line);
    last.set(key, text);
  };
  return {
    update(record, isAbandoned = false, children = []) {
      const now = clock.now();
      for (const happening of listHappenings(record, before)) {
        if (happening.kind !== 'writes') write(toLogLine(happening));
      }
      before = record;
      for (const child of children)
        writeChange(child.request.rolloutId, toChildLine(storyOf(child, now)));
      const story = storyOf(record, now, isAbandoned);
      writeChange(record.request.rolloutId, toProgressLine(story));
      const sentence = linesOf(listQuiet(story, engine)).join(' ').replace(/ +/g, ' ');
      if (sentence !== '' && sentence !== lastQuiet) write(toNoteLine(sentence, now));
      lastQuiet = sentence;
    },
    note(text) {
      if (text !== null && text !== lastNote) write(toNoteLine(text, clock.now()));
      lastNote = text;
    },
    end() {},
  };
}
