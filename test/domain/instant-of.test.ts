import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { instantOf, shownAt } from '../../lib/domain/local-time.ts';

const shown = (text: string) => Date.parse(`${text}Z`);

describe('the time at which the clocks of a zone show something', () => {
  test.each([
    ['UTC', '2026-12-01T09:00:30', '2026-12-01T09:00:30Z'],
    ['Europe/Berlin', '2026-12-01T09:00:00', '2026-12-01T08:00:00Z'],
    ['Europe/Berlin', '2026-07-01T09:00:30', '2026-07-01T07:00:30Z'],
    ['Asia/Kathmandu', '2026-07-01T00:00:00', '2026-06-30T18:15:00Z'],
    ['Pacific/Kiritimati', '2026-07-01T00:00:00', '2026-06-30T10:00:00Z'],
    ['Europe/Berlin', '2026-03-29T01:59:00', '2026-03-29T00:59:00Z'],
    ['Europe/Berlin', '2026-03-29T03:00:00', '2026-03-29T01:00:00Z'],
  ])('in %s, %s is %s', (timeZone, text, instant) => {
    expect(instantOf(shown(text), timeZone)).toBe(Date.parse(instant));
  });

  test.each([
    ['Europe/Berlin', '2026-03-29T02:00:00'],
    ['Europe/Berlin', '2026-03-29T02:59:59'],
    ['America/Santiago', '2026-09-06T00:30:00'],
    ['Australia/Lord_Howe', '2026-10-04T02:15:00'],
  ])('E09: in %s, %s is never: the clocks skip it', (timeZone, text) => {
    expect(instantOf(shown(text), timeZone)).toBeNull();
  });

  test.each([
    ['Europe/Berlin', '2026-10-25T02:30:00', '2026-10-25T00:30:00Z'],
    ['America/Santiago', '2026-04-04T23:30:00', '2026-04-05T02:30:00Z'],
    ['Australia/Lord_Howe', '2026-04-05T01:45:00', '2026-04-04T14:45:00Z'],
  ])('E09: in %s, %s comes twice, and the first time counts', (timeZone, text, instant) => {
    expect(instantOf(shown(text), timeZone)).toBe(Date.parse(instant));
  });

  test('whatever the clocks show now is found again, now or at its first time', () => {
    const zones = fc.constantFrom(
      'UTC',
      'Europe/Berlin',
      'America/St_Johns',
      'Australia/Lord_Howe',
    );
    const years = { min: shown('2020-01-01T00:00:00'), max: shown('2040-01-01T00:00:00') };
    fc.assert(
      fc.property(zones, fc.integer(years), (timeZone, instant) => {
        const found = instantOf(shownAt(instant, timeZone), timeZone) ?? Number.NaN;
        expect(found).toBeLessThanOrEqual(instant);
        expect(shownAt(found, timeZone)).toBe(shownAt(instant, timeZone));
      }),
    );
  });
});
