import { ModernFakeTimers } from '@jest/fake-timers';
import type * as jestGlobals from '@jest/globals';
import { ModuleMocker } from 'jest-mock';

/**
 * What test files get from `@jest/globals` when they run in plain Node.js, as most of them do
 * (jest.config.js). It has what they use and no more: a file that replaces modules runs in jest's sandbox.
 */
type JestGlobals = typeof jestGlobals;

export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } =
  globalThis as unknown as JestGlobals;

const mocker = new ModuleMocker(globalThis);
const timers = new ModernFakeTimers({
  config: { fakeTimers: { enableGlobally: true } } as never,
  global: globalThis,
});

export const jest = {
  fn: mocker.fn.bind(mocker),
  spyOn: mocker.spyOn.bind(mocker),
  replaceProperty: mocker.replaceProperty.bind(mocker),
  restoreAllMocks: mocker.restoreAllMocks.bind(mocker),
  useFakeTimers: timers.useFakeTimers.bind(timers),
  useRealTimers: timers.useRealTimers.bind(timers),
  advanceTimersByTime: timers.advanceTimersByTime.bind(timers),
  advanceTimersToNextTimer: timers.advanceTimersToNextTimer.bind(timers),
  getTimerCount: timers.getTimerCount.bind(timers),
};
