import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseTrigger } from '../../../lib/contract/flow/trigger-event.ts';
import {
  AGENT,
  AGENTCORE_MAPPING,
  agentcoreCall,
  agentcoreRelease,
  dueSchedule,
  ECR_MAPPING,
  harnessUpdate,
  imagePush,
  NO_UPDATES,
  ownRelease,
  PIPELINE_MAPPING,
  SENT_AT,
} from '../trigger-examples.ts';

const AT = Date.parse(SENT_AT);
const ID = '6a7e8feb-b491-4cf7-a9f1-bf3703467718';
const RELEASE = {
  kind: 'release',
  key: ID,
  at: AT,
  name: 'build-41',
  windowMs: 0,
  runtimeId: 'shop',
};
/** One of our own has an id that its sender has chosen. */
const OWN = { ...RELEASE, releaseId: 'build-41' };
const parse = (payload: unknown) =>
  parseTrigger(payload, [ECR_MAPPING, PIPELINE_MAPPING, AGENTCORE_MAPPING]);
const refusal = (message: string) =>
  expect.objectContaining({ name: 'InvalidTrigger', message: expect.stringContaining(message) });

describe('a release event of our own', () => {
  test('says which runtime and which version', () => {
    expect(parse(ownRelease())).toEqual({ ...OWN, wanted: { version: 7 } });
  });

  test('is of the same time, in whatever zone that is written', () => {
    const time = new Date(AT).toISOString().replace('Z', '+00:00');
    expect(parse(ownRelease({}, { time }))).toEqual({ ...OWN, wanted: { version: 7 } });
  });

  test('may have around it whatever EventBridge puts there', () => {
    const event = { 'replay-name': 'again', 'trace-header': 'Root=1' };
    expect(parse(ownRelease({}, event))).toEqual({ ...OWN, wanted: { version: 7 } });
  });

  test.each<[string, object, object, string]>([
    ['a text for a version', { version: '7' }, {}, 'event.detail.version: "7" is not allowed'],
    ['version 0', { version: 0 }, {}, 'event.detail.version: 0'],
    ['half a version', { version: 1.5 }, {}, 'event.detail.version: 1.5'],
    [
      'a version beyond all numbers',
      { version: JSON.parse('1e400') },
      {},
      'event.detail.version: ',
    ],
    ['no version', { version: undefined }, {}, 'event.detail.version: missing'],
    ['no release', { releaseId: undefined }, {}, 'event.detail.releaseId: missing'],
    ['an extra key', { note: 'x' }, {}, 'event.detail.note: unknown key'],
    ['a policy', { policy: { onFailure: 'hold' } }, {}, 'event.detail.policy: unknown key'],
    ['a URL', { endpointUrl: 'https://evil' }, {}, 'event.detail.endpointUrl: unknown key'],
    ['a selector', { endpointIds: ['e-1'] }, {}, 'event.detail.endpointIds: unknown key'],
    [
      'an endpoint',
      { versionFrom: { endpoint: 'e' } },
      {},
      'event.detail.versionFrom: unknown key',
    ],
    ['a list for a runtime', { runtimeId: ['shop'] }, {}, 'event.detail.runtimeId: '],
    ['no detail', {}, { detail: null }, 'event.detail: '],
    ['no id', {}, { id: undefined }, 'event.id: missing'],
    ['a time without a zone', {}, { time: '2026-12-01T03:00:00' }, 'event.time: '],
    ['a time that is none', {}, { time: '2026-02-30T03:00:00Z' }, 'event.time: '],
    ['a time in milliseconds', {}, { time: 1_764_558_000_000 }, 'event.time: '],
  ])('E06: with %s is refused', (_, detail, event, message) => {
    expect(() => parse(ownRelease(detail, event))).toThrow(refusal(message));
  });

  test('E06: __proto__ is an unknown key like any other', () => {
    const text = JSON.stringify(ownRelease()).replace('"releaseId"', '"__proto__":{},"releaseId"');
    expect(() => parse(JSON.parse(text))).toThrow(refusal('event.detail.__proto__: unknown key'));
  });

  test.each([
    ['source', 'steproll'],
    ['source', 'com.example.release'],
    ['detail-type', 'Rollout Ended'],
  ])('E07: with the %s %s is refused', (key, value) => {
    expect(() => parse(ownRelease({}, { [key]: value }))).toThrow(refusal(`event.${key}: `));
  });

  test('may name a group in the place of a runtime', () => {
    const payload = ownRelease({ runtimeId: undefined, group: 'prod' });
    expect(parse(JSON.parse(JSON.stringify(payload)))).toEqual({
      ...OWN,
      runtimeId: 'group:prod',
      wanted: { version: 7 },
    });
  });

  test.each<[string, object, string]>([
    [
      'beside a runtime',
      { group: 'prod' },
      'event.detail.group: "prod" is not allowed; use exactly one of runtimeId, group',
    ],
    [
      'where a runtime belongs',
      { runtimeId: 'group:prod' },
      'event.detail.runtimeId: "group:prod" is not allowed; use the id of a runtime',
    ],
    ['that is none', { runtimeId: undefined, group: 'eu prod' }, 'event.detail.group: "eu prod"'],
    [
      'and a policy of it',
      { runtimeId: undefined, group: 'prod', policy: { maxAtRisk: 9 } },
      'event.detail.policy: unknown key',
    ],
    [
      'and some of its runtimes',
      { runtimeId: undefined, group: 'prod', runtimes: ['eu-*'] },
      'event.detail.runtimes: unknown key',
    ],
    [
      'and nothing is named',
      { runtimeId: undefined },
      'event.detail.runtimeId: missing; use exactly one of runtimeId, group',
    ],
  ])('E06: a group %s is refused', (_, detail, message) => {
    const payload = JSON.parse(JSON.stringify(ownRelease(detail)));
    expect(() => parse(payload)).toThrow(refusal(message));
  });

  test('every mistake is told at once', () => {
    const payload = ownRelease({ version: 0, runtimeId: '', note: 1 }, { time: 'now' });
    expect(() => parse(payload)).toThrow(refusal('Invalid trigger, 4 mistakes:'));
  });
});

