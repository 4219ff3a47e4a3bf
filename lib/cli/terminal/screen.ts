import { styleText } from 'node:util';
import { readEnvironment } from '../../adapters/machine/environment.ts';
import type { Page } from '../../telling/page.ts';
import { columnsOf, type Stream, textWidth } from '../../telling/width.ts';

export interface Screen extends Page {
  readonly rows: number;
  /** Adds a line that stays. */
  line(text: string): void;
  /** Draws over the previous frame. */
  frame(lines: readonly string[]): void;
  /** Leaves the last frame where it is. */
  endFrame(): void;
}

const DEFAULT_ROWS = 24;

/** @param isDumb The terminal cannot move its cursor, so it gets lines. @default - what TERM says */
export async function createScreen(
  stream: Stream,
  isDumb = readEnvironment().isDumbTerminal,
): Promise<Screen> {
  const isLive = stream.isTTY === true && stream.columns > 0 && stream.rows > 0 && !isDumb;
  // Where only lines are written, what draws frames is not loaded.
  const update = isLive ? await openFrames(stream) : null;
  let drawn: Drawn | null = null;
  const size = () => ({
    columns: columnsOf(stream),
    rows: stream.rows || DEFAULT_ROWS,
  });
  return {
    isLive,
    get columns() {
      return size().columns;
    },
    get rows() {
      return size().rows;
    },
    line: (text) => void stream.write(`${text}\n`),
    frame(lines) {
      const { columns, rows } = size();
      if (drawn !== null && (drawn.columns !== columns || drawn.rows !== rows)) {
        stream.write(eraseAbove(heightAt(drawn.lines, columns), rows));
        update?.done();
      }
      update?.(lines.join('\n'));
      drawn = { lines, columns, rows };
    },
    endFrame() {
      update?.done();
      drawn = null;
    },
    style: (format, text) => styleText(format, text, { stream }),
  };
}

async function openFrames(stream: Stream) {
  const { createLogUpdate } = await import('log-update');
  return createLogUpdate(stream as NodeJS.WriteStream, { showCursor: true });
}

interface Drawn {
  readonly lines: readonly string[];
  readonly columns: number;
  readonly rows: number;
}

/** A terminal that gets narrower also breaks the lines that it shows already. */
function heightAt(lines: readonly string[], columns: number): number {
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / columns)), 0);
}

/** Lines that have left the terminal at its top cannot be reached any more. */
function eraseAbove(height: number, rows: number): string {
  const lines = Math.min(height, rows - 1);
  return `${lines > 0 ? `\u001b[${lines}A` : ''}\r\u001b[J`;
}
