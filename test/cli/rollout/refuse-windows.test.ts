import { expect, test } from '@jest/globals';
import { refuseWindows } from '../../../lib/cli/rollout/preview.ts';

test('windows that nothing can be rolled in are a mistake of the configuration', () => {
  const faults = ['Wave 2: its longest window lasts 15 min, and a roll takes 40 min.'];
  expect(() => refuseWindows({ faults, doubts: [] })).toThrow(
    expect.objectContaining({
      name: 'InvalidInput',
      message: expect.stringContaining(faults[0] ?? ''),
    }),
  );
  expect(() => refuseWindows({ faults: [], doubts: faults })).not.toThrow();
});