describe("another system's release event", () => {
  test('has runtime and version where the configuration points to', () => {
    expect(parse(imagePush())).toEqual({ ...RELEASE, name: 'ecr', wanted: { version: 7 } });
  });

  test('may be for a group, by name or where the configuration points to', () => {
    const { runtimeId: _, ...mapping } = { ...ECR_MAPPING, runtimeId: undefined };
    const byName = { ...mapping, group: 'prod' };
    const byPath = { ...mapping, group: { path: 'detail.repository-name' } };
    const taken = { ...RELEASE, name: 'ecr', wanted: { version: 7 } };
    expect(parseTrigger(imagePush(), [byName])).toEqual({ ...taken, runtimeId: 'group:prod' });
    expect(parseTrigger(imagePush(), [byPath])).toEqual({ ...taken, runtimeId: 'group:shop' });
    const bad = imagePush({ 'repository-name': 'a b', 'image-tag': 'latest' });
    expect(() => parseTrigger(bad, [byPath])).toThrow(
      refusal('event.detail.repository-name: "a b" is not allowed'),
    );
    expect(() => parseTrigger(bad, [byPath])).toThrow(refusal('event.detail.image-tag: "latest"'));
  });

  test('E06: has no group where the configuration points to a runtime', () => {
    expect(() => parse(imagePush({ 'repository-name': 'group:prod' }))).toThrow(
      refusal('event.detail.repository-name: "group:prod" is not allowed'),
    );
  });

  test.each([
    ['7', 7],
    ['v12', 12],
    [9, 9],
  ])('may have %j for a version', (tag, version) => {
    expect(parse(imagePush({ 'image-tag': tag })).wanted).toEqual({ version });
  });

  test('may be mapped to a runtime and an endpoint that are fixed', () => {
    expect(parse({ ...imagePush(), release: 'pipeline' })).toEqual({
      ...RELEASE,
      name: 'pipeline',
      wanted: { versionFrom: { endpoint: 'staging' } },
    });
  });

  test('cannot say more than runtime and version, whatever else is in it', () => {
    const detail = {
      policy: { onFailure: 'hold' },
      endpointUrl: 'https://evil',
      endpointIds: ['e'],
    };
    const event = { policy: {}, wanted: { version: 1 }, runtimeId: 'search' };
    expect(parse(imagePush(detail, event))).toEqual({
      ...RELEASE,
      name: 'ecr',
      wanted: { version: 7 },
    });
  });

  test.each<[string, object, string]>([
    ['a tag that is no version', { 'image-tag': 'latest' }, 'event.detail.image-tag: "latest"'],
    ['no tag', { 'image-tag': undefined }, 'event.detail.image-tag: missing'],
    ['no repository', { 'repository-name': undefined }, 'event.detail.repository-name: missing'],
    ['a number for a repository', { 'repository-name': 7 }, 'event.detail.repository-name: 7'],
    ['a list of repositories', { 'repository-name': ['shop'] }, 'event.detail.repository-name: '],
  ])('E06: with %s is refused, and the place is named', (_, detail, message) => {
    expect(() => parse(imagePush(detail))).toThrow(refusal(message));
  });

  test.each<[string, unknown, string | null]>([
    ['a text', 'sha256:0123', 'sha256:0123'],
    ['a number', 41, '41'],
    ['nothing', undefined, null],
    ['an empty text', '', null],
    ['a list', ['sha256:0123'], null],
  ])('has its id where the configuration says: %s', (_, digest, releaseId) => {
    const mapping = { ...ECR_MAPPING, releaseId: { path: 'detail.image-digest' } };
    const push = imagePush({ 'image-digest': digest });
    if (releaseId !== null) {
      expect(parseTrigger(push, [mapping])).toMatchObject({ releaseId });
      return;
    }
    expect(() => parseTrigger(push, [mapping])).toThrow(refusal('event.detail.image-digest: '));
  });

  test('E07: of a source that is not configured is refused, and those that are allowed are named', () => {
    expect(() => parse({ ...imagePush(), release: 'other' })).toThrow(
      refusal('release: "other" is not allowed; use one of "ecr", "pipeline", "agentcore"'),
    );
  });
});

