import { describe, expect, test } from '@jest/globals';
import { renderFrame } from '../../lib/cli/live/frame.ts';
import { toLifecycleEvent } from '../../lib/contract/event.ts';
import { allEvents } from '../../lib/domain/events/events.ts';
import { nameOf } from '../../lib/domain/sentences.ts';
import type { ServiceFaults } from '../../lib/rehearsal/service.ts';
import { storyOf } from '../../lib/telling/story/story.ts';
import { toRolloutView } from '../../lib/telling/view/rollout-view.ts';
import { describeStory } from '../../lib/telling/words/story.ts';
import { fakeScreen } from '../cli/terminal/fake-screen.ts';
import { recordAt, recordOfEnd } from '../support/record-at.ts';
import { runScenario, type Script } from '../support/run-scenario.ts';
import { secondsSinceStart } from '../support/scenario-time.ts';

/** Every endpoint is called "web", as far as the service says. */
const onList: ServiceFaults['onList'] = (read) => read().map((one) => ({ ...one, name: 'web' }));
const PROBE = {
  path: '/healthz',
  status: 200,
  tries: 1,
  timeoutSeconds: 5,
  hosts: ['*.localhost'],
  privateNetwork: false,
};
const namesakes: Script = { endpoints: 4, faults: { onList } };
const stuck = { broken: [{ endpoint: 'endpoint-03', kind: 'stuck' }] };
const accused: Script = {
  policy: { verify: { approval: null, probe: PROBE } },
  // From the start on it would let nobody begin.
  gates: {
    probe: async () => ({ verdict: secondsSinceStart() < 8 ? 'pass' : 'fail', detail: '503' }),
  },
};

/** A name that says nothing. */
const BARE = /\bweb\b(?! \()/;

describe('where endpoints have the same name, whatever names one says its id too', () => {
  test.each([
    ['stopped', { ...stuck }],
    ['rolled back', { ...stuck, policy: { onFailure: 'roll-back' as const } }],
    ['accused by a gate', accused],
    ['fine', {}],
  ] satisfies [string, Script][])('after the end: %s', async (_, script) => {
    const record = await recordOfEnd({ ...namesakes, ...script });
    const story = storyOf(record, record.endedAt ?? 0);
    const frame = { story, seen: null, note: null, engine: '' };
    const told = [
      record.outcome?.message,
      ...describeStory(story, fakeScreen(400)),
      ...renderFrame(frame, fakeScreen(400)),
      ...allEvents(record).map((event) => JSON.stringify(toLifecycleEvent(event).detail)),
      ...toRolloutView(record, 0).endpoints.map(nameOf),
      ...(record.rollback?.plan.leftOut ?? []).map(nameOf),
    ].join('\n');
    expect(told).toMatch(/\bweb \(/);
    expect(told).not.toMatch(BARE);
  });

  test.each([
    ['stopped', { ...stuck, policy: { maxPollSeconds: 15 } }],
    ['rolled back', { ...stuck, policy: { onFailure: 'roll-back' as const } }],
  ] satisfies [string, Script][])(
    'also where the names have become double since the plan: %s',
    async (_, script) => {
      const onLaterList: ServiceFaults['onList'] = (read) =>
        read().map((one) => (secondsSinceStart() < 60 ? one : { ...one, name: 'web' }));
      const record = await recordOfEnd({
        endpoints: 4,
        ...script,
        faults: { onList: onLaterList },
      });
      const story = describeStory(storyOf(record, record.endedAt ?? 0), fakeScreen(400)).join('\n');
      const failing = allEvents(record).find(({ kind }) => kind === 'failing');
      const [stuckOne] = record.plan?.endpoints.filter(({ name }) => name === 'endpoint-03') ?? [];
      const label = `endpoint-03 (${stuckOne?.endpointId})`;
      expect(record.outcome?.message).toContain(label);
      expect(JSON.stringify(failing)).toContain(label);
      expect(story).toContain(label);
      expect(`${record.outcome?.message} ${story}`).not.toMatch(/endpoint-03(?! \()/);
    },
  );

  test('while it is under way', async () => {
    const { record, now } = await recordAt(12, namesakes);
    const story = storyOf(record, now);
    const told = [
      ...describeStory(story, fakeScreen(400)),
      ...renderFrame({ story, seen: null, note: null, engine: '' }, fakeScreen(400)),
    ].join('\n');
    expect(told).toMatch(/\bweb \(/);
    expect(told).not.toMatch(BARE);
  });

  test('also where the names only look the same', async () => {
    const names = ['café', 'cafe\u0301', 'caf\u00e9 ', 'Café'];
    const run = await runScenario({
      endpoints: 4,
      faults: {
        onList: (read) => read().map((one, index) => ({ ...one, name: names[index] ?? '' })),
      },
    });
    const shared = run.record?.plan?.endpoints.map(({ sharesName }) => sharesName === true);
    expect(shared?.filter(Boolean)).toHaveLength(3);
  });

  test('and nowhere else', async () => {
    const record = await recordOfEnd({ endpoints: 4, ...stuck });
    expect(record.outcome?.message).toContain('Stopped: endpoint-03. At its end,');
    expect(record.plan?.endpoints.every((one) => !('sharesName' in one))).toBe(true);
  });
});
