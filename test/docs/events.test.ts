import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { HOLD_EVENTS, LIFECYCLE_EVENTS, toLifecycleEvent } from '../../lib/contract/event.ts';
import { LIFECYCLE_SOURCE } from '../../lib/domain/trigger/release.ts';
import { runScenario } from '../support/run-scenario.ts';

const guide = readFileSync(new URL('../../docs/events.md', import.meta.url), 'utf8');
const [example, pattern] = [...guide.matchAll(/^```json\n(.+?)^```$/gms)].map(([, json = '']) =>
  JSON.parse(json),
);

test('the example is what a rollout that fails ends with', async () => {
  const { told } = await runScenario({ broken: [{ endpoint: 'endpoint-07', kind: 'fail' }] });
  const end = told.flatMap((event) => (event.kind === 'ended' ? [event] : []))[0];
  if (end === undefined) throw new Error('no end was told');
  const { detailType, detail } = toLifecycleEvent(end);

  expect(example).toMatchObject({ source: LIFECYCLE_SOURCE, 'detail-type': detailType });
  expect(example.detail).toEqual(detail);
  expect(Date.parse(example.time)).toBe(Date.parse(String(detail.at)));
});

test('the pattern is one for that event', () => {
  expect(pattern.source).toEqual([example.source]);
  expect(pattern['detail-type']).toEqual([example['detail-type']]);
  expect(pattern.detail.runtimeId).toEqual([example.detail.runtimeId]);
  expect(example.detail).toHaveProperty('outcome');
});

test.each([...Object.values(LIFECYCLE_EVENTS), ...Object.values(HOLD_EVENTS)])(
  '$detailType is in the guide, with each of its keys',
  ({ detailType, detail }) => {
    expect(guide).toContain(`| [${detailType}](../schemas/events/`);
    for (const key of Object.keys(detail.shape)) {
      expect(guide).toMatch(new RegExp(`^\\| [^|]*\`${key}\`[^|]* \\|`, 'm'));
    }
  },
);