describe('an update of a runtime of AgentCore', () => {
  const update = (detail: object = {}) =>
    parse(agentcoreRelease(agentcoreCall('UpdateAgentRuntime', detail)));
  const ofVersion = (agentRuntimeVersion: unknown) =>
    update({ responseElements: { agentRuntimeId: AGENT, agentRuntimeVersion } });
  const expected = { ...RELEASE, name: 'agentcore', runtimeId: AGENT };

  test('is a release of the version in the answer, which is a text there', () => {
    expect(update()).toEqual({ ...expected, wanted: { version: 7 }, releaseId: '7' });
  });

  test.each([
    ['no answer', { responseElements: null }],
    ['an answer without a version', { responseElements: { status: 'UPDATING' } }],
  ])('with %s is a release of the latest version', (_, detail) => {
    expect(update(detail)).toEqual({ ...expected, wanted: { version: 'latest' } });
  });

  test('of a harness is a release of the latest version, whatever the trail says of its answer', () => {
    for (const detail of [{}, { responseElements: null }]) {
      expect(parse(agentcoreRelease(harnessUpdate(detail)))).toEqual({
        ...expected,
        wanted: { version: 'latest' },
      });
    }
    expect(() => parse(agentcoreRelease(harnessUpdate({ requestParameters: {} })))).toThrow(
      refusal('event.detail.requestParameters.harnessId: '),
    );
  });

  test.each(['DRAFT', '0', '07', '', null, {}])('E06: of the version %j is refused', (said) => {
    expect(() => ofVersion(said)).toThrow(
      refusal('event.detail.responseElements.agentRuntimeVersion: '),
    );
  });

  test('E06: without a runtime is refused', () => {
    expect(() => update({ requestParameters: null })).toThrow(
      refusal('event.detail.requestParameters: '),
    );
  });

  test.each(NO_UPDATES)('E11: %s is none, and refused', (_, event) => {
    expect(() => parse(agentcoreRelease(event))).toThrow(
      expect.objectContaining({ name: 'InvalidTrigger' }),
    );
  });

  test('starts only what the call has updated, whatever else is in the event', () => {
    const anyDetail = fc.dictionary(
      fc.constantFrom('requestParameters', 'responseElements', 'errorCode', 'eventName', 'version'),
      fc.anything(),
    );
    fc.assert(
      fc.property(anyDetail, fc.dictionary(fc.string(), fc.anything()), (detail, more) => {
        const event = { ...more, ...agentcoreCall('UpdateAgentRuntime', detail) };
        const { requestParameters } = event.detail as {
          readonly requestParameters?: { readonly agentRuntimeId?: unknown };
        };
        try {
          const { runtimeId, wanted } = parse(agentcoreRelease(event));
          expect(runtimeId).toBe(requestParameters?.agentRuntimeId);
          expect(detail).not.toHaveProperty('eventName');
          expect(Object.keys(wanted)).toEqual(['version']);
        } catch (error) {
          expect(error).toMatchObject({ name: 'InvalidTrigger' });
        }
      }),
    );
  });
});

