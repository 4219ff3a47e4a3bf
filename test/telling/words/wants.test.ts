import { expect, test } from '@jest/globals';
import { waveEventIdOf } from '../../../lib/domain/rollout/event.ts';
import type { RolloutRecord } from '../../../lib/domain/rollout/record.ts';
import { storyOf } from '../../../lib/telling/story/story.ts';
import { linesOf, listWants } from '../../../lib/telling/words/phase.ts';
import { planOf, progressOf, recordOf, seen, waitFor } from '../../domain/examples.ts';

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

test.each([
  ['on one machine, where nobody proves who says yes', '', { count: 2 }, ['reject']],
  ['the same for others than the starter', '', { notTheStarter: true }, ['reject']],
  ['on AWS, which knows the caller', ' --engine aws', { count: 2 }, ['approve', 'reject']],
  ['on one machine, for anybody', '', {}, ['approve', 'reject']],
])('no command is offered that would be refused: %s', (_, engine, counted, answers) => {
  const approval = { timeoutSeconds: 3600, onTimeout: 'reject', ...counted } as const;
  const verify = { probe: null, alarms: [], metrics: [], approval };
  const record: RolloutRecord = {
    ...recordOf([], { verify }),
    plan: planOf([1, 2]),
    progress: { ...progressOf(0, [seen('converged')]), bakedMs: 300_000 },
    wait: waitFor('approval', { until: HOUR_MS, lookAt: 1_000 }),
    events: [
      {
        kind: 'approval-wanted',
        eventId: waveEventIdOf('rollout-1', 'approval-wanted', 'forward', 1),
        ...{ rolloutId: 'rollout-1', runtimeId: 'shop', desiredVersion: 2, at: 0, message: '' },
        ...{ direction: 'forward', wave: 1, waves: 2, endpoints: 1 },
      },
    ],
  };
  const [want] = listWants(storyOf(record, 1_000), engine);
  expect(want?.commands.map((command) => command.split(' ')[2])).toEqual(answers);
});
