import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createFrameView } from '../../../lib/cli/live/frame.ts';
import { afterLook, endpoint, planOf, progressOf, recordOf, seen } from '../../domain/examples.ts';
import { fakeScreen } from '../terminal/fake-screen.ts';

beforeEach(() => {
  jest.useFakeTimers({ now: 0 });
});

afterEach(() => {
  jest.useRealTimers();
});

const rolling = {
  ...recordOf(),
  plan: planOf([1]),
  ...afterLook(progressOf(0, [seen('progressing')])),
};

describe('a view that is drawn over and over', () => {
  test('moves its countdowns, and stops at the end with one last frame', () => {
    const screen = fakeScreen(80);
    const view = createFrameView(screen, { now: () => Date.now() });
    view.update(rolling);
    jest.advanceTimersByTime(2_000);
    expect(screen.frames.at(-1)?.at(-1)).toBe('Wave 1 of 1: rolling, deadline in 9 min 58 s · 2 s');
    view.end();
    const drawn = screen.frames.length;
    expect(jest.getTimerCount()).toBe(0);
    jest.advanceTimersByTime(2_000);
    expect(screen.frames).toHaveLength(drawn);
  });

  test('says why there is nothing to show yet', () => {
    const screen = fakeScreen(20);
    const view = createFrameView(screen, { now: () => 0 });
    view.note('It waits for its turn.\u001b');
    view.end();
    expect(screen.frames.at(-1)).toEqual(['It waits for its', '  turn.\uFFFD']);
  });

  test('keeps a note beside the picture until all is well', () => {
    const screen = fakeScreen(80);
    const view = createFrameView(screen, { now: () => 0 });
    view.update(rolling);
    view.note('No news.');
    jest.advanceTimersByTime(300);
    expect(screen.frames.at(-1)).toContain('No news.');
    view.note(null);
    view.end();
    expect(screen.frames.at(-1)).not.toContain('No news.');
  });

  test('shows waves and endpoints of the same look', () => {
    const screen = fakeScreen(80);
    let now = 0;
    const view = createFrameView(screen, { now: () => now });
    view.see([endpoint('web-1', { status: 'UPDATING' })]);
    view.update(rolling);
    now = 5_000;
    view.see([endpoint('web-1', { status: 'ACTIVE' })]);
    jest.advanceTimersByTime(300);
    expect(screen.frames.at(-1)?.join()).toContain('UPDATING');
    const once = progressOf(0, [seen('converged')], { readAt: 5_000 });
    view.update({ ...rolling, ...afterLook(once) });
    view.end();
    expect(screen.frames.at(-1)?.join('\n')).toMatch(
      /0\/1 {2}1 in mid-roll[\s\S]*ACTIVE +live in 1 of 2 looks/,
    );
  });

  test('shows what this process reads of the list', () => {
    const screen = fakeScreen(80);
    const view = createFrameView(screen, { now: () => 0 });
    view.update(rolling);
    view.see([endpoint('web-1', { status: 'UPDATING' })]);
    view.end();
    expect(screen.frames.at(-1)?.join()).toContain('UPDATING');
  });
});
