import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { LIFECYCLE_EVENTS, toLifecycleEvent } from '../../lib/contract/event.ts';
import { parseTrigger } from '../../lib/contract/flow/trigger-event.ts';
import { endedEvent, startedEvent } from '../../lib/domain/events/events.ts';
import type { RolloutEvent } from '../../lib/domain/rollout/event.ts';
import { STARTER_KINDS } from '../../lib/domain/rollout/request.ts';
import { LIFECYCLE_SOURCE, RELEASE_EVENT } from '../../lib/domain/trigger/release.ts';
import { AT, everyEvent, OUTCOME } from '../domain/events/examples.ts';
import { planOf, recordOf } from '../domain/examples.ts';

const MOST_BYTES = 8 * 1024;

/** Characters that take 1 to 6 bytes of JSON each, and half a pair. */
const CHARACTERS = ['a', '"', '\\', '\n', '\u0001', 'é', '€', '😀', '\ud83d'];
const textOf = (character: string, length: number) => character.repeat(length).slice(0, length);

/** Texts of the longest kind allowed among them. A message may be as long as a cause of Step Functions. */
const text = (longest: number) =>
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: longest }).map((any) => any.slice(0, longest)),
    fc.constantFrom(...CHARACTERS).map((character) => textOf(character, longest)),
  );
const LONGEST_CAUSE = 32_768;

const event = fc
  .record({
    rolloutId: text(80),
    runtimeId: text(256),
    name: text(256),
    kind: fc.constantFrom(...STARTER_KINDS),
    at: fc.integer({ min: 0, max: Date.UTC(9999, 0) }),
    reason: text(256),
    message: text(LONGEST_CAUSE),
    which: fc.nat({ max: everyEvent().length - 1 }),
  })
  .map(({ which, rolloutId, runtimeId, name, kind, at, reason, message }): RolloutEvent => {
    const { eventId, ...one } = everyEvent({ rolloutId })[which] as RolloutEvent;
    const said = { ...one, eventId, runtimeId, message, at };
    if (said.kind === 'started') return { ...said, startedBy: { kind, name, at } };
    return said.kind === 'failing' || said.kind === 'ended' ? { ...said, reason } : said;
  });

describe('every lifecycle event', () => {
  test('is what its schema says, and below 8 KB', () => {
    fc.assert(
      fc.property(event, (told) => {
        const { detailType, detail } = toLifecycleEvent(told);

        expect(detailType).toBe(LIFECYCLE_EVENTS[told.kind].detailType);
        expect(LIFECYCLE_EVENTS[told.kind].detail.parse(detail)).toEqual(detail);
        expect(bytesOf(detail)).toBeLessThan(MOST_BYTES);
      }),
    );
  });

  test.each(CHARACTERS)('is below 8 KB where every text is as long as can be: %j', (character) => {
    const [id, long] = [textOf(character, 80), textOf(character, 256)];
    const reason = textOf(character, 1_000);
    const startedBy = { kind: 'person', name: long, at: AT, reason } as const;
    const request = { ...recordOf().request, rolloutId: id, runtimeId: long, startedBy };
    const message = textOf(character, LONGEST_CAUSE);
    const outcome = { ...OUTCOME, reason: long, message };
    const events = [
      startedEvent(request, planOf(Array(100).fill(1)), AT),
      endedEvent({ ...recordOf(), request }, outcome, AT),
    ];

    for (const told of events) {
      expect(bytesOf(toLifecycleEvent(told).detail)).toBeLessThan(MOST_BYTES);
    }
  });

  test('has the key of a kind and its times for people and machines, and nothing of the policy', () => {
    expect(everyEvent().map((told) => toLifecycleEvent(told))).toMatchObject([
      { detailType: 'Rollout Started', detail: { startedBy: { at: '1970-01-01T00:00:00.000Z' } } },
      { detailType: 'Wave Started', detail: { direction: 'forward', wave: 1 } },
      { detailType: 'Wave Converged', detail: { wave: 1, endpoints: 1 } },
      { detailType: 'Approval Wanted', detail: { at: '2026-11-21T09:30:00.000Z' } },
      { detailType: 'Rollout Failing', detail: { onFailure: 'roll-back' } },
      { detailType: 'Wave Started', detail: { direction: 'back' } },
      { detailType: 'Rollout Ended', detail: { cleanup: 'rolledBack' } },
    ]);
  });
});

describe('a message', () => {
  const messageOf = (message: string) =>
    toLifecycleEvent({ ...(everyEvent()[0] as RolloutEvent), message }).detail.message;

  test('stays as it is', () => {
    expect(messageOf('shop: “rolled”, 3 😀')).toBe('shop: “rolled”, 3 😀');
  });

  test('becomes one line', () => {
    expect(messageOf('policy:\r\n  waves\u001b[31m')).toBe('policy:   waves [31m');
  });

  test('is cut where it is very long, and never within a character', () => {
    expect(messageOf('x'.repeat(1_000))).toBe('x'.repeat(1_000));
    expect(messageOf(`${'x'.repeat(999)}yz`)).toBe(`${'x'.repeat(999)}…`);
    expect(messageOf(`${'x'.repeat(998)}😀😀`)).toBe(`${'x'.repeat(998)}�…`);
  });
});

describe('E11: a lifecycle event', () => {
  test.each(everyEvent().map((told) => toLifecycleEvent(told)))(
    '$detailType starts no rollout, also where it passes for a release',
    ({ detailType, detail }) => {
      const delivery = { id: 'e-1', time: '2026-11-21T09:30:00Z', detail };
      const { source, detailType: released } = RELEASE_EVENT;

      for (const event of [
        { ...delivery, source: LIFECYCLE_SOURCE, 'detail-type': detailType },
        { ...delivery, source, 'detail-type': released },
      ]) {
        expect(() => parseTrigger({ trigger: 'release', release: null, event }, [])).toThrow(
          expect.objectContaining({ name: 'InvalidTrigger' }),
        );
      }
    },
  );
});

function bytesOf(detail: object): number {
  return Buffer.byteLength(JSON.stringify(detail));
}
