import { styleText } from 'node:util';
import type { Screen } from '../../../lib/cli/terminal/screen.ts';

export interface FakeScreen extends Screen {
  readonly lines: string[];
  readonly frames: (readonly string[])[];
}

/** A screen of a size that remembers its lines and frames; without colours unless they are wanted. */
export function fakeScreen(columns: number, rows = 40, hasColours = false): FakeScreen {
  const lines: string[] = [];
  const frames: (readonly string[])[] = [];
  return {
    isLive: false,
    columns,
    rows,
    lines,
    frames,
    line: (text) => void lines.push(text),
    frame: (drawn) => void frames.push(drawn),
    endFrame: () => {},
    style: (format, text) =>
      hasColours ? styleText(format, text, { validateStream: false }) : text,
  };
}
