import { expect, test } from '@jest/globals';
import type { RolloutRecord } from '../../../lib/domain/rollout/record.ts';
import { storyOf } from '../../../lib/telling/story/story.ts';
import { linesOf, listWants } from '../../../lib/telling/words/phase.ts';
import { planOf, progressOf, recordOf, seen } from '../../domain/examples.ts';

const HOUR_MS = 3_600_000;
const ROLLING: RolloutRecord = {
  ...recordOf(),
  plan: planOf([1]),
  progress: progressOf(0, [seen('progressing')]),
};
const ABORT = { kind: 'abort', wave: null, by: 'ann', reason: '', at: 1 } as const;

test.each([
  { what: 'nothing', record: ROLLING, isAbandoned: false, at: 1_000, kinds: [] },
  { what: 'a dead one', record: ROLLING, isAbandoned: true, at: 1_000, kinds: ['death'] },
  { what: 'a silent one', record: ROLLING, isAbandoned: false, at: HOUR_MS, kinds: ['silence'] },
  {
    what: 'a dead one after an abort',
    record: { ...ROLLING, signals: [ABORT] },
    isAbandoned: true,
    at: 1_000,
    kinds: ['news', 'death'],
  },
])('what $what wants is data: no sentence has a command', ({ record, isAbandoned, at, kinds }) => {
  const wants = listWants(storyOf(record, at, isAbandoned), '');
  expect(wants.map(({ kind }) => kind)).toEqual(kinds);
  for (const { says, purpose, commands } of wants) {
    expect(`${says} ${purpose}`).not.toContain('steproll');
    expect(says).toMatch(/\.$/);
    for (const command of commands) expect(command).toMatch(/^steproll rollout /);
  }
  const commands = wants.flatMap((one) => one.commands);
  expect(linesOf(wants).filter((line) => line.startsWith(' '))).toEqual(
    commands.map((command) => `  ${command}`),
  );
});
