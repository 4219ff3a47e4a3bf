import { clockTime } from '../../domain/local-time.ts';
import { plainText } from '../../telling/text.ts';
import type { Screen } from '../terminal/screen.ts';

/** The lines that a log is to get, each with its time, and what was told before. Times are milliseconds. */
export interface LogNews {
  add(at: number, text: string): void;
  /**
   * Adds lines that differ from the last ones about the same.
   *
   * @param about A name, or the id of a child.
   * @param what What has to differ: a countdown, and the end of a wait that moves a little with each look, is no news.
   *   Empty: nothing is told. @default - the lines
   */
  addNew(about: string, at: number, lines: readonly string[], what?: string): void;
  /** What was told last about it. `undefined`: nothing yet. */
  last(about: string): string | undefined;
  /** From now on this was told about it, although no line was. @param what @default - nothing was */
  assume(about: string, what?: string): void;
  /** How long there was nothing to tell. */
  silentMs(now: number): number;
  write(now: number): void;
}

export function createNews(screen: Pick<Screen, 'line'>, startedAt: number): LogNews {
  const told = new Map<string, string | undefined>();
  let lines: { readonly at: number; readonly text: string }[] = [];
  let lastAt = startedAt;
  const add = (at: number, text: string) => void lines.push({ at, text });
  return {
    add,
    addNew(about, at, added, what = added.join('\n')) {
      if (what !== '' && what !== told.get(about)) for (const line of added) add(at, line);
      told.set(about, what);
    },
    last: (about) => told.get(about),
    assume: (about, what) => void told.set(about, what),
    silentMs: (now) => (lines.length > 0 ? 0 : now - lastAt),
    write(now) {
      // The sort is stable, so lines of the same time stay in order.
      for (const { at, text } of lines.sort((one, other) => one.at - other.at)) {
        screen.line(`${clockTime(at)}  ${plainText(text)}`);
      }
      if (lines.length > 0) lastAt = now;
      lines = [];
    },
  };
}