describe('a schedule that is due', () => {
  const SCHEDULE = {
    ...RELEASE,
    kind: 'schedule',
    key: 'nightly 2026-12-01T03:00:00.000Z',
    name: 'nightly',
    maxAgeSeconds: 3600,
  };

  test('says which runtime and which version, or where it is taken from', () => {
    expect(parse(dueSchedule())).toEqual({ ...SCHEDULE, wanted: { version: 7 } });
    const versionFrom = { endpoint: 'staging' };
    expect(parse(dueSchedule({ version: undefined, versionFrom }))).toEqual({
      ...SCHEDULE,
      wanted: { versionFrom },
    });
  });

  test('E09: has one key however its time is written, and another at another time', () => {
    const keyAt = (scheduledAt: string) => parse(dueSchedule({ scheduledAt })).key;
    expect(keyAt('2026-12-01T03:00:00.000Z')).toBe(keyAt(SENT_AT));
    expect(keyAt('2026-12-01T03:00:01Z')).not.toBe(keyAt(SENT_AT));
    expect(parse(dueSchedule({ schedule: 'weekly' })).key).not.toBe(keyAt(SENT_AT));
  });

  test('may be late by its window', () => {
    expect(parse(dueSchedule({ flexibleMinutes: 30 })).windowMs).toBe(30 * 60_000);
  });

  test.each([
    [86_400, 86_400],
    [300, 300],
    [0, 60],
  ])(
    'is made up for within its catchUpSeconds: %d, and a delivery takes time: %d',
    (said, held) => {
      expect(parse(dueSchedule({ catchUpSeconds: said })).maxAgeSeconds).toBe(held);
    },
  );

  test.each<[string, object, string]>([
    ['no name', { schedule: undefined }, 'schedule: missing'],
    ['no time', { scheduledAt: undefined }, 'scheduledAt: missing'],
    ['a placeholder', { scheduledAt: '<aws.scheduler.scheduled-time>' }, 'scheduledAt: '],
    ['no version', { version: undefined }, 'version: missing'],
    ['a text for a version', { version: '7' }, 'version: "7"'],
    ['two versions', { versionFrom: { endpoint: 'e' } }, 'versionFrom: '],
    ['a policy', { policy: {} }, 'policy: unknown key'],
    ['a window of years', { flexibleMinutes: 1e6 }, 'flexibleMinutes: '],
    ['two days to catch up', { catchUpSeconds: 172_800 }, 'catchUpSeconds: '],
  ])('E06: with %s is refused', (_, more, message) => {
    expect(() => parse(dueSchedule(more))).toThrow(refusal(message));
  });
});

test.each([
  null,
  undefined,
  'text',
  [],
  {},
  { trigger: 'manual' },
  { trigger: 'release' },
  { trigger: 'release', release: null },
  { trigger: 'release', release: 7, event: {} },
])('E06: %j is no trigger', (payload) => {
  expect(() => parse(payload)).toThrow(refusal('Invalid trigger, '));
});

test('E06: whatever is sent, it is a trigger with one version, or InvalidTrigger', () => {
  const keys = fc.constantFrom('runtimeId', 'version', 'releaseId', 'image-tag', 'x', '__proto__');
  const details = fc.dictionary(keys, fc.jsonValue());
  fc.assert(
    fc.property(details, fc.jsonValue(), (detail, anything) => {
      for (const payload of [
        ownRelease(detail),
        imagePush(detail),
        dueSchedule(detail),
        ownRelease({}, { detail: anything }),
        anything,
      ]) {
        try {
          expect(Object.keys(parse(payload).wanted)).toHaveLength(1);
        } catch (error) {
          expect(error).toMatchObject({ name: 'InvalidTrigger' });
        }
      }
    }),
  );
});
