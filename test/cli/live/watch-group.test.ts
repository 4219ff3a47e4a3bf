import { describe, expect, test } from '@jest/globals';
import { renderFrame } from '../../../lib/cli/live/frame.ts';
import { createJsonView } from '../../../lib/cli/live/json-lines.ts';
import { createLineView } from '../../../lib/cli/live/lines.ts';
import type { LiveView } from '../../../lib/cli/live/view.ts';
import { followRollout } from '../../../lib/cli/rollout/follow.ts';
import { storyOf } from '../../../lib/telling/story/story.ts';
import { WATCH_LINES, type WatchLine } from '../../../lib/telling/view/watch-lines.ts';
import { type GroupScript, type GroupStage, onGroupStage } from '../../support/group-stage.ts';
import { fakeScreen } from '../terminal/fake-screen.ts';

const ROLLOUT = 'release-1';

const SCRIPT: GroupScript = {
  runtimes: ['eu-1', 'eu-2', 'tenant-a'],
  endpoints: 4,
  rollSeconds: 30,
  faults: [{ runtime: 'tenant-a', endpoint: 'endpoint-01', version: 2, kind: 'fail' }],
  policy: { waves: [{ percent: 100 }], maxUnavailable: { percent: 100 }, maxAtRisk: 2 },
  ofRuntimes: { bakeSeconds: 120 },
};

/** Follows a release of the group from its beginning to its end. */
function follow(makeView: (stage: GroupStage) => Pick<LiveView, 'update'>): Promise<void> {
  return onGroupStage(SCRIPT, async (stage) => {
    const { ledger, time } = stage;
    const view = { note: () => undefined, ...makeView(stage) };
    const running = stage.createProcess().run(ROLLOUT, 2);
    const following = {
      ...{ rolloutId: ROLLOUT, ledger, clock: time, view, readMs: 1_000 },
      describeWaiting: async () => '',
    };
    const { signal } = new AbortController();
    await Promise.all([running, followRollout(following, signal)]);
  });
}

describe('who watches a group', () => {
  test('sees how far each runtime is, and that one has ended before the group has looked at it', async () => {
    const rows = new Set<string>();
    await follow(({ time }) => ({
      update(record, _, children = []) {
        const story = storyOf(record, time.now());
        const frame = { story, children, note: null, seen: null, engine: '' };
        for (const line of renderFrame(frame, fakeScreen(80))) {
          if (/^(eu-1|tenant-a|Runtime) /.test(line))
            rows.add(line.replace(/, (deadline|\d).*/, ''));
        }
      },
    }));
    expect([...rows]).toEqual([
      'Runtime   Live → target  Endpoints  Rollout',
      'eu-1      1                    0/4  Wave 1 of 2: rolling',
      'tenant-a  1                         not rolled',
      'eu-1      1 → 2                0/4  Wave 1 of 2: rolling',
      'eu-1      1 → 2                1/4  Wave 1 of 2: baking',
      'eu-1      1 → 2                1/4  Wave 2 of 2: rolling',
      'eu-1      1 → 2                2/4  Wave 2 of 2: rolling',
      'eu-1      1 → 2                3/4  Wave 2 of 2: rolling',
      'eu-1      1 → 2                4/4  Wave 2 of 2: baking',
      'eu-1      1 → 2                4/4  Succeeded',
      'eu-1      2                    4/4  live on version 2',
      'tenant-a  1                    0/4  Wave 1 of 2: rolling',
      'tenant-a  1                    0/4  Failed (stuck)',
      'tenant-a  1 → 2                0/4  in a failed state (Wave 1 of 2: endpoint-01…',
    ]);
  });

  test('gets a line when a runtime goes on, and one when it ends', async () => {
    const screen = fakeScreen(80);
    await follow(({ time }) => createLineView({ screen, clock: time }));
    const ofRuntimes = screen.lines.filter((line) => / {2}(eu-1|tenant-a): /.test(line));
    expect(ofRuntimes.map((line) => line.replace(/^\S+ +/, ''))).toEqual([
      'eu-1: Wave 1 of 2: rolling, 0/4 endpoints',
      'eu-1: Wave 1 of 2: baking, 1/4 endpoints',
      'eu-1: Wave 2 of 2: rolling, 1/4 endpoints',
      'eu-1: Wave 2 of 2: baking, 4/4 endpoints',
      'eu-1: Succeeded, 4/4 endpoints',
      'tenant-a: Wave 1 of 2: rolling, 0/4 endpoints',
      'tenant-a: Failed (stuck), 0/4 endpoints',
    ]);
  });

  test('gets them with their time below what has caused them, also where the runtimes run in this process', async () => {
    const screen = fakeScreen(100);
    await follow(({ time }) => createLineView({ screen, clock: time, engine: null }));
    const ofTenant = screen.lines.filter((line) => /tenant-a(:| rolls)/.test(line));
    expect(ofTenant.slice(0, 3).map((line) => line.replace(/^\d\d:\d\d:\d\dZ {2}/, ''))).toEqual([
      'Wave 1 of 1: tenant-a rolls to version 2',
      'tenant-a: Wave 1 of 2: rolling, 0/4 endpoints',
      'tenant-a: Failed (stuck), 0/4 endpoints',
    ]);
  });

  test('gets the same as JSON', async () => {
    const lines: WatchLine[] = [];
    await follow(({ time }) => createJsonView((line) => lines.push(line), time));
    for (const line of lines) expect(WATCH_LINES[line.kind].parse(line)).toEqual(line);
    const children = lines.filter((line) => line.kind === 'child');
    expect(children.filter(({ outcome }) => outcome !== null)).toMatchObject([
      { runtimeId: 'eu-1', outcome: 'Succeeded', reason: 'Converged', phase: 'ended' },
      { runtimeId: 'eu-2', outcome: 'Succeeded', reason: 'Converged', phase: 'ended' },
      { runtimeId: 'tenant-a', outcome: 'Failed', reason: 'EndpointFailed', phase: 'ended' },
    ]);
  });
});
