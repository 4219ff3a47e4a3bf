import { stripVTControlCharacters, styleText } from 'node:util';
import type { Screen } from '../../../lib/cli/terminal/screen.ts';

/** What a terminal shows from a time on. */
export interface Shot {
  /** Milliseconds since the recording began. */
  readonly at: number;
  /** With their colours, from the top of the terminal. */
  readonly lines: readonly string[];
}

/** A terminal of this size that remembers what it has shown. */
export function recordScreen(columns: number, rows: number) {
  const startedAt = performance.now();
  const shots: Shot[] = [];
  let stays: string[] = [];
  let drawn: readonly string[] = [];
  const show = () => {
    const lines = [...stays, ...drawn].slice(-rows);
    shots.push({ at: performance.now() - startedAt, lines });
  };
  const screen: Screen = {
    ...{ isLive: true, columns, rows },
    line(text) {
      stays = [...stays, ...text.split('\n').flatMap((line) => broken(line, columns))];
      show();
    },
    frame(lines) {
      drawn = lines;
      show();
    },
    endFrame() {
      stays = [...stays, ...drawn];
      drawn = [];
    },
    style: (format, text) => styleText(format, text, { validateStream: false }),
  };
  return { screen, shots };
}

/** A terminal breaks a line that is too long. Colours of such lines are left out. */
function broken(line: string, columns: number): string[] {
  const plain = stripVTControlCharacters(line);
  if (plain.length <= columns) return [line];
  return plain.match(new RegExp(`.{1,${columns}}`, 'g')) ?? [];
}
