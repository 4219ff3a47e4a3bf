import type { Screen } from '../../../lib/cli/view/screen.ts';

/** A screen of a size, without colours, that remembers its lines. */
export function fakeScreen(columns: number, rows = 40): Screen & { readonly lines: string[] } {
  const lines: string[] = [];
  return {
    isLive: false,
    columns,
    rows,
    lines,
    line: (text) => void lines.push(text),
    frame: () => {},
    endFrame: () => {},
    style: (_format, text) => text,
  };
}
