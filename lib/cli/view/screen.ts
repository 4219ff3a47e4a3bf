import type { WriteStream } from 'node:tty';
import { styleText } from 'node:util';
import { createLogUpdate } from 'log-update';

/** Where a view is shown. */
export interface Screen {
  /** Whether frames can be drawn over each other; otherwise there are only lines. */
  readonly isLive: boolean;
  readonly columns: number;
  readonly rows: number;
  /** Adds a line that stays. */
  line(text: string): void;
  /** Draws over the frame before. */
  frame(lines: readonly string[]): void;
  /** Leaves the last frame where it is. */
  endFrame(): void;
  /** Colours only where people see them: a terminal, and no NO_COLOR. */
  style(format: Parameters<typeof styleText>[0], text: string): string;
}

type Stream = NodeJS.WriteStream | WriteStream;

const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;

export function createScreen(stream: Stream): Screen {
  const update = createLogUpdate(stream as NodeJS.WriteStream, { showCursor: true });
  return {
    isLive: stream.isTTY === true,
    get columns() {
      return stream.columns ?? DEFAULT_COLUMNS;
    },
    get rows() {
      return stream.rows ?? DEFAULT_ROWS;
    },
    line: (text) => void stream.write(`${text}\n`),
    frame: (lines) => update(lines.join('\n')),
    endFrame: () => update.done(),
    style: (format, text) => styleText(format, text, { stream }),
  };
}
