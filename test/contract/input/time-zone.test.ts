import { expect, test } from '@jest/globals';
import { timeZoneSchema } from '../../../lib/contract/input/checks.ts';

test.each(['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/Argentina/Buenos_Aires'])(
  '%s is a time zone',
  (name) => {
    expect(timeZoneSchema.safeParse(name).success).toBe(true);
  },
);

test.each(['', 'Mars/Base', '+01:00', '-0500', 'Europe/Berlin ', 'Z', 'x'.repeat(257)])(
  '%j is none',
  (name) => {
    expect(timeZoneSchema.safeParse(name).success).toBe(false);
  },
);
