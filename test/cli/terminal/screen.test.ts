import { PassThrough } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { createScreen } from '../../../lib/cli/terminal/screen.ts';
import { widthOf } from '../../../lib/telling/width.ts';

function fakeTerminal(columns: number, rows: number) {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns, rows });
  let written = '';
  stream.on('data', (chunk) => {
    written += chunk;
  });
  return {
    stream,
    /** What was written since the last time. */
    news() {
      const text = written;
      written = '';
      return text;
    },
  };
}

describe('a screen', () => {
  test('draws over the frame before, and writes nothing where nothing has changed', async () => {
    const { stream, news } = fakeTerminal(40, 10);
    const screen = await createScreen(stream as never, false);
    screen.frame(['one', 'two']);
    expect(news()).toContain('one\ntwo\n');
    screen.frame(['one', 'two']);
    expect(news()).toBe('');
    screen.frame(['one', 'three']);
    const patch = news();
    expect(patch).toContain('three');
    expect(patch).not.toContain('one');
  });

  test('when it gets narrower, erases the lines that were broken by it, too', async () => {
    const { stream, news } = fakeTerminal(40, 20);
    const screen = await createScreen(stream as never, false);
    screen.frame(['a'.repeat(35), 'b']);
    news();
    Object.assign(stream, { columns: 20 });
    screen.frame(['short']);
    // Two lines for the first one, one for the second one.
    const drawn = news();
    expect(drawn.startsWith('\u001b[3A\r\u001b[J')).toBe(true);
    expect(drawn).toContain('short\n');
  });

  test('when it gets lower, erases no more than it holds', async () => {
    const { stream, news } = fakeTerminal(40, 20);
    const screen = await createScreen(stream as never, false);
    screen.frame(Array.from({ length: 15 }, (_, index) => `${index}`));
    news();
    Object.assign(stream, { rows: 5 });
    screen.frame(['short']);
    expect(news().startsWith('\u001b[4A\r\u001b[J')).toBe(true);
  });

  test('a pipe, and a terminal that cannot move its cursor, get lines', async () => {
    const { stream } = fakeTerminal(40, 10);
    expect((await createScreen(stream as never, false)).isLive).toBe(true);
    expect((await createScreen(stream as never, true)).isLive).toBe(false);
    expect((await createScreen(new PassThrough() as never, false)).isLive).toBe(false);
  });

  test.each([
    [0, 0],
    [80, 0],
    [0, 24],
    [undefined, undefined],
  ])('a terminal of %p by %p gets lines, because no picture fits it', async (columns, rows) => {
    const { stream } = fakeTerminal(40, 10);
    Object.assign(stream, { columns, rows });
    expect((await createScreen(stream as never, false)).isLive).toBe(false);
  });

  test('a terminal that does not say its size counts as 80 by 24', async () => {
    const { stream } = fakeTerminal(0, 0);
    const { columns, rows } = await createScreen(stream as never, false);
    expect({ columns, rows }).toEqual({ columns: 80, rows: 24 });
    expect(widthOf(stream as never)).toBe(80);
  });

  test('a result is as wide as the terminal, and whole in a pipe', async () => {
    expect(widthOf(fakeTerminal(40, 10).stream as never)).toBe(40);
    expect(widthOf(new PassThrough() as never)).toBe(Number.POSITIVE_INFINITY);
  });
});
