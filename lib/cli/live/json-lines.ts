import {
  toEventLine,
  toNoteLine,
  toProgressLine,
  toSignalLine,
  type WatchLine,
} from '../../contract/output/watch-lines.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import { listHappenings } from '../../domain/story/happenings.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RolloutView } from './view.ts';

/** Writes a line for each change, for programs. Writes to endpoints show in the progress. */
export function createJsonView(
  write: (line: WatchLine) => void,
  clock: Pick<Clock, 'now'>,
): RolloutView {
  let before: AskedRollout | undefined;
  let lastNote: string | null = null;
  let lastProgress = '';
  return {
    update(record) {
      for (const happening of listHappenings(record, before)) {
        if (happening.kind === 'event') write(toEventLine(happening.event));
        if (happening.kind === 'signal') write(toSignalLine(happening.signal));
      }
      before = record;
      const progress = toProgressLine(record, clock.now());
      const { at, secondsLeft, ...rest } = progress;
      const text = JSON.stringify(rest);
      // A change of only the countdown is not a change.
      if (text !== lastProgress) write(progress);
      lastProgress = text;
    },
    note(text) {
      if (text !== null && text !== lastNote) write(toNoteLine(text, clock.now()));
      lastNote = text;
    },
    end() {},
  };
}
